"""What other tools call something -> what it is called here.

A name or a call that is right in JAX, autograd, PyTorch or Julia is answered with what
to write instead.

>>> def jacobian(f, wrt=None): ...
>>> refuse_habits(jacobian, (abs, 2.0), {})
Traceback (most recent call last):
TypeError: `jacobian(f)` gives a function: the arguments of f go there, jacobian(f)(...)
>>> refuse_habits(jacobian, (abs,), {"argnums": 0})
Traceback (most recent call last):
TypeError: jacobian has no option `argnums=`: give names or positions as `wrt=`
"""

from __future__ import annotations

import functools
import inspect
import numbers
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, ParamSpec, TypeVar

from yota_ast.support.tracebacks import public

P = ParamSpec("P")
R = TypeVar("R")
PAGE: Final = "docs/coming-from.md"

_FORWARD: Final = '`jacobian(f, mode="forward")`'
_REVERSE: Final = '`jacobian(f, mode="reverse")`'
_BATCH: Final = "`vmap(f)`, or whole arrays in the function"
_COMPILE: Final = "`simplegrad(f, *examples)`, which gives a plain function"
_RULE: Final = "`diffrule`, which defines the derivative of a function"
_STOP: Final = "`stop_gradient(x)`"
_TREE: Final = "`update` for containers, or `ravel` for one flat vector"
_MEMORY: Final = "`checkpoint(range(n))` in the `for` of the loop that is long"
_PULLBACK: Final = "`vjp(f)(*args)`, which gives the value and the pullback"
_ALONG: Final = "`jvp(f)(*args, *tangents)`, which gives the value and its tangent"
_OF_ELEMENTS: Final = "`grad(f, x, seed=np.ones_like(x))`"
NAMES: Final[Mapping[str, str]] = {
    "pmap": _BATCH, "vectorize": _BATCH, "batched": _BATCH,
    "jit": _COMPILE, "compile_grad": _COMPILE, "function": _COMPILE,
    "jacfwd": _FORWARD, "jacrev": _REVERSE, "jacobian_reverse": _REVERSE,
    "elementwise_grad": _OF_ELEMENTS, "egrad": _OF_ELEMENTS,
    "derivative": "`grad(f)(x)`", "gradient": "`grad(f)(x)`",
    "multigrad": '`grad(f, wrt=["x", "y"])`',
    "multigrad_dict": "`grad(f, *args)[1]`",
    "grad_named": '`grad(f, wrt="x")`',
    "grad_and_aux": "`value_and_grad(f, has_aux=True)`",
    "withgradient": "`value_and_grad(f)`", "value_and_gradient": "`value_and_grad(f)`",
    "holomorphic_grad": "`grad(f, z, seed=1.0)`, and take the conjugate of the result",
    "make_vjp": _PULLBACK, "pullback": _PULLBACK, "backward": _PULLBACK,
    "make_jvp": _ALONG, "pushforward": _ALONG, "linearize": _ALONG,
    "make_hvp": "`hvp(f)(x, v)`", "hessian_vector_product": "`hvp(f)(x, v)`",
    "vhp": "`hvp(f)(x, v)`",
    "make_ggnvp": "`jvp` and then `vjp`", "tensor_jacobian_product": "`vjp`",
    "linear_transpose": "`vjp`", "hessian_diag": "`hessian(f)(x).diagonal()`",
    "remat": _MEMORY,
    "custom_vjp": _RULE, "custom_jvp": _RULE, "custom_gradient": _RULE,
    "custom_grad": _RULE, "defvjp": _RULE, "defjvp": _RULE, "adjoint": _RULE,
    "rrule": _RULE, "frule": _RULE, "Function": _RULE, "adjoint_of": _RULE,
    "detach": _STOP, "no_grad": _STOP, "lax": f"{_STOP}, and Python's own loops",
    "ignore_derivatives": _STOP, "dropgrad": _STOP,
    "tree_map": _TREE, "tree_util": _TREE, "tree": _TREE, "tree_leaves": _TREE,
    "tree_flatten": _TREE,
    "flatten": "`ravel(params)`", "ravel_pytree": "`ravel(params)`",
    "flatten_util": "`ravel(params)`", "destructure": "`ravel(params)`",
    "make_jaxpr": "`trace(f, *args)`", "autodiff": "`simplegrad(f)`",
    "check_grads": "`gradcheck(f, *args)`", "test_util": "`gradcheck(f, *args)`",
    "device_put": "`to_device(x, device)`",
    "numpy": "NumPy itself", "np": "NumPy itself",
    "scipy": "SciPy itself", "Tensor": "NumPy's arrays", "tensor": "NumPy's arrays",
    "Variable": "NumPy's arrays", "grad_fn": "`simplegrad(f)`",
}  # fmt: skip
"""What to use here, by names of other tools."""

OPTIONS: Final[Mapping[str, str]] = {
    "argnums": "give names or positions as `wrt=`",
    "argnum": "give names or positions as `wrt=`",
    "argument_ids": "give names or positions as `wrt=`",
    "inputs": "give names or positions as `wrt=`",
    "holomorphic": "give the cotangent to `grad` as `seed=`, or to a pullback",
    "grad_outputs": "give the cotangent to `grad` as `seed=`, or to a pullback",
    "allow_int": "name the argument in `wrt=`",
    "allow_unused": "leave it out: an argument without effect gets zeros",
    "create_graph": "leave it out: transforms nest as they are",
    "retain_graph": "leave it out: a pullback may be called again",
    "vectorize": "leave it out",
    "strategy": 'give `mode="forward"` or `mode="reverse"`',
    "outer_jacobian_strategy": "leave it out",
    "strict": "leave it out: what is not differentiable is refused",
    "optimized": "leave it out",
    "preserve_result": "`value_and_grad` gives the value too",
    "reduce_axes": "leave it out",
    "static_argnums": "leave it out",
}
"""What to write here, by options of other tools."""


def said_of(name: str, known: Collection[str]) -> str:
    """What a name that the package does not have is answered with."""
    text = f"yota_ast has no `{name}`"
    if name in NAMES:
        return f"{text}. Use {NAMES[name]}: see {PAGE}"
    import difflib  # for names that are not known alone

    near = difflib.get_close_matches(name, known, 1)
    if near:
        return f"{text}. Did you mean `{near[0]}`?"
    return f"{text}. {PAGE} lists the names of other tools and what to use here"


def transform(fn: Callable[P, R]) -> Callable[P, R]:
    """Let a transform say how it is called, where a call is one of another tool's."""

    @public
    @functools.wraps(fn)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        refuse_habits(fn, args, kwargs)
        return fn(*args, **kwargs)

    return called


def refuse_habits(
    fn: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]
) -> None:
    """Raise TypeError for options that a transform does not have, and for arguments of
    the function, which are given to what the transform gives."""
    slots = inspect.signature(fn).parameters
    for name in kwargs:
        if name not in slots:
            raise TypeError(_unknown(fn.__name__, name, list(slots)[1:]))
    named = kwargs.get("wrt") if len(args) < 2 else args[1]
    if len(args) > len(slots) or not _names(named) or _is_called(args[2:]):
        raise TypeError(
            f"`{fn.__name__}(f)` gives a function: the arguments of f go there, "
            f"{fn.__name__}(f)(...)"
        )


def refuse_option(who: str, name: str, options: Sequence[str]) -> None:
    """Raise TypeError for an option of another tool."""
    if name in OPTIONS:
        raise TypeError(_unknown(who, name, options))


def _unknown(who: str, name: str, options: Sequence[str]) -> str:
    text = f"{who} has no option `{name}=`"
    if name in OPTIONS:
        return f"{text}: {OPTIONS[name]}"
    if not options:
        return f"{text}, and no other one"
    return f"{text}; it has {', '.join(f'`{o}=`' for o in options)}"


def _is_called(more: Sequence[object]) -> bool:
    """Whether what stands behind `wrt` is no option."""
    return any(not isinstance(value, (bool, str)) for value in more)


def _names(wrt: object) -> bool:
    """Whether a value can name arguments: names, positions."""
    each = wrt if isinstance(wrt, (list, tuple, set, frozenset)) else [wrt]
    return all(
        isinstance(one, (str, numbers.Integral, type(None)))
        and not isinstance(one, bool)
        for one in each
    )
