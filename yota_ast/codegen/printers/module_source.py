"""Programs -> the text of a module that defines their functions, imports and all.

Where `emit` of this package gives the text that runs in this process, with the names of
the user's bound beside it, this one stands alone: it imports what it reads.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.codegen.printers import statement_lines
from yota_ast.codegen.printers.function_head import NONE, Annotations, may_be_evaluated
from yota_ast.codegen.printers.function_source import (
    function_lines,
    parameters,
    scope_of,
    shortened,
    spell,
)
from yota_ast.codegen.printers.global_names import Global
from yota_ast.codegen.printers.helper_sources import helper_texts
from yota_ast.codegen.printers.live_names import Linked
from yota_ast.codegen.printers.named_refusals import with_its_name
from yota_ast.codegen.printers.statement_lines import Line
from yota_ast.errors import YotaError
from yota_ast.ir.atoms import Const
from yota_ast.ir.tape import Program

_BELOW: Final = "Below the functions, so that what is imported may import this file."


@dataclass(frozen=True, slots=True)
class Printer:
    """What prints functions for a back end other than NumPy.

    functions: those that a program becomes, by their names, the public one first.
    helper: what the text of a helper becomes. imports: the lines that they need.
    names: how they spell what is not their own.
    """

    functions: Callable[[Program, Linked, Annotations], dict[str, str]]
    helper: Callable[[str, Linked], str]
    imports: tuple[str, ...] = ()
    names: type[Linked] = Linked


@dataclass(frozen=True, slots=True)
class Piece:
    """A function of the module: its program, its annotations.

    imports: the import statements that its annotations need, alone. fixed: constants
    of modules that are to be as they were. printer: of another back end.
    """

    program: Program
    typed: Annotations = field(default_factory=Annotations)
    imports: tuple[str, ...] = ()
    fixed: tuple[Const, ...] = ()
    printer: Printer | None = None


@dataclass(frozen=True, slots=True)
class Module:
    """The parts of the text.

    names: the public functions. bottom: imports of the user's modules, under an `if`,
    where no linter asks that they be at the top. missing: names that the text reads,
    and that no module and no literal can stand for.
    """

    names: tuple[str, ...]
    top: tuple[str, ...]
    typing: tuple[str, ...]
    constants: tuple[str, ...]
    functions: tuple[str, ...]
    bottom: tuple[str, ...]
    missing: tuple[Global, ...] = ()
    live: frozenset[str] = frozenset()
    """What is read of the user's modules at each call: `mypkg.model.SCALE`."""
    reason: tuple[str, ...] = ()
    """The comment above the imports at the bottom."""
    lines: tuple[Line, ...] = ()
    """Those of the functions, with what they stem from."""

    @property
    def text(self) -> str:
        """The text, from the imports to what is imported at the bottom."""
        head = ["\n".join(self.top)] if self.top else []
        if self.typing:
            head.append("\n".join(["if TYPE_CHECKING:", *self.typing]))
        head += ["\n".join(self.constants)] if self.constants else []
        parts = ["\n\n".join(head)] if head else []
        parts += self.functions
        if self.bottom:
            parts.append("\n".join([*self.reason, *self.bottom]))
        return "\n\n\n".join(parts) + "\n"


def module(pieces: Sequence[Piece], own: Iterable[str] = ()) -> Module:
    """Return the module of some programs.

    own: the packages of the user's, whose modules may import this one. Raises YotaError
    where two functions would have one name.
    """
    pieces = [
        replace(piece, program=with_its_name(piece.program, piece.program.name))
        for piece in pieces
    ]
    programs = [p for piece in pieces for p in (piece.program, *piece.program.helpers)]
    names = tuple(piece.program.name for piece in pieces)
    typed = any(piece.typed.returns for piece in pieces)
    first = programs[0]
    printer = _printer_of(pieces)
    names_of = Linked if printer is None else printer.names
    world = names_of(parameters(programs), scope_of(first), [p.name for p in programs])
    for each in programs if printer is None else ():
        world.scope = scope_of(each)
        spell(each, world)
    functions, below = dict[str, list[Line]](), dict[str, list[Line]]()
    for piece in pieces:
        world.scope = scope_of(piece.program)
        short = shortened(piece.program, world)
        checked = replace(
            piece.program,
            checks=(
                *piece.program.checks,
                *world.unchanged(piece.fixed, shaped=piece.program.granted.shaped),
            ),
        )
        if printer is not None:
            made = printer.functions(checked, world, piece.typed)
            for name, text in made.items():
                to = functions if name == piece.program.name else below
                _add(to, name, statement_lines.plain(text.split("\n"), "forward"))
            continue
        lines = function_lines(checked, world, titled=True, typed=piece.typed)
        _add(functions, checked.name, lines)
        for each in piece.program.helpers:
            if each.name not in short:
                notes = _of_any(each) if typed else NONE
                lines = function_lines(each, world, titled=False, typed=notes)
                _add(below, each.name, lines)
    found = [*functions.values(), *below.values()]
    title = " or ".join(names)
    any_type = "Any" if typed and printer is None else ""
    helpers = helper_texts(world.helpers, world, title, any_type)
    if printer is not None:
        helpers = [printer.helper(text, world) for text in helpers]
    found += [statement_lines.plain(text.split("\n"), "helper") for text in helpers]
    texts = ["\n".join(line.text for line in each) for each in found]
    typing = [line for piece in pieces for line in piece.imports]
    if any_type and len(texts) > len(names):
        typing.append("from typing import Any")
    told = [note for piece in pieces for note in piece.typed.parameters.values()]
    lazy = typed or not all(map(may_be_evaluated, told))
    top = () if printer is None else printer.imports
    whole = _assembled(names, world, texts, (typing, top), frozenset(own), lazy=lazy)
    return replace(whole, lines=statement_lines.one_below_another(found))


def _printer_of(pieces: Sequence[Piece]) -> Printer | None:
    """Return what prints the functions of a file: one for all of them."""
    if len({piece.printer is None for piece in pieces}) > 1:
        raise YotaError(
            "functions of several back ends in one file", remedy="Write two files."
        )
    return pieces[0].printer


def _of_any(program: Program) -> Annotations:
    """What an outlined function takes and returns is not the user's to know."""
    return Annotations(dict.fromkeys(parameters([program]), "Any"), "Any")


def _add(texts: dict[str, list[Line]], name: str, found: list[Line]) -> None:
    """Add a function, if no other has its name."""
    known = texts.setdefault(name, found)
    if [line.text for line in known] != [line.text for line in found]:
        raise YotaError(
            f"two different functions would be called {name}",
            remedy="Write them to two files.",
        )


def _assembled(
    names: tuple[str, ...], world: Linked, texts: Sequence[str],
    lines: tuple[Sequence[str], Sequence[str]], own: frozenset[str], *, lazy: bool,
) -> Module:  # fmt: skip
    typing, first = lines
    read = world.modules_read.values()
    early = frozenset(_in_defaults(texts))
    late = [m for m in read if m.top in own and m.name not in early]
    below = [str(m) for m in late]
    top = [*first, *world.imports, *(str(m) for m in read if m not in late)]
    lazy = lazy or any(line not in top for line in typing)
    typing = [line for line in typing if line not in (*top, *below)]
    if typing:
        top.append("from typing import TYPE_CHECKING")
    future = ["from __future__ import annotations"] if lazy else []
    constants = [
        line
        for name, text in world.constants.items()
        for line in statement_lines.statement(f"{name} = {text}", 0)
    ]
    return Module(
        names, _laid_out(in_sections([*future, *top], own), 0),
        _laid_out(in_sections(typing, own), 1), tuple(constants), tuple(texts),
        _always(_laid_out(in_sections(below), 1)), tuple(world.bound.values()),
        frozenset(_live(texts, {m.name: m.path for m in read})),
        tuple(statement_lines.comment(_BELOW, 0)),
    )  # fmt: skip


def _live(texts: Iterable[str], modules: Mapping[str, str]) -> Iterator[str]:
    """Yield the paths that begin with a module, and all their beginnings."""
    for text in texts:
        for node in ast.walk(ast.parse(text)):
            path = list[str]()
            while isinstance(node, ast.Attribute):
                path.insert(0, node.attr)
                node = node.value
            if isinstance(node, ast.Name) and node.id in modules:
                yield ".".join([modules[node.id], *path])


def _in_defaults(texts: Iterable[str]) -> Iterator[str]:
    """Yield the names in defaults, which are read when the file is imported."""
    for text in texts:
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef):
                defaults = (*node.args.defaults, *node.args.kw_defaults)
                for default in filter(None, defaults):
                    for part in ast.walk(default):
                        if isinstance(part, ast.Name):
                            yield part.id


def _always(imports: tuple[str, ...]) -> tuple[str, ...]:
    return ("if __name__:", *imports) if imports else ()


def _laid_out(statements: Iterable[str], depth: int) -> tuple[str, ...]:
    return tuple(
        line
        for statement in statements
        for line in (statement_lines.statement(statement, depth) if statement else [""])
    )


def in_sections(statements: Iterable[str], own: Iterable[str] = ()) -> list[str]:
    """Import statements in the order of isort, a blank line between sections.

    >>> in_sections(["import numpy as np", "import math", "from a.b import c"], {"a"})
    ['import math', '', 'import numpy as np', '', 'from a.b import c']
    """
    own, sections = frozenset(own), dict[int, dict[str, None]]()
    for line in _merged(statements):
        sections.setdefault(_rank(_root(line), own), {})[line] = None
    found: list[str] = []
    for rank in sorted(sections):
        found += [""] if found else []
        found += sorted(
            sections[rank], key=lambda s: (s.split()[0] != "import", _key(s))
        )
    return found


def _merged(statements: Iterable[str]) -> list[str]:
    """Those from one module as one statement."""
    plain, named = dict[str, None](), dict[str, set[str]]()
    for line in statements:
        if line.startswith("from ") and " as " not in line:
            start, _, rest = line.partition(" import ")
            named.setdefault(start, set()).update(rest.split(", "))
        else:
            plain[line] = None
    rows = (f"{start} import {', '.join(sorted(rest, key=_member))}"
            for start, rest in named.items())  # fmt: skip
    return [*plain, *rows]


def _member(name: str) -> tuple[int, str]:
    """isort's order: CONSTANTS, Classes, functions."""
    rank = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return rank, name


def _key(line: str) -> tuple[str, str]:
    return line.split()[1].lower(), line


def _root(line: str) -> str:
    return line.split()[1].partition(".")[0]


def _rank(root: str, own: frozenset[str]) -> int:
    if root == "__future__":
        return 0
    if root in own:
        return 3
    return 1 if root in sys.stdlib_module_names else 2
