"""Hints -> names that clash with nothing.

>>> pool = NamePool(["x", "W"])
>>> pool.fresh("x"), pool.fresh("x"), pool.fresh("del")
('x_2', 'x_3', 'del_2')
>>> (
...     pool.fresh("m.first.W"),
...     pool.fresh("params['W']"),
...     pool.numbered("t"),
...     pool.numbered("t"),
... )
('m_first_W', 'params_W', 't1', 't2')
"""

import keyword
import re
import unicodedata
from collections.abc import Container, Iterable, Iterator

GENERATED = "<generated yota_ast "
"""What the files of generated code are called by, before a hash."""
# A fixed list: what Python itself has in `builtins` differs between versions and
# shells, and the same function must give the same text everywhere.
_BUILTINS = """
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup
BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError
ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError
DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception
ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError
FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError
IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError
MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented
NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError
ProcessLookupError PythonFinalizationError RecursionError ReferenceError
ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration
SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True TypeError
UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError
UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError
__build_class__ __builtins__ __debug__ __doc__ __file__ __import__ __loader__ __name__
__package__ __spec__
abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr
classmethod compile complex copyright credits delattr dict dir divmod enumerate eval
exec exit filter float format frozenset getattr globals hasattr hash help hex id input
int isinstance issubclass iter len license list locals map max memoryview min next
object oct open ord pow print property quit range repr reversed round set setattr slice
sorted staticmethod str sum super tuple type vars zip
"""
_SOFT_KEYWORDS = ("case", "match", "type")
_OWN = ("_HELD_", "_KEPT_")  # what the compiler writes until a text is printed
RESERVED = frozenset((*_BUILTINS.split(), *keyword.kwlist, *_SOFT_KEYWORDS, *_OWN))
"""Names that are never given out: builtins of every supported Python, and keywords."""
NAMELESS = "d?"
"""How the hint of an adjoint begins of what has no name: dt1, dt2, ... in the text. The
name of the variable that it is the adjoint of follows."""

_FIRST_COUNT = 2
_SPACES = "\n\t\xa0\u202f\u3000"
_COUNTED = re.compile(r"(.*[^\d_])_(\d+)")


def is_weak(hint: str | None) -> bool:
    """Say whether a hint names nothing of the user's: a temporary."""
    return hint is None or hint.startswith(NAMELESS)


class NamePool:
    """The names of one generated function: what is taken, and fresh ones beside it."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(RESERVED)
        self._taken.update(reserved)

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def reserve(self, names: Iterable[str]) -> None:
        """Keep `names` from being given out."""
        self._taken.update(names)

    def fresh(self, hint: str) -> str:
        """Return `hint` as an identifier, with an ending _2, _3, ... if it is taken."""
        return self._take(self._candidates(identifier(hint)))

    def numbered(self, stem: str = "t") -> str:
        """Return the first free of t1, t2, ..."""
        return self._take(_endings(identifier(stem), 1))

    def _candidates(self, hint: str) -> Iterator[str]:
        yield hint
        counted = _COUNTED.fullmatch(hint)
        if counted and int(counted[2]) >= _FIRST_COUNT and counted[1] in self._taken:
            yield from _endings(counted[1] + "_", int(counted[2]) + 1)
        yield from _endings(hint + "_", _FIRST_COUNT)

    def _take(self, candidates: Iterable[str]) -> str:
        name = next(name for name in candidates if name not in self._taken)
        self._taken.add(name)
        return name


def adjoint_name(name: str) -> str:
    """Return the name of the adjoint of `name`, by the field's habit.

    >>> adjoint_name("x"), adjoint_name("h_2"), adjoint_name("el")
    ('dx', 'dh_2', 'del_2')
    """
    made = f"d{name}"
    return f"{made}_2" if made in RESERVED else made


def unused(hint: str, taken: Container[str]) -> str:
    """Return `hint`, with an ending _2, _3, ... if it is taken.

    >>> unused("v", ("x", "v")), unused("v", "x")
    ('v_2', 'v')
    """
    number, name = 1, hint
    while name in taken:
        number += 1
        name = f"{hint}_{number}"
    return name


def seed_name(parameters: Container[str]) -> str:
    """Return what a gradient calls the cotangent beside the function's parameters."""
    return unused("seed", parameters)


def identifier(path: str) -> str:
    """Return a path, an index or any text as one identifier.

    >>> [
    ...     identifier(p)
    ...     for p in ("m.first.W", "params['W']", "layers[0].b", "0", "x - y", "")
    ... ]
    ['m_first_W', 'params_W', 'layers_0_b', '_0', 'x_y', '_']
    """
    normal = unicodedata.normalize("NFKC", path)  # as Python reads names
    letters = (c if f"_{c}".isidentifier() else " " for c in normal)
    words = "".join(letters)
    cleaned = "_".join(words.split()) if " " in words else words
    if words.startswith(" ") or not cleaned.isidentifier():
        return "_" + cleaned.lstrip("_")
    return cleaned


def is_plain(name: object) -> bool:
    r"""Say whether generated code may name an attribute so: `o.name` reads that field.

    No keyword, and no name that Python reads as another.

    >>> [is_plain(name) for name in ("W", "a b", "class", "\ufb01", "W\n")]
    [True, False, False, False, False]
    """
    return (
        type(name) is str
        and name.isidentifier()
        and not keyword.iskeyword(name)
        and (name.isascii() or unicodedata.normalize("NFKC", name) == name)
    )


def is_dotted(path: object) -> bool:
    """Say whether a path is one of plain names: `package.module`."""
    return type(path) is str and all(map(is_plain, path.split(".")))


def shown_name(name: object) -> str:
    r"""Return the name of a function, a class or a module as comments show it.

    A name that was set at run time holds what it likes: of that the letters stay.

    >>> shown_name("Net.forward"), shown_name("f.<locals>.g"), shown_name("a\n'b'")
    ('Net.forward', 'f.<locals>.g', 'a__b_')
    """
    if type(name) is not str:
        return "_"
    if is_dotted(name):
        return name
    return "".join(c if c in ".<> " or f"_{c}".isidentifier() else "_" for c in name)


def plain_lines(text: str) -> str:
    r"""Return a text for a comment or a docstring, which no line but its own ends.

    Python, its tools and terminals end lines at more characters than the newline.

    >>> plain_lines("a\x0cb\n  c\r\x1b[0m\u2028d")
    'a?b\n  c??[0m?d'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _SPACES else "?" for c in text)


def _endings(stem: str, start: int) -> Iterator[str]:
    number = start
    while True:
        yield f"{stem}{number}"
        number += 1
