"""The rule book -> a table of the functions that have a derivative, and of which kind.

>>> [entry.name for entry in found("norm")]
['np.linalg.norm', 'scipy.linalg.norm']
>>> entry = found("numpy.linalg.norm")[0]
>>> entry.gradient, entry.keywords
(('x',), ('ord', 'axis', 'keepdims'))
"""

from __future__ import annotations

import builtins
import cmath
import functools
import importlib
import importlib.util
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, Final

import numpy as np

from yota_ast import pipeline as _pipeline  # noqa: F401  the built-in rules enter the book
from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.frontend.desugar.numpy_calls import MODELS
from yota_ast.frontend.library.builtin_functions import LAZY, REPLACEMENTS
from yota_ast.ops import writes
from yota_ast.rules.notation.bind import keywords_of
from yota_ast.rules.notation.display_names import display_name, is_library
from yota_ast.rules.notation.rule import BOOK
from yota_ast.rules.notation.rule_records import Rule
from yota_ast.solvers.solver_functions import SOLVERS
from yota_ast.support.public_names import MODULES

LIBRARIES: Final = (
    ("np.linalg", "numpy.linalg"),
    ("np.fft", "numpy.fft"),
    ("np.random", "numpy.random"),
    ("np.ndarray", "methods of arrays"),
    ("np", "NumPy"),
    ("math", "math"),
    ("cmath", "cmath"),
    ("operator", "operators"),
    ("complex", "Python"),
    ("", "Python"),
)
"""How the names of a library begin, and what it is called; the first that fits."""
_NAMESPACES: Final[tuple[tuple[str, ModuleType], ...]] = (
    ("np", np), ("np.linalg", np.linalg), ("np.fft", np.fft), ("math", math),
    ("cmath", cmath), ("operator", operator), ("", builtins),
    ("functools", functools), ("itertools", itertools),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """A function and its rules.

    gradient: the parameters in which it has a derivative. keywords: those that the
    rules support, beside the first parameter. solved: what of a function that it is
    given is looked for; it has a derivative by what it finds.
    """

    name: str
    library: str
    rules: tuple[Rule, ...] = ()
    gradient: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    solved: str = ""

    @property
    def settings(self) -> tuple[str, ...]:
        """The keywords in which there is no derivative."""
        return tuple(name for name in self.keywords if name not in self.gradient)

    @property
    def names(self) -> frozenset[str]:
        """All that a user may call it."""
        known = {self.name, *self.aliases}
        return frozenset(
            n for name in known for n in (name, name.replace("np.", "numpy.", 1))
        )


_WITH_RULES = (*MODULES, "scipy.sparse", "scipy.sparse.linalg")


@functools.cache
def has_scipy() -> bool:
    """Whether SciPy is there, of which the rules then are listed too."""
    return importlib.util.find_spec("scipy") is not None


def entries() -> tuple[Entry, ...]:
    """All functions of libraries that have rules, by name."""
    BOOK.open_chapters(("numpy.random",))
    if has_scipy():
        for name in _WITH_RULES:
            importlib.import_module(name)
        BOOK.open_chapters(_WITH_RULES)
    return _entries(BOOK.version)


@functools.lru_cache(1)
def _entries(version: int) -> tuple[Entry, ...]:
    """Those of one version of the book."""
    made: dict[str, Entry] = {}
    aliases = _aliases()
    for fn in BOOK.primitives():
        rules = BOOK.rules_of(fn)
        if rules and is_library(fn):
            entry = _entry(fn, rules, aliases.get(id(fn), ()))
            # Calls of objects that others make are left out.
            if "._" not in entry.name and not _is_of_made(fn):
                made.setdefault(entry.name, entry)
    if has_scipy():
        for (module, name), solver in SOLVERS.items():
            held = ("what it holds", *solver.active)
            made[f"{module}.{name}"] = Entry(
                f"{module}.{name}", module, gradient=held, solved=solver.kind
            )
    return tuple(sorted(made.values(), key=lambda entry: entry.name.lower()))


def _is_of_made(fn: Any) -> bool:
    """Whether a function is a method of objects that others make: `SuperLU.solve`."""
    cls = getattr(fn, "__objclass__", None)
    name = getattr(cls, "__name__", "")
    return getattr(cls, "__module__", "") == "builtins" and not hasattr(builtins, name)


def _entry(fn: Any, rules: tuple[Rule, ...], aliases: Sequence[str]) -> Entry:
    name = _full_name(fn)
    active = {p for rule in rules for p in rule.adjoints if p not in rule.zero}
    order = dict.fromkeys(p for rule in rules for p in rule.parameters)
    gradient = tuple(p for p in order if p in active)
    return Entry(
        name, _library(name), rules, gradient, keywords_of(fn, rules),
        tuple(alias for alias in aliases if alias != name),
    )  # fmt: skip


def _full_name(fn: Any) -> str:
    """A function as users write it, `scipy` where it is SciPy's."""
    name = display_name(fn)
    first = name.partition(".")[0]
    short = {module.split(".")[1] for module in MODULES}
    return f"scipy.{name}" if first in short else name


def _library(name: str) -> str:
    if name.startswith("scipy."):
        return ".".join(name.split(".")[:2])
    for beginning, library in LIBRARIES:
        if not beginning or name == beginning or name.startswith(f"{beginning}."):
            return library
    return ""


def _aliases() -> dict[int, list[str]]:
    """The public names of functions, by identity: `np.abs` of `np.absolute`."""
    found: dict[int, list[str]] = {}
    for prefix, module in _NAMESPACES:
        for name in sorted(vars(module)):
            value = vars(module)[name]
            if callable(value) and not name.startswith("_"):
                full = f"{prefix}.{name}" if prefix else name
                found.setdefault(id(value), []).append(full)
    return found


# ---------------------------------------------------------------- one name


def found(name: str) -> tuple[Entry, ...]:
    """The entries of a name: that of a function, or how it ends."""
    everything = entries()
    whole = tuple(entry for entry in everything if name in entry.names)
    if whole and "." in name:
        return whole
    ending = f".{name}"
    return whole + tuple(
        entry for entry in everything
        if entry not in whole and any(n.endswith(ending) for n in entry.names)
    )  # fmt: skip


def followed(name: str) -> bool:
    """Whether calls of a function are followed by the compiler, without a rule."""
    handled = (*REPLACEMENTS, *MODELS, *LAZY)
    fn = resolved(name)
    if fn is None:
        return False
    outer = isinstance(getattr(fn, "__self__", None), np.ufunc)
    return outer or bool(writes(fn)) or any(fn is known for known in handled)


def resolved(name: str) -> Callable[..., object] | None:
    """The function of a library that has this name."""
    name = name.replace("numpy.", "np.", 1)
    for prefix, module in _NAMESPACES:
        inner = name.removeprefix(f"{prefix}.") if prefix else name
        value: Any = module
        for part in inner.split("."):
            value = getattr(value, part, None)
        if callable(value):
            return value  # type: ignore[no-any-return]
    return None


def all_names() -> Iterator[str]:
    """The names by which functions are asked for."""
    for entry in entries():
        yield from sorted({entry.name, *entry.aliases})


# ---------------------------------------------------------------- together


@dataclass(frozen=True, slots=True)
class Family:
    """Entries that one line of a table tells: methods of one distribution."""

    name: str
    methods: tuple[str, ...]
    entry: Entry


def families(listed: Sequence[Entry]) -> tuple[Family, ...]:
    """Entries of which those of one owner, supported alike, stand together."""
    groups: dict[tuple[object, ...], list[Entry]] = {}
    for entry in listed:
        owner = entry.name.rpartition(".")[0]
        alike: tuple[object, ...] = (entry.name,)
        if owner.count(".") > 1 and entry.library == "scipy.stats":
            alike = (owner, entry.gradient, entry.keywords)
        groups.setdefault(alike, []).append(entry)
    made = []
    for group in groups.values():
        owner, _, _ = group[0].name.rpartition(".")
        methods = tuple(entry.name.rpartition(".")[2] for entry in group)
        single = len(group) == 1
        made.append(
            Family(group[0].name if single else owner, () if single else methods,
                   group[0])
        )  # fmt: skip
    return tuple(made)


def by_library(listed: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Entries by library, NumPy's and Python's before SciPy's."""
    first = ("NumPy", "numpy.linalg", "numpy.fft", "numpy.random", "methods of arrays",
             "Python", "operators", "math", "cmath")  # fmt: skip
    groups: dict[str, list[Entry]] = {name: [] for name in first}
    for entry in listed:
        groups.setdefault(entry.library, []).append(entry)
    return {name: group for name, group in groups.items() if group}
