"""`@differentiable`: a function, at import time -> the same function with a gradient.

Nothing is lowered before the gradient is asked for, so that helpers may be defined
further down the module. The compiler and NumPy are loaded then too: a module with the
decorator is imported within milliseconds.
"""

from __future__ import annotations

import functools
import types
from typing import TYPE_CHECKING, Any, overload

from yota_ast.support.stand_ins import Wrapper
from yota_ast.support.tracebacks import public

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from yota_ast.api.values.structured_gradients import GradientResult
    from yota_ast.ir.tape import Tape
    from yota_ast.tools.emit.fresh_gradients import CheckedIn


class _SignatureOfFunction:
    """The attribute `__signature__`: that of the function, made when it is read."""

    def __get__(
        self, instance: Differentiable | None, owner: type | None = None
    ) -> inspect.Signature:
        if instance is None:  # the class has its own
            raise AttributeError("__signature__")
        import inspect

        return inspect.signature(instance.fn)


class Differentiable(Wrapper):
    """A function with its gradient: `f(...)`, `f.grad(...)`, `f.grad_source`, `f.tape`.

    It may be a method, which is bound as usual. It is pickled by reference.
    """

    __signature__ = _SignatureOfFunction()

    def __init__(
        self,
        fn: Callable[..., Any],
        wrt: Sequence[str] | None = None,
        emitted: str | None = None,
    ) -> None:
        functools.update_wrapper(self, fn)
        self.fn = fn
        self.wrt = None if wrt is None else tuple(wrt)
        self._find_emitted: Callable[[], CheckedIn] | None = None
        if emitted is not None:
            found = functools.partial(_checked_in, fn, emitted, self.wrt)
            self._find_emitted = functools.cache(found)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return self.fn(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<differentiable {self.fn!r}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        # By reference, as functions are; a method by its object.
        if isinstance(self.fn, types.MethodType):
            return getattr, (self.fn.__self__, self.fn.__name__)
        return str(vars(self)["__qualname__"])

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        bound = Differentiable(self.fn.__get__(instance, owner), self.wrt)
        bound._find_emitted = self._find_emitted
        return bound

    @public
    def grad(self, *args: Any, **kwargs: Any) -> tuple[Any, GradientResult]:
        """Return the value and the gradients, as `yota_ast.grad` does."""
        from yota_ast.api.call_target import callee_of
        from yota_ast.api.grad import grad

        if self.wrt is not None:
            kwargs.setdefault("wrt", self.wrt)
        emitted = self.emitted
        if emitted is not None:
            found = emitted.grad(callee_of(self.fn), args, kwargs)
            if found is not None:
                return found
        both: tuple[Any, GradientResult] = grad(self.fn, *args, **kwargs)
        return both

    @property
    def emitted(self) -> CheckedIn | None:
        """The gradient in the file that `emit` wrote; None where no file is named."""
        return None if self._find_emitted is None else self._find_emitted()

    @property
    @public
    def grad_source(self) -> str:
        """The source of the gradient, by the annotations: `show-grad` prints it."""
        from yota_ast.api.traced_tapes import gradient_source

        return gradient_source(self.fn, wrt=self.wrt)

    @public
    def report(self, path: str | Path) -> Path:
        """Write a page that shows the function beside its gradient; return its path."""
        from pathlib import Path

        from yota_ast.api.traced_tapes import gradient_view
        from yota_ast.tools.report.page import page

        target = Path(path)
        view = gradient_view(self.fn, wrt=self.wrt)
        target.write_text(page(view), encoding="utf-8")
        return target

    @property
    @public
    def tape(self) -> Tape:
        """The tape of the function, made from the annotations."""
        from yota_ast.api.traced_tapes import tape_of

        return tape_of(self.fn)


def _checked_in(
    fn: Callable[..., Any], path: str, wrt: tuple[str, ...] | None
) -> CheckedIn:
    """The gradient of a function in a file."""
    from yota_ast.tools.emit.fresh_gradients import CheckedIn

    return CheckedIn(fn, path, wrt)


@overload
def differentiable(fn: Callable[..., Any]) -> Differentiable: ...
@overload
def differentiable(
    *, wrt: Sequence[str] | None = None, emitted: str | None = None
) -> Callable[[Callable[..., Any]], Differentiable]: ...


def differentiable(
    fn: Callable[..., Any] | None = None,
    *,
    wrt: Sequence[str] | None = None,
    emitted: str | None = None,
) -> Any:
    """Give a function its gradient: `@differentiable`, `@differentiable(wrt=["w"])`.

    wrt: the names of the parameters to differentiate, if the call of `f.grad` names no
    others. None means every argument that holds floats.
    emitted: the file that `yota-ast emit` has written, such as `"mypkg/loss_grad.py"`.
    The path starts at the root of the project, or at the folder of the module.
    `f.grad` runs the code of this file if it is fresh. If it is stale or missing,
    `f.grad` compiles, and warns once with the command that writes the file.

    Nothing is compiled when the module is imported. `f.grad` compiles at its first
    call, and raises what `grad` raises.

    >>> @differentiable
    ... def energy(w: float, x: float):
    ...     return 0.5 * w * x**2
    >>> energy(2.0, 3.0), energy.grad(2.0, 3.0, wrt="x")[1]["x"]
    (9.0, 6.0)
    """
    if fn is None:
        return functools.partial(Differentiable, wrt=wrt, emitted=emitted)
    return Differentiable(fn, wrt, emitted)
