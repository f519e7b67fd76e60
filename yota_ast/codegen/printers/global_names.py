"""Functions and constants -> how the text calls them, and what it must be given.

NumPy's functions by their public path (`np.linalg.norm`), those of `math` and SciPy
(`special.erf`, below `from scipy import special`) and the builtins by name, runtime
helpers bare (they stand at the bottom of the text), and what is the user's by the name
it has in the user's module, bound in the namespace.
"""

from __future__ import annotations

import builtins
import enum
import functools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import BuiltinMethodType, MethodType, ModuleType
from typing import Any, Final, TypeGuard

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.abstract_values import same_dtype
from yota_ast.ir.atoms import Const
from yota_ast.ir.nodes import Outlined
from yota_ast.ops.spellings import USUAL_NAMES
from yota_ast.support import public_names
from yota_ast.support.helper_functions import is_helper
from yota_ast.support.proxies import is_a
from yota_ast.syntax.names import RESERVED, identifier, is_dotted, is_plain, shown_name
from yota_ast.syntax.value_literals import literal_text, shown_text
from yota_ast.syntax.value_paths import (
    FieldKey,
    PathStep,
    attribute_text,
    follow,
    steps_of,
)

_IMPORTS: Final = {"np": "import numpy as np", "math": "import math"}
_MODULES: Final[dict[str, ModuleType]] = {"np": np, "math": math}
BUILTINS: Final = frozenset(vars(builtins))


@dataclass(frozen=True, slots=True)
class Global:
    """A name that the text reads and does not define.

    path, home: how the user spelled it and in which module, "" where not known.
    """

    name: str
    value: object
    path: str = ""
    home: str = ""


def _is_same(known: Global, value: object, path: str, home: str) -> bool:
    """Whether a name stands for a value: two modules may bind one number anew apart."""
    at = (path, home)
    apart = not callable(value) and not isinstance(value, ModuleType)
    return known.value is value and (not apart or at == (known.path, known.home))


class Globals:
    """Spells what is not local to the function; knows what was asked for.

    taken: names that globals must keep away from, those of the parameters. own: the
    names of the functions that the text itself defines.
    scope: the user's module, in which dotted names are looked up. short: functions of
    the text that are one expression, which is made of texts for their parameters.
    """

    def __init__(
        self,
        taken: Iterable[str],
        scope: dict[str, object],
        own: Iterable[str] = (),
    ) -> None:
        self.scope = scope
        self.own = tuple(own)
        self.locals = frozenset((*taken, *self.own))
        self.bound: dict[str, Global] = {}
        self.modules: set[str] = set()
        self.libraries: dict[str, str] = {}  # the name of a module of SciPy -> its path
        self.helpers: list[Callable[..., object]] = []
        self.helpers_named: dict[Callable[..., object], str] = {}
        self.short: dict[str, Callable[[Sequence[str]], str]] = {}
        self.nameless: dict[str, str] = {}  # values without a path -> their classes
        self._spelled: list[tuple[object, str]] = []

    @property
    def names(self) -> frozenset[str]:
        """The names that locals must keep away from."""
        helpers = self.helpers_named.values()
        found = (*self.bound, "np", "math", *self.libraries, *helpers, *self.own)
        return frozenset(found)

    @property
    def imports(self) -> tuple[str, ...]:
        """The import lines of the text, in order."""
        lines = [_IMPORTS[m] for m in ("math", "np") if m in self.modules]
        found = public_names.import_lines(self.libraries)
        first = [line for line in found if line.startswith("import ")]  # of Python
        return (*first, *lines, *found[len(first) :])

    def function(self, fn: Callable[..., object], spelling: str = "") -> str:
        """Return how the text calls a function."""
        if isinstance(fn, Outlined):
            return fn.name
        if spelling.count("."):
            text = self._alias(fn, spelling)
            if text:
                return text
        for known, text in self._spelled:
            if known is fn:
                return text
        text = self._public(fn) or self._own(fn, spelling)
        self._spelled.append((fn, text))
        return text

    def constant(self, const: Const) -> str:
        """Return how the text calls a constant that has a name, or is no literal."""
        text = const.text or ""
        if type(const.value) is tuple and text.startswith("("):
            named = (getattr(v, "__name__", "") for v in const.value)
            parts = (
                self.constant(Const(v, name or None, getattr(v, "__module__", "")))
                for v, name in zip(const.value, named, strict=True)
            )
            return f"({', '.join(parts)})"
        if text and not is_plain(text):
            return self._reached(text, const.value, const.home)
        public = self._public(const.value)
        if public:
            return public
        if isinstance(const.value, np.dtype) and not const.home:
            called = _told_by(const.value)
            if called is not None:
                return f"{self.module('np')}.dtype({self.literal(called)})"
        if not text:
            return self._nameless(const.value, const.home)
        return self.bind(text, const.value, text, const.home)

    def _nameless(self, value: Any, home: str) -> str:
        """Return a name for what the program calls by none, as it does keys."""
        if is_number_of_numpy(value):
            return f"{self.function(type(value))}({self.literal(value.item())})"
        if _is_member(value):
            return self._member(value)
        name = getattr(value, "__name__", None)
        if isinstance(name, str) and name:
            return self.bind(identifier(name), value, "", home)
        known = _name_in(self.scope, value) or _name_in(_module_of(value), value)
        if known is not None:
            return self.named(value, *known)
        return self._bound(value, home)

    def _bound(self, value: object, home: str) -> str:
        name = self.bind(_called(value), value, "", home)
        self.nameless[name] = shown_name(type(value).__name__)
        return name

    def named(self, value: object, name: str, home: str) -> str:
        """Return a name for what a module holds under one: of a key it is no matter
        what the module holds later."""
        return self.bind(name, value)

    def _member(self, member: Any) -> str:
        """Return the path of a member of an enumeration: `Unit.METER`."""
        cls = type(member)
        path = cls.__qualname__
        root = self.bind(identifier(cls.__name__), cls, path, cls.__module__)
        return self.field(root, member.name)

    def literal(self, value: object) -> str:
        """Return a literal, or the name of a value that has none."""
        text = literal_text(value)
        if text is None and type(value) is tuple:
            items = [self.literal(item) for item in value]
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        if text is None and type(value) in (float, complex):
            return self._without_digits(value)
        if type(value) is complex and text is not None and text.startswith("complex"):
            return f"{self.builtin('complex')}{text.removeprefix('complex')}"
        return self.constant(Const(value)) if text is None else text

    def _without_digits(self, value: object) -> str:
        """Return `np.inf`, `-np.inf`, `np.nan`, or a complex number of such."""
        if isinstance(value, complex):
            parts = f"{self.literal(value.real)}, {self.literal(value.imag)}"
            return f"{self.builtin('complex')}({parts})"
        sign = "-" if value == -math.inf else ""
        return f"{sign}{self.module('np')}.{'nan' if value != value else 'inf'}"  # noqa: PLR0124

    def key(self, key: object) -> str:
        """Return what stands for the key of a container; nan is a key by identity."""
        if type(key) is tuple:
            items = [self.key(item) for item in key]
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        return self._bound(key, "") if _is_nan(key) else self.literal(key)

    def field(self, owner: str, name: object) -> str:
        """Return what reads a field: `m.W`."""
        text = attribute_text(owner, name)
        if text.startswith("getattr(") and not is_plain(name):
            return f"{self.builtin('getattr')}{text.removeprefix('getattr')}"
        return text

    def path(self, root: str, steps: Iterable[PathStep]) -> str:
        """Return what reads a part of what a name stands for."""
        text = root
        for kind, step in steps:
            if type(step) is FieldKey:
                text = self.field(text, step.field)
            elif kind == "item":
                text = f"{text}[{self.key(step)}]"
            else:
                text = self.field(text, step)
        return text

    def bind(self, name: str, value: object, path: str = "", home: str = "") -> str:
        """Return a name that is bound to `value` where the text runs."""
        name = candidate = name if is_plain(name) else identifier(shown_text(name))
        number = 1
        while True:
            known = self.bound.get(candidate)
            if known is not None and _is_same(known, value, path or name, home):
                return candidate
            free = candidate not in self.locals and candidate not in RESERVED
            free = free and candidate not in self.helpers_named.values()
            known_import = candidate in _IMPORTS or candidate in public_names.SHORT
            if known is None and free and not known_import:
                self.bound[candidate] = Global(candidate, value, path or name, home)
                return candidate
            number += 1
            candidate = f"{name}_{number}"

    def module(self, name: str) -> str:
        """Return the name of numpy ("np") or math, whose import is then needed."""
        self.modules.add(name)
        return name

    def library(self, path: str) -> str:
        """Return the name of a library's module; another one if a parameter has it."""
        package, _, name = path.rpartition(".")
        name = f"{package.partition('.')[0]}_{name}" if name in self.locals else name
        self.libraries[name] = path
        return name

    def note(self, module: ModuleType) -> None:
        """Note that the text uses a module, as a helper in it does."""
        if module.__name__ in public_names.MODULES:
            self.libraries[module.__name__.rpartition(".")[2]] = module.__name__
        self._public(module)

    def helper_name(self, helper: Callable[..., object]) -> str:
        """Return what the text calls a helper that stands at its bottom."""
        if helper not in self.helpers_named:
            taken = {*self.locals, *self.bound, *self.helpers_named.values()}
            name, number = helper.__name__, 1
            while name in taken:
                number += 1
                name = f"{helper.__name__}_{number}"
            self.helpers_named[helper] = name
        return self.helpers_named[helper]

    def builtin(self, name: str) -> str:
        """Return the name of a builtin; another one if a parameter shadows it."""
        if name in self.locals:
            return self.bind(name, getattr(builtins, name), name, "builtins")
        return name

    # ------------------------------------------------------------ where things are

    def _public(self, value: object) -> str:
        """Return the path of what NumPy, math, builtins or the runtime define."""
        name = getattr(value, "__name__", "")
        if is_a(value, ModuleType):
            if value is np:
                return self.module("np")
            known = value.__name__ in (*public_names.STANDARD, *public_names.MODULES)
            if known and is_loaded(value):
                return self.library(value.__name__)
            return self.module("math") if value is math else ""
        found = public_names.path_in_python(value) or public_names.public_path(value)
        if found is not None:
            module, *inner = public_names.WITHIN.get(found[0], found[:1])
            steps = [*inner, *found[1].split(".")]
            return functools.reduce(self.field, steps, self.library(module))
        if not isinstance(name, str) or not name:
            return ""
        owner = getattr(value, "__self__", None)
        if isinstance(owner, np.ufunc):
            path = self._public(owner) if getattr(owner, name, None) == value else ""
            return self.field(path, name) if path else ""
        for prefix, module in _NUMPY:
            # By `vars`, for np.str warns. What is not imported holds nothing more.
            if vars(sys.modules.get(module, np)).get(name) is value:
                self.module("np")
                return self.field(prefix, USUAL_NAMES.get(name, name))
        if getattr(math, name, None) is value:
            return self.field(self.module("math"), name)
        if name in BUILTINS and getattr(builtins, name) is value:
            return self.builtin(name)
        if callable(value) and is_helper(value):
            if value not in self.helpers:
                self.helpers.append(value)
            return self.helper_name(value)
        home = getattr(value, "__objclass__", None)  # a method: np.ndarray.reshape
        if home is not None:
            path = self._public(home) if getattr(home, name, None) is value else ""
            return self.field(path, name) if path else ""
        return ""

    def _alias(self, fn: object, spelling: str) -> str:
        """Return the user's own path to what NumPy has under several names."""
        root, *steps = spelling.split(".")
        found: object = np if root == "np" else self.scope.get(root)
        if found is not np:
            return ""
        for step in steps:
            found = getattr(found, step, None)
        if found is not fn:
            return ""
        return functools.reduce(self.field, steps, self.module("np"))

    def _own(self, fn: Callable[..., object], spelling: str) -> str:
        name = spelling or getattr(fn, "__name__", "") or type(fn).__name__
        home = getattr(fn, "__module__", "") or ""
        if "." in name:
            return self._reached(name, fn, home)
        return self.bind(identifier(name), fn, name, home)

    def _reached(self, text: str, value: object, home: str) -> str:
        """Return a path whose first name is bound, `TABLE["a"].rate`, if it leads to
        `value`; else a name for that."""
        root, steps = steps_of(text) or ("", ())
        for start in self._starts(root, home) if steps else ():
            if not _leads_to(start, steps, value):
                continue
            if start is np or start is math:
                root = self.module("np" if start is np else "math")
            else:
                root = self.bind(root, start, root, home)
            return self.path(root, steps)
        return self.bind(identifier(shown_text(text)), value, text, home)

    def _starts(self, name: str, home: str) -> Iterator[object]:
        """What the first name of a path may stand for, in the module that has it first:
        elsewhere something else may be called so."""
        own, module = _MODULES.get(name), sys.modules.get(home)
        if own is not None and own.__name__ == home:
            yield own
        if module is not None and name in vars(module):
            yield vars(module)[name]
        if name in self.scope:
            yield self.scope[name]
        elif own is not None:
            yield own
        if module is not None:  # of what is read from a module, it is the home
            yield module


def _is_one(found: object, value: object) -> bool:
    """Whether a path leads to a value: to itself, or to one that is made anew at each
    reading, as the methods of an object and what a property computes."""
    if found is value or type(found) is not type(value):
        return found is value
    if isinstance(found, (MethodType, BuiltinMethodType)):
        return found == value
    if isinstance(found, np.ndarray) and isinstance(value, np.ndarray):
        return same_dtype(found.dtype, value.dtype) and np.array_equal(found, value)
    return Const(found) == Const(value)


def _leads_to(start: object, steps: Sequence[PathStep], value: object) -> bool:
    """Whether a path leads from a value to another."""
    try:
        found = follow(start, steps)
    except Exception:  # noqa: BLE001  of a user's property or class
        return False
    by_names = all(kind == "attr" for kind, _ in steps)
    return _is_one(found, value) if by_names else found is value


def is_number_of_numpy(value: object) -> TypeGuard[np.generic]:
    """Whether a value is one of NumPy's own numbers, and no object of a user's class
    derived from theirs."""
    if not isinstance(value, np.generic) or type(value) is not value.dtype.type:
        return False
    return value.dtype.kind in "biufcSU" and type(value) is not np.longdouble


def is_loaded(module: ModuleType) -> bool:
    """Whether an import gives a module: its name can be set to anything."""
    name = module.__name__
    return is_dotted(name) and sys.modules.get(name) is module


def _is_nan(value: Any) -> bool:
    """Whether a value is a number that does not equal itself."""
    number = isinstance(value, (float, complex)) or is_number_of_numpy(value)
    return bool(number and value != value)  # noqa: PLR0124


def _module_of(value: object) -> Mapping[str, object]:
    """The names of the module that defines the class of a value."""
    module = sys.modules.get(str(getattr(type(value), "__module__", "")))
    return {} if module is None or module is builtins else vars(module)


def _name_in(scope: Mapping[str, object], value: object) -> tuple[str, str] | None:
    """The name that a module has for a value, and the module's own."""
    if type(value) in (int, float, complex):  # Python may have one of many equal ones
        return None
    home = scope.get("__name__")
    names = (name for name, held in tuple(scope.items()) if held is value)
    found = next(filter(is_plain, names), None)
    return None if found is None else (found, home if isinstance(home, str) else "")


def _told_by(dtype: np.dtype) -> str | None:
    """A string that stands for a dtype; None of one with fields.

    >>> _told_by(np.dtype(float)), _told_by(np.dtype(">f4"))
    ('float64', '>f4')
    """
    if np.dtype(dtype.str) != dtype:
        return None
    return dtype.name if dtype.isnative and dtype.kind in "biufc" else dtype.str


def _called(value: object) -> str:
    """What to call a value without a name: after its class, if that is a user's."""
    cls = type(value)
    if cls.__module__ in ("builtins", "numpy"):
        return "constant"
    return identifier(cls.__name__.lower())


def _is_member(value: object) -> bool:
    """Whether an enumeration has the value by a name; `A | B` of flags has none."""
    if not isinstance(value, enum.Enum):
        return False
    name = value.name  # `A | B` has none, or one of both
    return type(name) is str and type(value).__members__.get(name) is value


_NUMPY: Final = (
    ("np", "numpy"),
    ("np.linalg", "numpy.linalg"),
    ("np.fft", "numpy.fft"),
    ("np.random", "numpy.random"),
    ("np.lib.stride_tricks", "numpy.lib.stride_tricks"),
    ("np.emath", "numpy.lib.scimath"),
    ("np.polynomial", "numpy.polynomial"),
    ("np.polynomial.polynomial", "numpy.polynomial.polynomial"),
    ("np.strings", "numpy.strings"),
    ("np.char", "numpy.char"),
    ("np.ma", "numpy.ma"),
    ("np.testing", "numpy.testing"),
)
"""What a text calls NumPy's modules, some of which NumPy imports when they are asked
for: what is not imported yet holds no function that a program could have named."""
