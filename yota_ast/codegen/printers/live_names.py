"""Names of the user's -> the modules that hold them: `model.SCALE`, read live.

What a text for a file reads of the user's modules it reads through them, at the time of
the call: a scalar that is changed counts, and a model may import its own gradient, for
the imports of the user's modules stand below the functions.

>>> import fractions, math
>>> world = Linked(["x"], {"__name__": "fractions"})
>>> world.bind("math", math, "math", "fractions"), world.bind("a", -2, "a", "")
('math', '(-2)')
>>> world.bind("Fraction", fractions.Fraction, "Fraction", "fractions")
'fractions.Fraction'
>>> [str(imported) for imported in world.modules_read.values()]
['import fractions']
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.codegen.printers.global_names import (
    Globals,
    is_loaded,
    is_number_of_numpy,
)
from yota_ast.errors import SourceUnavailable
from yota_ast.ir.atoms import Const
from yota_ast.ir.entry_tests import Check
from yota_ast.support import public_names
from yota_ast.syntax.names import RESERVED, is_dotted
from yota_ast.syntax.value_literals import literal_text
from yota_ast.syntax.value_paths import PathStep, steps_of

_ABSENT: Final = object()
_LITERALS: Final = (bool, int, float, complex, str, bytes, type(None))
MOST_ITEMS: Final = 100
"""How many numbers of a closure's array or tuple a file may hold."""
MOST_AXES: Final = 12
"""How many items a list may have that is no table of indices."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A module that the text reads: its path, and what the text calls it."""

    path: str
    name: str

    def __str__(self) -> str:
        package, _, own = self.path.rpartition(".")
        alias = "" if own == self.name else f" as {self.name}"
        return (
            f"from {package} import {own}{alias}" if package else f"import {own}{alias}"
        )

    @property
    def top(self) -> str:
        """The package at the top."""
        return self.path.partition(".")[0]


class Linked(Globals):
    """Spells names as a file must: what is bound in no module stays in `bound`."""

    def __init__(
        self, taken: Iterable[str], scope: dict[str, object], own: Iterable[str] = ()
    ) -> None:
        super().__init__(taken, scope, own)
        self.modules_read: dict[str, Imported] = {}
        self.constants: dict[str, str] = {}  # name -> the text of its value

    @property
    def names(self) -> frozenset[str]:
        """The names that locals must keep away from."""
        imported = (m.name for m in self.modules_read.values())
        helpers = self.helpers_named.values()
        own = (*self.bound, "np", "math", *self.libraries, *self.own)
        return frozenset((*own, *helpers, *imported, *self.constants))

    def helper_name(self, helper: Callable[..., object]) -> str:
        """Return what the text calls a helper: it is not for others to import."""
        if helper not in self.helpers_named:
            free = self._free(f"_{helper.__name__.lstrip('_')}")
            self.helpers_named[helper] = free
        return self.helpers_named[helper]

    def bind(self, name: str, value: object, path: str = "", home: str = "") -> str:
        """Return what stands for `value`: a path from its module, or a literal."""
        if isinstance(value, ModuleType) and is_loaded(value):
            return self.imported(value.__name__, name)
        for module, steps in _places(value, path or name, home, self.scope):
            return self.path(self.imported(module), steps)
        text = constant_text(value)
        if text is None:
            return super().bind(name, value, path, home)
        if "np." in text:
            self.module("np")
        if type(value) in _LITERALS or isinstance(value, np.generic):
            return text if text[:1] not in "-+" else f"({text})"
        return self.constant_named(name, text)

    def named(self, value: object, name: str, home: str) -> str:
        """Return the path of what a module holds under a name."""
        return self.bind(name, value, name, home)

    def _bound(self, value: object, home: str) -> str:
        """Return a name for a value without a path: no file can have a nan that is a
        key, which is told by its identity."""
        if isinstance(value, (float, complex)) and value != value:  # noqa: PLR0124
            return super().bind("nan", value)
        return super()._bound(value, home)

    def unchanged(
        self, constants: Iterable[Const], *, shaped: bool
    ) -> tuple[Check, ...]:
        """Return the check that constants which are read live are as they were: masks
        by their type, arrays by their shapes where the text is `shaped`, long lists by
        their lengths, all others by their values."""
        tests, shown = dict[str, None](), dict[str, None]()
        texts = [(self.constant(const), const.value) for const in constants]
        modules = {m.name for m in self.modules_read.values()}
        for text, value in texts:
            if text.partition(".")[0] not in modules or isinstance(value, enum.Enum):
                continue  # a member of an enumeration is what it was
            if isinstance(value, np.ndarray):
                if value.dtype == np.bool_:
                    tests[f"{text}.dtype != {self.builtin('bool')}"] = None
                if shaped:
                    tests[f"{self.module('np')}.shape({text}) != {value.shape}"] = None
                of = "a mask " if value.dtype == np.bool_ else ""
                shown[f"{of}{text}{f' {value.shape}' if shaped else ''}"] = None
            elif isinstance(value, (tuple, list)) and len(value) > MOST_AXES:
                tests[f"{self.builtin('len')}({text}) != {len(value)}"] = None
                shown[f"len({text}) = {len(value)}"] = None
            else:
                same = value is None or isinstance(value, bool)
                known = self._known(text, value)
                tests[f"{text} {'is not' if same else '!='} {known}"] = None
                shown[f"{text} = {known}"] = None
        if not tests:
            return ()
        return (Check(" or ".join(tests), f"made for {', '.join(shown)}"),)

    def _known(self, name: str, value: object) -> str:
        text = constant_text(value)
        if text is None:
            raise SourceUnavailable(
                f"the gradient holds for one value of {name}, which cannot be written "
                "to a file",
                remedy="Make it an argument.",
            )
        if "np." in text:
            self.module("np")
        return text

    def imported(self, path: str, wanted: str = "") -> str:
        """Return the name of a module; another one where it clashes."""
        if path in ("numpy", "math"):
            return self.module("np" if path == "numpy" else path)
        known = self.modules_read.get(path)
        if known is None:
            name = self._free(wanted or path.rpartition(".")[2])
            known = self.modules_read[path] = Imported(path, name)
        return known.name

    def constant_named(self, name: str, text: str) -> str:
        """Return the name of a constant of the file's own."""
        base = f"_{name.lstrip('_')}"
        for known, value in self.constants.items():
            if value == text and known.rstrip("_0123456789") == base:
                return known
        free = self._free(base)
        self.constants[free] = text
        return free

    def _free(self, name: str) -> str:
        taken = (
            self.locals | RESERVED | self.names | {"np", "math", *public_names.SHORT}
        )
        candidate, number = name, 1
        while candidate in taken:
            number += 1
            candidate = f"{name}_{number}"
        return candidate


def _places(
    value: object, path: str, home: str, scope: dict[str, object]
) -> Iterable[tuple[str, tuple[PathStep, ...]]]:
    """Yield where a value is found: modules, and the steps in each."""
    own = getattr(value, "__module__", None) if callable(value) else None
    qualified = str(_attribute(value, "__qualname__", path))
    seen = [(home, path), (str(scope.get("__name__", "")), path), (own, qualified)]
    if isinstance(own, str) and own.startswith("_"):  # what is made in C for `bisect`
        seen.insert(0, (own.lstrip("_"), qualified))
    for module, text in seen:
        if not is_dotted(module) or module == "__main__":
            continue
        root, rest = steps_of(text) or ("", ())
        steps: tuple[PathStep, ...] = (("attr", root), *rest)
        if any(kind == "item" for kind, _ in steps) or not root:
            continue
        found: object = sys.modules.get(str(module), _ABSENT)
        for _, step in steps:
            found = _attribute(found, str(step), _ABSENT)
        unwrapped = _attribute(found, "__wrapped__", _ABSENT)
        if found is value:
            yield str(module), steps
        elif unwrapped is value and isinstance(value, Callable):  # type: ignore[arg-type]
            yield str(module), (*steps, ("attr", "__wrapped__"))


def _attribute(value: object, name: str, default: object) -> object:
    """An attribute; a user's `__getattr__` may raise what it likes."""
    try:
        return getattr(value, name, default)
    except Exception:  # noqa: BLE001
        return default


def constant_text(value: object) -> str | None:
    """Return the text of a value, or None where there is no short one.

    >>> constant_text((1.5, "a")), constant_text(np.arange(3))
    ("(1.5, 'a')", 'np.array([0, 1, 2])')
    """
    if type(value) is np.ndarray:
        if value.size > MOST_ITEMS or value.dtype.kind not in "biufc":
            return None
        usual = value.dtype in (np.dtype(float), np.dtype(int), np.dtype(bool))
        dtype = "" if usual else f", dtype=np.{value.dtype.name}"
        text = _spelled_out(value.tolist())
        return None if text is None else f"np.array({text}{dtype})"
    if is_number_of_numpy(value) and value.dtype.kind in "biufc":
        text = _spelled_out(value.item())
        return None if text is None else f"np.{value.dtype.name}({text})"
    return _spelled_out(value)


def _spelled_out(value: object) -> str | None:
    text = literal_text(value)
    if text is not None and (type(value) is not tuple or len(value) <= MOST_ITEMS):
        return text
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        if len(value) > MOST_ITEMS:
            return None
        items = [_spelled_out(item) for item in value]
        if None in items:
            return None
        inside = ", ".join(map(str, items))
        if isinstance(value, list):
            return f"[{inside}]"
        return f"({inside},)" if len(items) == 1 else f"({inside})"
    if type(value) is dict:
        texts = [(_spelled_out(k), _spelled_out(v)) for k, v in value.items()]
        if len(texts) > MOST_ITEMS or any(None in pair for pair in texts):
            return None
        return f"{{{', '.join(f'{k}: {v}' for k, v in texts)}}}"
    if isinstance(value, (range, slice)):
        kind = type(value).__name__  # of which nothing can be derived
        parts = [_spelled_out(v) for v in (value.start, value.stop, value.step)]
        return None if None in parts else f"{kind}({', '.join(map(str, parts))})"
    if type(value) is float:
        return f"float({literal_text(str(value))})"
    return None
