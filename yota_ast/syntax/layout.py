"""Documents of groups and possible line breaks -> lines of at most a given width.

The document language is the usual one (Wadler, Prettier), with the two extensions
that black's style needs and ruff's formatter uses: brackets that may spread while the
group around them counts as flat (`Spread`), and names of groups, for other parts to ask
whether they are broken (`IfBroken`, `IndentIf`, `Group.only_if`).

>>> call = Group(("f(", Indent((Line(""), "first,", Line(), "second")), Line(""), ")"))
>>> print(render(call, width=12))
f(
    first,
    second
)
>>> print(render(call, width=40))
f(first, second)
"""

from collections.abc import Iterable
from typing import TypeAlias

from yota_ast._speed.fast_dataclasses import dataclass

INDENT = 4


@dataclass(frozen=True, slots=True)
class Line:
    """A possible line break; `flat` is what stands there otherwise."""

    flat: str = " "


@dataclass(frozen=True, slots=True)
class Group:
    """Flat if it fits, else broken at all its own lines.

    With `only_if`, it is a group of its own only if the one of that name is broken.
    """

    content: "Doc"
    name: int = 0
    only_if: int = 0


@dataclass(frozen=True, slots=True)
class Indent:
    """Indented where its lines break."""

    content: "Doc"


@dataclass(frozen=True, slots=True)
class IndentIf:
    """Indented if the named group is broken."""

    content: "Doc"
    group: int


@dataclass(frozen=True, slots=True)
class IfBroken:
    """One or the other by the mode of the named group, or by the surrounding one."""

    broken: "Doc"
    flat: "Doc" = ""
    group: int = 0


@dataclass(frozen=True, slots=True)
class Spread:
    """Counts as spread over lines where it is tested whether the named group fits."""

    content: "Doc"
    group: int


@dataclass(frozen=True, slots=True)
class Wrap:
    """Put in parentheses on a line of its own if it fits there and not here."""

    content: "Doc"
    name: int


Doc: TypeAlias = (
    str
    | tuple["Doc", ...]
    | Line
    | Group
    | Indent
    | IndentIf
    | IfBroken
    | Spread
    | Wrap
)


def join(separator: Doc, docs: Iterable[Doc]) -> Doc:
    """`docs` with `separator` between them."""
    parts: list[Doc] = []
    for doc in docs:
        parts += [separator, doc] if parts else [doc]
    return tuple(parts)


def render(doc: Doc, width: int = 88, indent: int = 0) -> str:
    """Return the text of `doc`, whose first line begins at column `indent`."""
    pieces: list[str] = []
    if _on_one_line(doc, pieces, flat=False):
        text = "".join(pieces)
        if indent + len(text) <= width and "\n" not in text:
            return text
    return _Renderer(width, indent).run(doc)


def _on_one_line(doc: Doc, pieces: list[str], *, flat: bool) -> bool:
    """Collect the text of a document whose groups all fit, as most do; False where a
    line in no group breaks it."""
    # No patterns of classes, each of which looks up the fields that it names.
    while not isinstance(doc, str):
        if isinstance(doc, tuple):
            return all(_on_one_line(each, pieces, flat=flat) for each in doc)
        if isinstance(doc, Line):
            pieces.append(doc.flat)
            return flat
        if isinstance(doc, IfBroken):
            doc = doc.flat if flat or doc.group else doc.broken
            continue
        flat = flat or isinstance(doc, Wrap)
        flat = flat or (isinstance(doc, Group) and not doc.only_if)
        doc = doc.content
    pieces.append(doc)
    return True


_Item: TypeAlias = tuple[Doc, int, bool, bool]
"""A document to print, its indent, flat or not; and whether all its lines must fit."""


def _parts(item: _Item, broken: dict[int, bool]) -> list[_Item] | None:
    """Return the parts of what is no text, the first one last, or None if that takes a
    decision."""
    doc, indent, flat, whole = item
    if doc.__class__ is tuple:
        return [(each, indent, flat, whole) for each in reversed(doc)]
    # No patterns of classes, each of which looks up the fields that it names.
    if isinstance(doc, Group):
        if doc.only_if and not broken[doc.only_if]:
            return [(doc.content, indent, flat, whole)]
    elif isinstance(doc, Indent):
        return [(doc.content, indent + INDENT, flat, whole)]
    elif isinstance(doc, IfBroken):
        is_broken = broken[doc.group] if doc.group else not flat
        return [(doc.broken if is_broken else doc.flat, indent, flat, whole)]
    elif isinstance(doc, IndentIf):
        more = INDENT if broken[doc.group] else 0
        return [(doc.content, indent + more, flat, whole)]
    return None


class _Renderer:
    def __init__(self, width: int, indent: int) -> None:
        self.width = width
        self.indent = indent
        self.column = indent
        self.out: list[str] = []
        self.stack: list[_Item] = []
        self.broken: dict[int, bool] = {}
        self.measured = False  # flat groups are known to fit up to the next line break

    def run(self, doc: Doc) -> str:
        self.stack.append((doc, self.indent, False, False))
        while self.stack:
            item = self.stack.pop()
            if isinstance(item[0], str):
                self._write(item[0])
            else:
                self._print(item)
        return "".join(self.out)

    def _print(self, item: _Item) -> None:
        parts = _parts(item, self.broken)
        if parts is not None:
            self.stack += parts
            return
        doc, indent, is_flat, whole = item
        match doc:
            case Line(flat):
                self._write(flat) if is_flat else self._newline(indent)
            case Spread(content, group):
                if not self.broken[group]:
                    self.measured = False
                self.stack.append((content, indent, is_flat, whole))
            case Group(content, name):
                fits = self._is_flat(item, content, name)
                self.stack.append((content, indent, fits, False))
            case Wrap(content, name):
                self._wrap(item, content, name)

    def _write(self, text: str) -> None:
        self.out.append(text)
        self.column += len(text)

    def _newline(self, indent: int) -> None:
        self.out.append("\n" + " " * indent)
        self.column = indent
        self.measured = False

    def _is_flat(self, item: _Item, content: Doc, name: int) -> bool:
        """Decide whether the group of that name, which `item` is, is flat."""
        _, indent, is_flat, _ = item
        self.broken[name] = False
        if not (is_flat and self.measured):
            flat = (content, indent, True, False)
            self.measured = self._fits(flat, self.column, len(self.stack))
        self.broken[name] = not self.measured
        return self.measured

    def _wrap(self, item: _Item, content: Doc, name: int) -> None:
        _, indent, _, _ = item
        if not self._is_flat(item, content, name):
            inner = (content, indent + INDENT, True, False)
            if self._fits(inner, indent + INDENT, 0):
                end = (Line(""), ")")
                self.stack += [(end, indent, False, False), inner]
                self._write("(")
                self._newline(indent + INDENT)
                return
            self.broken[name] = False
        self.stack.append((content, indent, True, False))

    def _fits(self, first: _Item, column: int, rest: int) -> bool:
        """Say whether `first` and what follows on its line stay within the width.

        `rest` is how much of the stack may follow.
        """
        pending = [first]
        while pending or rest:
            if pending:
                item = pending.pop()
            else:
                rest -= 1
                item = self.stack[rest]
            doc, indent, is_flat, whole = item
            if isinstance(doc, str):
                column += len(doc)
                if column > self.width:
                    return False
                continue
            parts = _parts(item, self.broken)
            if parts is not None:
                pending += parts
                continue
            match doc:
                case Line(flat) if is_flat:
                    column += len(flat)
                case Line() if whole:
                    column = indent
                case Line():
                    return True
                case Spread(content, group) if is_flat and not self.broken[group]:
                    pending.append((content, indent, False, True))
                case Group(content, name) | Wrap(content, name):
                    self.broken[name] = not is_flat
                    pending.append((content, indent, is_flat, whole))
                case Spread(content):
                    pending.append((content, indent, is_flat, whole))
            if column > self.width:
                return False
        return True
