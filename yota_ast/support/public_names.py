"""Functions of SciPy -> the module and the name by which users call them.

SciPy is an extra: nothing here imports it. What is not imported yet holds no function
that a program could have named.

>>> import numpy as np
>>> public_path(np.sin), import_lines({"special": "scipy.special"})
(None, ('from scipy import special',))
"""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Mapping
from types import FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from yota_ast.errors import YotaError

LEAST_SCIPY: Final = (1, 15)  # the rules name its functions
MODULES: Final = (
    "scipy.special",
    "scipy.linalg",
    "scipy.linalg.lapack",
    "scipy.linalg.blas",
    "scipy.stats",
    "scipy.integrate",
    "scipy.signal",
    "scipy.fft",
    "scipy.fftpack",
    "scipy.interpolate",
    "scipy.optimize",
    "scipy.ndimage",
    "scipy.sparse",
    "scipy.spatial",
    "scipy.spatial.distance",
    "scipy.spatial.transform",
)
"""The modules that the text may import, each called by its last name."""

WITHIN: Final = {"scipy.sparse.linalg": ("scipy.sparse", "linalg")}
"""Modules whose last name another one has: each is called by that of its parent."""

STANDARD: Final = (
    "bisect",
    "cmath",
    "collections",
    "copy",
    "functools",
    "heapq",
    "itertools",
    "operator",
    "statistics",
)
"""Those of Python's own, besides math, that hold functions which texts call."""

FILTERS: Final = (warnings.simplefilter, warnings.filterwarnings)
"""What says which warnings are wanted: of that nothing is seen the second time."""
SHORT: Final = {name.rpartition(".")[2]: name for name in (*STANDARD, *MODULES)}
_USUAL: Final = {"psi": "digamma", "jn": "jv"}
_NOTHING: Final = object()
_OF_FORTRAN: Final = "function "
"""What the names of routines of LAPACK and BLAS begin with."""


def refuse_old_scipy() -> None:
    """Raise YotaError where the SciPy that is imported is older than its rules."""
    version = str(getattr(sys.modules.get("scipy"), "__version__", ""))
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
    if numbers and numbers < LEAST_SCIPY:
        least = ".".join(map(str, LEAST_SCIPY))
        raise YotaError(
            f"this is SciPy {version}, and its rules are for {least} or later",
            remedy="Install a later SciPy, or do without its functions here.",
        )


def import_lines(names: Mapping[str, str]) -> tuple[str, ...]:
    """The statements that bind names to modules: name -> module.

    >>> import_lines({"cmath": "cmath", "scipy_stats": "scipy.stats"})
    ('import cmath', 'from scipy import stats as scipy_stats')
    """
    packages: dict[str, list[str]] = {}
    for name, module in sorted(names.items(), key=lambda pair: pair[::-1]):
        package, _, own = module.rpartition(".")
        packages.setdefault(package, []).append(
            own if name == own else f"{own} as {name}"
        )
    plain = [f"import {part}" for part in packages.pop("", ())]
    of_packages = (
        f"from {package} import {', '.join(parts)}"
        for package, parts in sorted(packages.items())
    )
    return (*plain, *of_packages)


def path_in_python(value: Any) -> tuple[str, str] | None:
    """Where a function of Python's own libraries is found: `("cmath", "exp")`."""
    name = getattr(value, "__name__", None)
    for path in STANDARD:
        held = vars(sys.modules.get(path, sys))
        public = name in held.get("__all__", held)  # `statistics` has math's, too
        if isinstance(name, str) and public and held.get(name) is value:
            return path, name
    return None


_IMMUTABLE: Final = 1 << 8
_ON_THE_HEAP: Final = 1 << 9
"""Flags of classes, Py_TPFLAGS_...: those of `class` statements are on the heap and may
be changed; those of the standard library that are written in C may not, and are on the
heap too, more of them with each version of Python."""


def is_written_in_python(cls: type) -> bool:
    """Whether a class is none that is written in C.

    >>> from fractions import Fraction
    >>> is_written_in_python(Fraction), is_written_in_python(float)
    (True, False)
    """
    return cls.__flags__ & (_ON_THE_HEAP | _IMMUTABLE) == _ON_THE_HEAP


def is_importable(value: object) -> bool:
    """Whether a function or a class is found again under its module and name.

    >>> is_importable(is_importable), is_importable(lambda: 0)
    (True, False)
    """
    if isinstance(value, ModuleType):
        return True
    module = getattr(value, "__module__", None)
    if module is None and isinstance(value, np.ufunc):
        module = "numpy"
    found: object = sys.modules.get(str(module))
    for step in str(getattr(value, "__qualname__", "")).split("."):
        found = getattr(found, step, None)
    return found is value


def plain_name(fn: object, other: str) -> str:
    """The name of a function, without what those of Fortran begin with; other: of an
    object that has none.

    >>> plain_name(np.exp, ""), plain_name(3, "f")
    ('exp', 'f')
    """
    return str(getattr(fn, "__name__", other)).removeprefix(_OF_FORTRAN)


def public_path(value: Any) -> tuple[str, str] | None:
    """Where a function or an object of SciPy is found: `("scipy.special", "erf")`.

    A method of an object that a module holds too: `("scipy.stats", "norm.logpdf")`.
    """
    if "scipy" not in sys.modules:
        return None
    of_function = callable(value)
    owner = getattr(value, "__self__", None) if of_function else None
    if owner is not None and _is_of_scipy(type(owner)):
        found = _held(owner)
        return found and (found[0], f"{found[1]}.{value.__name__}")
    name = getattr(value, "__name__", None) if of_function else None
    if not isinstance(name, str):
        return _held(value) if _is_of_scipy(type(value)) else None
    name = _USUAL.get(name, name).removeprefix(_OF_FORTRAN)
    for path in (*MODULES, *WITHIN):
        module = sys.modules.get(path)
        if module is not None and getattr(module, name, _NOTHING) is value:
            return (path, name) if is_of_scipy(value) else None
        of_class = _static_path(module, value)
        if of_class is not None:
            return path, of_class
    return None


def _static_path(module: Any, value: Any) -> str | None:
    """The path of what a class of a module has as a static method."""
    cls, _, name = getattr(value, "__qualname__", "").rpartition(".")
    held = vars(getattr(module, cls, object)).get(name) if cls else None
    if not isinstance(held, staticmethod) or held.__func__ is not value:
        return None
    return f"{cls}.{name}"


def is_of_scipy(fn: Any) -> bool:
    """Whether SciPy defines a function; its ufuncs say nothing of where they are."""
    if isinstance(fn, np.ufunc):
        special: Any = sys.modules.get("scipy.special")
        return getattr(special, _USUAL.get(fn.__name__, fn.__name__), None) is fn
    return type(fn).__name__ == "fortran" or _is_of_scipy(fn)


def drawing() -> tuple[type, ...]:
    """The classes of what draws random numbers, once there can be any of them: NumPy
    imports them when they are first asked for."""
    if "numpy.random" not in sys.modules:
        return ()
    return np.random.Generator, np.random.RandomState


def is_distribution(value: Any) -> bool:
    """Whether a value is one of the distributions of `scipy.stats`."""
    if not _is_of_scipy(type(value)) or isinstance(value, type):
        return False
    methods = ("logpdf", "logpmf")
    return any(hasattr(value, m) for m in methods) and _held(value) is not None


def spelled(value: Any) -> tuple[str, str]:
    """How a distribution is called, and the module that holds it."""
    module, name = _held(value) or ("", "")
    return f"{module.rpartition('.')[2]}.{name}", module


def may_be_followed(fn: Any) -> bool:
    """Whether a function of NumPy is short Python that calls what has rules, and may be
    followed like the user's: those of series of polynomials.

    >>> import numpy as np
    >>> may_be_followed(np.polynomial.legendre.legval)
    True
    >>> may_be_followed(np.polyfit)
    False
    """
    if not isinstance(fn, types.FunctionType):
        return False
    return (fn.__module__ or "").startswith("numpy.polynomial.")


_LIBRARIES: Final = ("numpy", "scipy")


def home_of(value: Any) -> str:
    """The module that defines a function, a class, or the class of another object.

    `functools.wraps` copies `__module__` from what is wrapped, which may be NumPy's, or
    the user's, where a decorator of NumPy wraps: a library's function is one by both.
    """
    named = getattr(value, "__module__", None)
    if type(value) is FunctionType:
        written = str(value.__globals__.get("__name__", named))
        named = named if written.partition(".")[0] in _LIBRARIES else written
    elif is_written_in_python(type(value)) and not isinstance(value, type):
        named = type(value).__module__
    return named if isinstance(named, str) else ""


def _is_of_scipy(value: Any) -> bool:
    return home_of(value).partition(".")[0] == "scipy"


def _held(owner: object) -> tuple[str, str] | None:
    """The place of an object, such as a distribution, in the modules."""
    for path in MODULES:
        for name, value in vars(sys.modules.get(path, sys)).items():
            if value is owner and not name.startswith("_"):
                return path, name
    return None
