"""Functions and constants -> how the text calls them, and what it must be given.

NumPy's functions by their public path (`np.linalg.norm`), those of `math` and SciPy
(`special.erf`, below `from scipy import special`) and the builtins by name, runtime
helpers bare (they stand at the bottom of the text), and what is the user's by the name
it has in the user's module, bound in the namespace.
"""

from __future__ import annotations

import builtins
import enum
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import BuiltinMethodType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from yota_ast import libraries
from yota_ast.names import RESERVED, identifier
from yota_ast.records import dataclass
from yota_ast.tape import Const, Outlined

_IMPORTS: Final = {"np": "import numpy as np", "math": "import math"}
_MODULES: Final[dict[str, ModuleType]] = {"np": np, "math": math}
_RUNTIME: Final = "yota_ast.runtime"
_BUILTINS: Final = frozenset(vars(builtins))


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
        self.short: dict[str, Callable[[Sequence[str]], str]] = {}
        self._spelled: list[tuple[object, str]] = []

    @property
    def names(self) -> frozenset[str]:
        """The names that locals must keep away from."""
        helpers = map(self.helper_name, self.helpers)
        found = (*self.bound, "np", "math", *self.libraries, *helpers, *self.own)
        return frozenset(found)

    @property
    def imports(self) -> tuple[str, ...]:
        """The import lines of the text, in order."""
        lines = [_IMPORTS[m] for m in ("math", "np") if m in self.modules]
        found = libraries.import_lines(self.libraries)
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
        if "[" in text:
            return self._item(text, const)
        if "." in text:
            return self._dotted(text, const.value, const.home)
        public = self._public(const.value)
        if public:
            return public
        if not text and _is_member(const.value):
            return self._member(const.value)
        if not text:
            name = getattr(const.value, "__name__", "") or "constant"
            return self.bind(identifier(name), const.value, "", const.home)
        return self.bind(text, const.value, text, const.home)

    def _member(self, member: Any) -> str:
        """Return the path of a member of an enumeration: `Unit.METER`."""
        cls = type(member)
        path = cls.__qualname__
        root = self.bind(identifier(cls.__name__), cls, path, cls.__module__)
        return f"{root}.{member.name}"

    def bind(self, name: str, value: object, path: str = "", home: str = "") -> str:
        """Return a name that is bound to `value` where the text runs."""
        candidate, number = name, 1
        while True:
            known = self.bound.get(candidate)
            if known is not None and _is_same(known, value, path or name, home):
                return candidate
            free = candidate not in self.locals and candidate not in RESERVED
            known_import = candidate in _IMPORTS or candidate in libraries.SHORT
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
        if module.__name__ in libraries.MODULES:
            self.libraries[module.__name__.rpartition(".")[2]] = module.__name__
        self._public(module)

    def helper_name(self, helper: Callable[..., object]) -> str:
        """Return what the text calls a helper that stands at its bottom."""
        return helper.__name__

    def builtin(self, name: str) -> str:
        """Return the name of a builtin; another one if a parameter shadows it."""
        if name in self.locals:
            return self.bind(name, getattr(builtins, name), name, "builtins")
        return name

    # ------------------------------------------------------------ where things are

    def _public(self, value: object) -> str:
        """Return the path of what NumPy, math, builtins or the runtime define."""
        name = getattr(value, "__name__", "")
        if isinstance(value, ModuleType):
            if value is np:
                return self.module("np")
            if value.__name__ in (*libraries.STANDARD, *libraries.MODULES):
                return self.library(value.__name__)
            return self.module("math") if value is math else ""
        found = libraries.path_in_python(value) or libraries.public_path(value)
        if found is not None:
            return f"{self.library(found[0])}.{found[1]}"
        if not isinstance(name, str) or not name:
            return ""
        owner = getattr(value, "__self__", None)
        if isinstance(owner, np.ufunc):
            path = self._public(owner)
            return f"{path}.{name}" if path else ""
        for prefix, module in _NUMPY:
            # By `vars`, for np.str warns. What is not imported holds nothing more.
            if vars(sys.modules.get(module, np)).get(name) is value:
                self.module("np")
                return f"{prefix}.{_USUAL.get(name, name)}"
        if getattr(math, name, None) is value:
            return f"{self.module('math')}.{name}"
        if name in _BUILTINS and getattr(builtins, name) is value:
            return self.builtin(name)
        if callable(value) and str(getattr(value, "__module__", "")).startswith(
            _RUNTIME
        ):
            if value not in self.helpers:
                self.helpers.append(value)
            return self.helper_name(value)
        home = getattr(value, "__objclass__", None)  # a method: np.ndarray.reshape
        if home is not None:
            path = self._public(home)
            return f"{path}.{name}" if path else ""
        return ""

    def _alias(self, fn: object, spelling: str) -> str:
        """Return the user's own path to what NumPy has under several names."""
        root, *steps = spelling.split(".")
        found: object = np if root == "np" else self.scope.get(root)
        if found is not np:
            return ""
        for step in steps:
            found = getattr(found, step, None)
        return ".".join((self.module("np"), *steps)) if found is fn else ""

    def _own(self, fn: Callable[..., object], spelling: str) -> str:
        name = spelling or getattr(fn, "__name__", "") or type(fn).__name__
        home = getattr(fn, "__module__", "") or ""
        if "." in name:
            return self._dotted(name, fn, home)
        return self.bind(identifier(name), fn, name, home)

    def _item(self, text: str, const: Const) -> str:
        """Return an item of a global container, `TABLE["a"]`, or a name for it."""
        root = re.split(r"[.\[]", text)[0]
        for start in self._starts(root, const.home) if root.isidentifier() else ():
            try:
                value = eval(text, {}, {root: start})  # noqa: S307  our own text
            except (AttributeError, LookupError, TypeError):
                continue
            if value is const.value:
                bound = self.bind(root, start, root, const.home)
                return bound + text[len(root) :]
        return self.bind(identifier(text), const.value, text, const.home)

    def _dotted(self, text: str, value: object, home: str) -> str:
        """Return a path whose first name is bound, if it leads to `value`."""
        root, *steps = text.split(".")
        for start in self._starts(root, home):
            found = start
            for step in steps:
                found = getattr(found, step, self)
            if not _is_one(found, value):
                continue
            if start is np or start is math:
                root = self.module("np" if start is np else "math")
            else:
                root = self.bind(root, start, root, home)
            return ".".join((root, *steps))
        return self.bind(identifier(text), value, text, home)

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
        return found.dtype == value.dtype and np.array_equal(found, value)
    return Const(found) == Const(value)


def _is_member(value: object) -> bool:
    """Whether an enumeration has the value by a name; `A | B` of flags has none."""
    if not isinstance(value, enum.Enum):
        return False
    return type(value).__members__.get(str(value.name)) is value


_USUAL: Final = {"absolute": "abs", "conjugate": "conj"}
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
