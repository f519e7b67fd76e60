"""Statements about functions, function by function -> one record for each.

NumPy's and Python's functions are keys themselves. Functions of libraries that may not
be imported yet (SciPy, numpy.random) are keyed by module and name.

>>> made = Registry()
>>> made.state(*named("math", "sin cos"), elementwise=True)
>>> made.state(Path("scipy.special", "erf"), elementwise=True)
>>> import math
>>> made.info(math.cos).elementwise, made.info(math.tan).elementwise
(True, False)
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, MethodDescriptorType
from typing import Any, Final, Protocol

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.errors import InternalError
from yota_ast.ops.record import UNKNOWN, OpInfo
from yota_ast.support.helper_functions import is_helper
from yota_ast.support.public_names import is_of_scipy, public_path

Fn = Callable[..., Any]
_LASTING: Final = (BuiltinFunctionType, MethodDescriptorType)
_LATER: Final = (
    "scipy", "numpy.random", "numpy.ma", "numpy.fft", "numpy.polynomial.polynomial",
    "statistics", "runtime",
)  # fmt: skip
"""Libraries, and the helpers that need them, which may not be imported yet."""


@dataclass(frozen=True, slots=True)
class Path:
    """A function by its public module and its name there. `*.pdf` stands for the method
    of every object of the module."""

    module: str
    name: str


def named(module: str, names: str) -> tuple[Fn | Path, ...]:
    """Functions of a module by their names; those that this version lacks are left out.

    >>> named("numpy", "sin no_function_of_numpy"), named("scipy.special", "erf")
    ((<ufunc 'sin'>,), (Path(module='scipy.special', name='erf'),))
    """
    if module.startswith(_LATER):
        return tuple(Path(module, name) for name in names.split())
    owner = _resolved(module)
    found = (getattr(owner, name, None) for name in names.split())
    return tuple(fn for fn in found if fn is not None)


def _resolved(path: str) -> object:
    """A module, or a class in one: `numpy.ndarray`."""
    module, _, name = path.rpartition(".")
    if module and hasattr(importlib.import_module(module), name):
        return getattr(sys.modules[module], name)
    return importlib.import_module(path)


class Rules(Protocol):
    """The rule book, as far as the registry knows it."""

    version: int

    def stated(self, fn: Fn) -> Mapping[str, object]:
        """The properties of a function that its rules state, as fields of OpInfo."""


class Registry:
    """What is stated of each function. One instance, `REGISTRY`."""

    def __init__(self) -> None:
        self._stated: dict[Fn | Path, dict[str, object]] = {}
        self._known: dict[Fn, OpInfo] = {}
        self._version = -1
        self.rules: Rules | None = None
        """The rule book enters itself here; the registry imports no rule."""

    def state(self, *fns: Fn | Path, **properties: object) -> None:
        """Say something of functions. InternalError where it has been said before."""
        self._known.clear()
        for fn in fns:
            known = self._stated.setdefault(fn, {})
            for name, value in properties.items():
                if known.setdefault(name, value) is not value:
                    raise InternalError(f"`{name}` of {fn!r} is stated twice")

    def info(self, fn: object) -> OpInfo:
        """The record of a function; of one that is unknown, the record of defaults."""
        rules = self.rules
        if rules is not None and rules.version != self._version:
            self._known.clear()
            self._version = rules.version
        try:
            known = self._known.get(fn)  # type: ignore[call-overload]
        except TypeError:  # not hashable
            return UNKNOWN
        return self._found(fn) if known is None else known  # type: ignore[arg-type]

    def stating(self, name: str) -> tuple[Fn | Path, ...]:
        """The functions of which a property is stated here, and not in a rule."""
        return tuple(fn for fn, stated in self._stated.items() if name in stated)

    def _found(self, fn: Fn) -> OpInfo:
        properties: dict[str, Any] = dict(
            self.rules.stated(fn) if self.rules is not None else {}
        )
        keys: tuple[Fn | Path, ...] = (fn, *_paths_of(fn))
        for key in keys:
            properties.update(self._stated.get(key, {}))
        if not properties and not isinstance(fn, _LASTING):
            return UNKNOWN  # and not kept: it may be a function of the user's
        found = replace(UNKNOWN, **properties) if properties else UNKNOWN
        self._known[fn] = found
        return found


def _paths_of(fn: Fn) -> tuple[Path, ...]:
    """The keys of a function of a library that is imported late."""
    home = str(getattr(fn, "__module__", None) or "")
    name = str(getattr(fn, "__name__", ""))
    owner = type(getattr(fn, "__self__", None))
    if is_helper(fn):
        return (Path("runtime", name),)
    if is_of_scipy(fn) or is_of_scipy(owner):
        module, name = public_path(fn) or (home.partition("._")[0], name)
        return (Path(module, name), Path(module, f"*.{name.rpartition('.')[2]}"))
    for module in _LATER:
        if home.startswith(module) or owner.__module__.startswith(module):
            return (Path(module, name),)
    return ()


REGISTRY: Final = Registry()
state = REGISTRY.state
info = REGISTRY.info
