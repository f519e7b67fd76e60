"""What went wrong, and where -> a message a user can act on.

Every refusal of the compiler is a `YotaError` that names the place in the user's
file, says why, and where possible what to write instead. `InternalError` alone means
that the compiler itself is at fault.

>>> at = Location("model.py", 3, 11, 18, "    return yield_()")
>>> print(
...     UnsupportedSyntax(
...         "`yield` is not supported", at=at, remedy="Return a list instead."
...     )
... )
model.py:3:12: `yield` is not supported
    return yield_()
           ^^^^^^^
Return a list instead.
"""

import os
from typing import Any, Self

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.support.escaping import terminal, terminal_line

MAX_LINES = 14
_INDENT = " " * 4
_LEAST_CHAIN = 3  # lines kept of a part however long the others are
_LEAST_REMEDY = 3
_EXCERPT_WIDTH = 84
_EXCERPT_LEAD = 24


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a source file.

    Offsets are those of `ast`: from 0, in UTF-8 bytes of the line `text`. `chain`
    describes the call sites, innermost first, through which an inlined function was
    reached, each as ``"path:line in function"``. `caller` is the call in the user's
    own code through which a place in a library was reached, `called` the function
    that it calls, where that belongs to another library than this one.
    """

    filename: str
    lineno: int
    col_offset: int
    end_col_offset: int | None = None
    text: str = ""
    chain: tuple[str, ...] = ()
    caller: "Location | None" = None
    called: str = ""

    @property
    def column(self) -> int:
        """The column in characters, from 1."""
        return _characters(self.text, self.col_offset) + 1

    @property
    def span(self) -> int:
        """How many characters of the line the place covers, at least 1."""
        if self.end_col_offset is None:
            return 1
        return max(_characters(self.text, self.end_col_offset) + 1 - self.column, 1)


class YotaError(Exception):
    """Base of all errors of this package: a reason, a place, a remedy."""

    def __init__(
        self, reason: str, *, at: Location | None = None, remedy: str = ""
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at
        self.remedy = remedy

    @property
    def place(self) -> Location | None:
        """The place in the user's code: of what is refused within a library the call
        that leads there."""
        return self.at.caller or self.at if self.at else None

    @property
    def filename(self) -> str | None:
        """The file of the place, as Python names it."""
        return self.place.filename if self.place else None

    @property
    def lineno(self) -> int | None:
        """The line of the place, from 1."""
        return self.place.lineno if self.place else None

    @property
    def col_offset(self) -> int | None:
        """The offset of the place in its line, from 0, as in `ast`."""
        return self.place.col_offset if self.place else None

    @property
    def excerpt(self) -> str:
        """The source line, as it stands in the file."""
        return self.place.text if self.place else ""

    @property
    def chain(self) -> tuple[str, ...]:
        """The calls that led to the place, innermost first."""
        return self.at.chain if self.at else ()

    def located(self, at: Location) -> Self:
        """Place the error at `at`, unless it has a place already, and return it."""
        if self.at is None:
            self.at = at
        return self

    def move(self, at: Location | None) -> None:
        """Place the error elsewhere, if that is a place."""
        self.at = at or self.at

    def __str__(self) -> str:
        """The place, the reason, the remedy: Python itself prints the class before."""
        return "\n".join(_render(self, ""))

    @property
    def diagnostic(self) -> str:
        """The same with the name of the class: what the command line prints.

        >>> YotaError("there is no module 'm'").diagnostic
        "YotaError: there is no module 'm'"
        """
        return "\n".join(_render(self, f"{type(self).__name__}: "))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.reason, self.at, self.remedy)


class UnsupportedSyntax(YotaError):  # noqa: N818 - a public name
    """A construct of Python that the compiler does not handle."""


class UnsupportedCall(YotaError):  # noqa: N818 - a public name
    """A call, keyword or use of a known function that the compiler does not handle."""

    reads_frames: bool = False
    """Whether it reads variables of the functions that lead to it: none of these may
    be called as it is."""

    def of_frames(self) -> Self:
        """Note that the call reads variables of the functions around."""
        self.reads_frames = True
        return self


_CODE = (UnsupportedSyntax, UnsupportedCall)
"""Errors whose remedy is to write the place otherwise."""


class NoRule(YotaError):  # noqa: N818 - a public name
    """A function without a rule, on the path from `wrt` to the result."""

    called: str = ""
    """The name of the function."""


class SourceUnavailable(YotaError):  # noqa: N818 - a public name
    """A function without source, or with a source that is not what runs."""


class RuleError(YotaError):
    """A rule that is not well defined."""


class ShapeError(YotaError, ValueError):
    """Arguments, a seed or a result of the wrong shape."""

    value: object = None
    """Where a seed is missing, what is known of the value."""


class AmbiguousType(YotaError):  # noqa: N818 - a public name
    """Several rules that differ by type, for a value of unknown type."""


class InternalError(YotaError):
    """A defect of the compiler, never of the user's program."""


class DerivativeWarning(UserWarning):
    """A derivative of the steps of a loop, and not of the function that they compute.

    An argument acts in the loop through comparisons alone, as in a bisection. The
    message names the argument and says what to write instead; `at` is the place of the
    loop.
    """

    def __init__(self, reason: str, *, at: Location | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at

    @property
    def filename(self) -> str | None:
        """The file of the loop."""
        return self.at.filename if self.at else None

    @property
    def lineno(self) -> int | None:
        """The line of the loop, from 1."""
        return self.at.lineno if self.at else None

    def __str__(self) -> str:
        return terminal(self.reason)

    def __reduce__(self) -> tuple[Any, ...]:
        return _warning, (self.reason, self.at)


def shown(error: YotaError) -> str:
    """What the command line says of an error: the place, if it has one, and why; then
    what to do. Paths start at the current directory.

    >>> print(shown(YotaError("there is no module 'm'", remedy="Correct the name.")))
    yota-ast: there is no module 'm'
    Correct the name.
    """
    text = str(error) if type(error) is YotaError else error.diagnostic
    if error.at is None:
        text = f"yota-ast: {text}"
    return text.replace(f"{os.getcwd()}{os.sep}", "")  # noqa: PTH109  pathlib is slow


def _warning(reason: str, at: Location | None) -> DerivativeWarning:
    return DerivativeWarning(reason, at=at)


def _restore(
    cls: type[YotaError], reason: str, at: Location | None, remedy: str
) -> YotaError:
    return cls(reason, at=at, remedy=remedy)


def _characters(text: str, offset: int) -> int:
    """Characters in the first `offset` UTF-8 bytes of `text`."""
    if not text:
        return offset
    return len(text.encode("utf-8", "replace")[:offset].decode("utf-8", "ignore"))


def _render(error: YotaError, title: str) -> list[str]:
    """Return the lines: head, excerpt, carets, call chain, remedy."""
    at = error.place
    head = f"{title}{error.reason}".split("\n")
    if at is not None:
        head[0] = f"{at.filename}:{at.lineno}:{at.column}: {head[0]}"
    remedy = _remedy(error).rstrip("\n").split("\n") if error.remedy else []
    excerpt = _excerpt(at) if at is not None and at.text.strip() else []
    chain = [*_in_library(error.at), *map(_call_site, error.chain)]
    spare = min(len(chain), _LEAST_CHAIN) + min(len(remedy), _LEAST_REMEDY)
    head = _shorten(head, MAX_LINES - len(excerpt) - spare)
    room = MAX_LINES - len(head) - len(excerpt)
    remedy = _shorten(remedy, room - min(len(chain), _LEAST_CHAIN))
    chain = _fold(chain, room - len(remedy))
    return [terminal_line(line) for line in (*head, *excerpt, *chain, *remedy)]


def _remedy(error: YotaError) -> str:
    """What to do; in a library nobody is to change what stands there."""
    at = error.at
    if at is None or not at.called or not isinstance(error, _CODE):
        return error.remedy
    return (
        f"`{at.called}` belongs to a library. Write here what it computes, "
        "or state its derivative with `diffrule`."
    )


def _in_library(at: Location | None) -> list[str]:
    if at is None or not at.called:
        return []
    return [f"  at {at.filename}:{at.lineno}: {at.text.strip()}"]


def _excerpt(at: Location) -> list[str]:
    """Return the source line and its carets, a long line cut around the place."""
    text = at.text.rstrip().replace("\t", " ")
    margin = len(text) - len(text.lstrip())
    begin = max(at.column - 1, margin)
    before, place = text[margin:begin], text[begin : begin + at.span]
    span, start = len(terminal_line(place)), len(terminal_line(before))
    text = terminal_line(text[margin:])
    if len(text) > _EXCERPT_WIDTH:
        skipped = max(start - _EXCERPT_LEAD, 0)
        if skipped:
            text, start = "..." + text[skipped:], start - skipped + 3
        if len(text) > _EXCERPT_WIDTH:
            text = text[: _EXCERPT_WIDTH - 3] + "..."
    carets = "^" * max(min(span, len(text) - start), 1)
    return [_INDENT + text, _INDENT + " " * start + carets]


def _call_site(site: str) -> str:
    place, found, name = site.rpartition(" in ")
    return f"  in {name}, called from {place}" if found else f"  called from {site}"


def _fold(chain: list[str], room: int) -> list[str]:
    """Fold the middle of the chain so that it stays within `room` lines."""
    if len(chain) <= room:
        return chain
    hidden = len(chain) - (room - 1)
    return [*chain[: room - 2], f"  ... {hidden} more calls ...", chain[-1]]


def _shorten(lines: list[str], room: int) -> list[str]:
    return lines if len(lines) <= room else [*lines[: room - 1], "..."]
