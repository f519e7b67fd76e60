"""`@differentiable`: a function, at import time -> the same function with a gradient.

Nothing is lowered before the gradient is asked for, so that helpers may be defined
further down the module.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, overload

from .api import grad, gradient_source, gradient_view, tape_of
from .callee import Wrapper, callee_of
from .emitting.using import CheckedIn
from .objects import GradientResult
from .tape import Tape


class Differentiable(Wrapper):
    """A function with its gradient: `f(...)`, `f.grad(...)`, `f.grad_source`, `f.tape`.

    As a method it is bound like any function. Pickles by reference.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        wrt: Sequence[str] | None = None,
        emitted: str | None = None,
    ) -> None:
        functools.update_wrapper(self, fn)
        self.fn = fn
        self.__signature__ = inspect.signature(fn)
        self.wrt = None if wrt is None else tuple(wrt)
        self.emitted = None if emitted is None else CheckedIn(fn, emitted)

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
        bound.emitted = self.emitted
        return bound

    def grad(self, *args: Any, **kwargs: Any) -> tuple[Any, GradientResult]:
        """The value and the gradients, and the errors, of `yota_ast.grad`."""
        if self.wrt is not None:
            kwargs.setdefault("wrt", self.wrt)
        if self.emitted is not None:
            found = self.emitted.grad(callee_of(self.fn), args, kwargs)
            if found is not None:
                return found
        both: tuple[Any, GradientResult] = grad(self.fn, *args, **kwargs)
        return both

    @property
    def grad_source(self) -> str:
        """The text of the gradient, from the annotations: what `show-grad` prints."""
        return gradient_source(self.fn, wrt=self.wrt)

    def report(self, path: str | Path) -> Path:
        """Write a page that shows the function beside that text; return its path."""
        target = Path(path)
        view = gradient_view(self.fn, wrt=self.wrt)
        target.write_text(view.shown("page"), encoding="utf-8")
        return target

    @property
    def tape(self) -> Tape:
        """The tape of the function, from the annotations."""
        return tape_of(self.fn)


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

    wrt: names of the parameters to differentiate, where `f.grad` is not told others;
    None: every argument that holds floats.

    emitted: the file that `yota-ast emit` has written, `"mypkg/loss_grad.py"`, from the
    root of the project. Where it is fresh, `f.grad` runs what stands in it; where it is
    not, `f.grad` compiles, and warns once with the command that writes it.

    Nothing is compiled when the module is imported: `f.grad` does it at its first
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
