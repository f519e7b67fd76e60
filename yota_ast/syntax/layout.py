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
from dataclasses import dataclass
from typing import TypeAlias

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
    return _Renderer(width, indent).run(doc)


@dataclass(frozen=True, slots=True)
class _Item:
    """A document to print, flat or not; if `whole`, all its lines must fit."""

    doc: Doc
    indent: int
    flat: bool
    whole: bool = False

    def of(self, doc: Doc) -> "_Item":
        return _Item(doc, self.indent, self.flat, self.whole)

    def children(self, broken: dict[int, bool]) -> "list[_Item] | None":
        """Return its parts, the first one last, or None if that takes a decision."""
        match self.doc:
            case tuple():
                return [self.of(doc) for doc in reversed(self.doc)]
            case Indent(content):
                return [_Item(content, self.indent + INDENT, self.flat, self.whole)]
            case IndentIf(content, group):
                indent = self.indent + (INDENT if broken[group] else 0)
                return [_Item(content, indent, self.flat, self.whole)]
            case IfBroken(if_broken, if_flat, group):
                is_broken = broken[group] if group else not self.flat
                return [self.of(if_broken if is_broken else if_flat)]
            case Group(content, only_if=group) if group and not broken[group]:
                return [self.of(content)]
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
        self.stack.append(_Item(doc, self.indent, flat=False))
        while self.stack:
            self._print(self.stack.pop())
        return "".join(self.out)

    def _print(self, item: _Item) -> None:
        children = item.children(self.broken)
        if children is not None:
            self.stack += children
            return
        match item.doc:
            case str(text):
                self._write(text)
            case Line(flat):
                self._write(flat) if item.flat else self._newline(item.indent)
            case Spread(content, group):
                if not self.broken[group]:
                    self.measured = False
                self.stack.append(item.of(content))
            case Group(content, name):
                fits = self._is_flat(item, content, name)
                self.stack.append(_Item(content, item.indent, fits))
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
        self.broken[name] = False
        if not (item.flat and self.measured):
            flat = _Item(content, item.indent, flat=True)
            self.measured = self._fits(flat, self.column, len(self.stack))
        self.broken[name] = not self.measured
        return self.measured

    def _wrap(self, item: _Item, content: Doc, name: int) -> None:
        if not self._is_flat(item, content, name):
            inner = _Item(content, item.indent + INDENT, flat=True)
            if self._fits(inner, inner.indent, 0):
                end = (Line(""), ")")
                self.stack += [_Item(end, item.indent, flat=False), inner]
                self._write("(")
                self._newline(inner.indent)
                return
            self.broken[name] = False
        self.stack.append(_Item(content, item.indent, flat=True))

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
            children = item.children(self.broken)
            if children is not None:
                pending += children
                continue
            match item.doc:
                case str(text):
                    column += len(text)
                case Line(flat) if item.flat:
                    column += len(flat)
                case Line() if item.whole:
                    column = item.indent
                case Line():
                    return True
                case Spread(content, group) if item.flat and not self.broken[group]:
                    pending.append(_Item(content, item.indent, flat=False, whole=True))
                case Group(content, name) | Wrap(content, name):
                    self.broken[name] = not item.flat
                    pending.append(item.of(content))
                case Spread(content):
                    pending.append(item.of(content))
            if column > self.width:
                return False
        return True
