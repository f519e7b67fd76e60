# What type checkers read of the package: its public names, with the types of what the
# functions give. tests/test_types.py compares it with the code.
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, ParamSpec, Protocol, TypeAlias, TypeVar, overload

import numpy as np

from yota_ast.api.values.structured_gradients import GradientResult as GradientResult
from yota_ast.codegen.compile import GeneratedFunction
from yota_ast.errors import AmbiguousType as AmbiguousType
from yota_ast.errors import DerivativeWarning as DerivativeWarning
from yota_ast.errors import InternalError as InternalError
from yota_ast.errors import NoRule as NoRule
from yota_ast.errors import RuleError as RuleError
from yota_ast.errors import ShapeError as ShapeError
from yota_ast.errors import SourceUnavailable as SourceUnavailable
from yota_ast.errors import UnsupportedCall as UnsupportedCall
from yota_ast.errors import UnsupportedSyntax as UnsupportedSyntax
from yota_ast.errors import YotaError as YotaError
from yota_ast.ir.tape import Tape
from yota_ast.rules.notation.book import Primitives
from yota_ast.rules.notation.rule_records import Rule
from yota_ast.tools.explain.explained_lines import Explanation
from yota_ast.tools.gradcheck import GradCheck
from yota_ast.version import __version__ as __version__

__all__ = [
    "DIFF_PHS",
    "PRIMITIVES",
    "AmbiguousType",
    "DerivativeWarning",
    "GradientResult",
    "InternalError",
    "NoRule",
    "RuleError",
    "ShapeError",
    "SourceUnavailable",
    "UnsupportedCall",
    "UnsupportedSyntax",
    "YotaError",
    "__version__",
    "broadcast",
    "checkpoint",
    "compile",
    "differentiable",
    "diffrule",
    "diffrule_kw",
    "explain",
    "from_source",
    "grad",
    "gradcheck",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "nodiff",
    "play",
    "primitive",
    "ravel",
    "replace_grad",
    "simplegrad",
    "stop_gradient",
    "to_cuda",
    "to_device",
    "trace",
    "update",
    "value_and_grad",
    "vjp",
    "vmap",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., Any])
_Wrt: TypeAlias = int | str | Sequence[int | str] | None

DIFF_PHS: set[str]
PRIMITIVES: Primitives

class _Differentiable(Protocol[_P, _R]):
    __name__: str
    fn: Callable[_P, _R]
    wrt: tuple[str, ...] | None
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    def grad(self, *args: Any, **kwargs: Any) -> tuple[_R, GradientResult]: ...
    @overload
    def __get__(self, instance: None, owner: type, /) -> _Differentiable[_P, _R]: ...
    @overload
    def __get__(
        self, instance: object, owner: type | None = ..., /
    ) -> _Differentiable[..., _R]: ...
    @property
    def grad_source(self) -> str: ...
    @property
    def tape(self) -> Tape: ...
    def report(self, path: Any) -> Any: ...

class _Decorator(Protocol):
    def __call__(self, fn: Callable[_P, _R], /) -> _Differentiable[_P, _R]: ...

# ---------------------------------------------------------------- derivatives

@overload
def grad(
    f: Callable[_P, Any],
    /,
    *,
    wrt: _Wrt = ...,
    dynamic: bool = ...,
    has_aux: bool = ...,
) -> Callable[_P, Any]: ...
@overload
def grad(
    f: Callable[..., _R],
    /,
    *args: Any,
    wrt: _Wrt = ...,
    seed: Any = ...,
    dynamic: bool = ...,
    has_aux: bool = ...,
    **kwargs: Any,
) -> tuple[_R, GradientResult]: ...
def simplegrad(
    f: Callable[..., Any],
    /,
    *args: Any,
    wrt: _Wrt = None,
    fast: bool = False,
    backend: str = "numpy",
    checkpoint: Mapping[int, str | tuple[str, int]] | None = None,
    options: Mapping[str, object] | None = None,
    **kwargs: Any,
) -> GeneratedFunction: ...
def value_and_grad(
    f: Callable[_P, _R],
    wrt: _Wrt = None,
    *,
    has_aux: bool = False,
    each: _Wrt = None,
) -> Callable[_P, tuple[_R, Any]]: ...
def vjp(
    f: Callable[_P, _R], wrt: _Wrt = None
) -> Callable[_P, tuple[_R, Callable[[Any], Any]]]: ...
def jvp(f: Callable[..., _R], wrt: _Wrt = None) -> Callable[..., tuple[_R, _R]]: ...
def hvp(f: Callable[..., Any], wrt: _Wrt = None) -> Callable[..., Any]: ...
def jacobian(
    f: Callable[_P, Any],
    wrt: _Wrt = None,
    mode: Literal["auto", "forward", "reverse"] = "auto",
    *,
    stack: bool = False,
) -> Callable[_P, Any]: ...
def hessian(f: Callable[_P, Any], wrt: _Wrt = None) -> Callable[_P, Any]: ...
def vmap(
    f: Callable[..., Any], in_axes: int | Sequence[int | None] | None = 0
) -> Callable[..., Any]: ...
@overload
def differentiable(fn: Callable[_P, _R]) -> _Differentiable[_P, _R]: ...
@overload
def differentiable(
    *, wrt: Sequence[str] | None = None, emitted: str | None = None
) -> _Decorator: ...

# ---------------------------------------------------------------- tapes

def trace(
    f: Callable[..., _R],
    /,
    *args: Any,
    primitives: Iterable[Hashable] = (),
    unroll: bool = False,
    tracer: str = "source",
    **kwargs: Any,
) -> tuple[_R, Tape]: ...
def play(tape: Tape, /, *args: Any, **kwargs: Any) -> Any: ...
def from_source(
    text: str, namespace: dict[str, Any] | None = None
) -> dict[str, Any]: ...
def compile(tape: Tape) -> GeneratedFunction: ...  # noqa: A001  a public name

# ---------------------------------------------------------------- parameters

def update(
    m: _T,
    g: Any,
    updater: Callable[[Any, Any], Any] | None = None,
    *,
    ignore: Iterable[object] = (),
) -> _T: ...
def ravel(params: _T) -> tuple[np.ndarray[Any, Any], Callable[[Any], _T]]: ...
def to_cuda(x: _T) -> _T: ...
def to_device(x: _T, device: str) -> _T: ...
def stop_gradient(x: _T) -> _T: ...
def checkpoint(
    steps: range, every: int | None = None, slots: int | None = None
) -> range: ...
def replace_grad(x: _T, fn: Callable[[Any], Any]) -> _T: ...

# ---------------------------------------------------------------- rules

def broadcast(f: Callable[..., Any], *arrays: Any) -> np.ndarray[Any, Any]: ...
@overload
def diffrule(pattern: _F) -> _F: ...
@overload
def diffrule(pattern: str, var: str, expr: str) -> Rule: ...
@overload
def diffrule(**options: Any) -> Callable[[_F], _F]: ...
def diffrule_kw(pattern: str, var: str, expr: str) -> Rule: ...
def nodiff(pattern: str, var: str) -> Rule: ...
def primitive(fn: _F) -> _F: ...

# ---------------------------------------------------------------- looking

def gradcheck(
    f: Callable[..., Any],
    /,
    *args: Any,
    wrt: _Wrt = None,
    directions: int = 2,
    tolerance: float | None = None,
    rng: int = 0,
    **kwargs: Any,
) -> GradCheck: ...
def explain(
    f: Callable[..., Any],
    /,
    *args: Any,
    wrt: _Wrt = None,
    backend: str = "numpy",
    **kwargs: Any,
) -> Explanation: ...
