"""A call of NumPy -> why JAX's function of that name does not take it.

>>> import numpy as np
>>> refusal("eye", jax_function(np.eye), 1, ["dtype"]), jax_function(np.save)
('', None)
>>> refusal("meshgrid", jax_function(np.meshgrid), 2, ["order"])
"JAX's `meshgrid` takes no `order`"
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import cache, reduce
from typing import Any, get_args

import jax
import jax.numpy as jnp
import numpy as np

from yota_ast.ops.registry import info
from yota_ast.support.public_names import public_path


@cache
def jax_function(fn: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return the function of JAX that stands for one of NumPy or SciPy."""
    found: Any = None
    if info(fn).in_jax == "scipy":
        module, name = public_path(fn) or ("scipy.special", fn.__name__)
        found = reduce(getattr, [*module.split("."), name], jax)
        return found if callable(found) else None
    if info(fn).in_jax != "numpy":
        return None
    name = fn.__name__
    if getattr(fn, "__objclass__", None) is np.ndarray:
        found = getattr(jax.Array, name, None)
    else:
        home = (getattr(fn, "__module__", None) or "numpy").removeprefix("numpy")
        owner = jnp
        for part in filter(None, home.split(".")):
            owner = getattr(owner, part, jnp)
        found = getattr(owner, name, None)
    return found if callable(found) else None


def refusal(
    name: str, fn: Callable[..., Any] | None, count: int, keywords: Iterable[str]
) -> str:
    """Return why a function of JAX does not take so many arguments and these keywords;
    "" if it does."""
    parameters = _parameters(fn)
    if parameters is None:
        return ""
    kinds = {p.kind for p in parameters}
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        names = {p.name for p in parameters}
        for keyword in keywords:
            if keyword not in names:
                return f"JAX's `{name}` takes no `{keyword}`"
    positional = [
        p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    if inspect.Parameter.VAR_POSITIONAL not in kinds and count > len(positional):
        return f"JAX's `{name}` does not take {count} arguments"
    return ""


def takes_arrays_alone(fn: Callable[..., Any] | None, argument: int | str) -> bool:
    """Say whether an argument, by its position or name, has to be an array or a number,
    and no list."""
    if isinstance(fn, jnp.ufunc):
        return True
    parameters = _parameters(fn)
    if not parameters:
        return False
    names = [p.name for p in parameters]
    if isinstance(argument, str):
        argument = names.index(argument) if argument in names else len(names)
    found = parameters[min(argument, len(parameters) - 1)]
    if found.annotation is inspect.Parameter.empty:
        return fn is not jnp.array
    kinds = get_args(found.annotation) or str(found.annotation).split(" | ")
    if any("Sequence" in str(kind) for kind in kinds):
        return False  # of a sequence JAX knows the numbers under `jax.jit`
    return "ArrayLike" in kinds or jax.Array in kinds


def takes_a_row_of_arrays(fn: Callable[..., Any] | None, argument: int) -> bool:
    """Say whether an argument is a sequence of arrays, none of which is a list."""
    parameters = _parameters(fn) or ()
    if isinstance(fn, jnp.ufunc) or not argument < len(parameters):
        return False
    return "Sequence[ArrayLike]" in str(parameters[argument].annotation)


def _parameters(fn: Any) -> Sequence[inspect.Parameter] | None:
    try:
        return tuple(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        return None
