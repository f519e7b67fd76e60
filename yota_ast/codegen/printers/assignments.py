"""Plan, names -> the text of each simple statement, on one line."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby, takewhile
from string import ascii_letters
from typing import Any, Final, Literal, TypeGuard, assert_never

import numpy as np

from yota_ast import syntax
from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.points_to import is_augmented
from yota_ast.codegen.plan.moves import Copy, layout
from yota_ast.codegen.plan.statement_plan import (
    Append,
    Break,
    Exit,
    Let,
    Move,
    NewList,
    Plan,
    Stmt,
    Throw,
    Write,
    reads_of,
    walk,
)
from yota_ast.codegen.plan.unpacking import count_of, is_gap
from yota_ast.codegen.printers.expression_source import BINARY, Expressions
from yota_ast.codegen.printers.reused_memory import OUT, memory_of_result
from yota_ast.errors import InternalError, UnsupportedSyntax
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.built_values import build_list
from yota_ast.ir.nodes import Apply, If, Read, Store, path_length
from yota_ast.ir.store_changes import (
    REMOVE,
    AppendItem,
    Put,
    RemoveLast,
    SharedView,
    Update,
)
from yota_ast.ops import info
from yota_ast.ops.argument_writes import takes_result
from yota_ast.ops.spellings import AT, SIGN_OF, as_ufunc
from yota_ast.ops.subscript_memory import subscripted
from yota_ast.syntax.names import is_plain, is_weak
from yota_ast.syntax.value_paths import attribute_text, path_text

Simple = Let | Write | Move | NewList | Append | Break | Throw | Exit
_LETTERS = "_" + ascii_letters
_SHORT: Final = 16
"""How many characters an expression has of which several share a line."""


class Assignments:
    """Prints simple statements, alone or several that share a line."""

    def __init__(self, plan: Plan, expressions: Expressions) -> None:
        self.plan = plan
        self.write = expressions
        self.reads: Counter[str] | None = None

    def name(self, var: Var) -> str:
        """Return the name of a variable."""
        return self.write.text(var)

    def texts(self, stmt: Simple, extra: Sequence[str], room: int) -> list[str]:
        """Return the text of a statement; only moves may be several lines, or none.

        extra: names that a `Let` gives its value to as well. room: the width there is.
        """
        match stmt:
            case Let():
                text = self.let(stmt, extra)
            case Write():
                text = self.store(stmt)
            case Move():
                return layout(self.copies(stmt), room)
            case NewList():
                text = f"{self.name(stmt.stack)} = []"
            case Append():
                text = self.append(stmt)
            case Break():
                text = "break"
            case Throw():
                text = f"raise {self.write.text(stmt.op.exc)}"
            case Exit():
                text = self.exit(stmt)
        return [text]

    def let(self, stmt: Let, extra: Sequence[str] = ()) -> str:
        """Return `x = value`; `extra`: names that are given the value as well."""
        op = stmt.value
        names = ["_" if is_gap(v) else self.name(v) for v in stmt.targets]
        if isinstance(op, Apply) and (memory := memory_of_result(op)) is not None:
            return self._reused([*names, *extra], op, self.write.text(memory))
        if _is_augmented(op) and names == [self.write.text(op.args[0])]:
            return f"{names[0]} {self.write.augmented(op)}"
        if len(names) == 1 and isinstance(op, Apply) and is_augmented(op):
            if not op.origin.reverse:  # what the reverse sweep writes is its own
                return self._in_place(names[0], op)
        if not names and isinstance(op, Apply) and op.fn in (setattr, operator.setitem):
            return self._put(op)
        if not names:
            return self._value(op)
        if isinstance(op, Apply) and count_of(op) and op.out in stmt.targets:
            if count_of(op) != len(names):  # one that is read again
                return f"{names[0]} = {self._value(op)}"
            targets = ", ".join(names) if len(names) > 1 else f"({names[0]},)"
            return f"{targets} = {self.write.text(op.args[0])}"
        return " = ".join([", ".join(names), *extra, self._value(op)])

    def _in_place(self, name: str, op: Apply) -> str:
        """Return `y_2 = y` and `y_2 *= e`: an array is written, of a number the old
        one stays."""
        change = self.write.augmented(op)
        if re.search(rf"\b{name}\b", change):
            raise UnsupportedSyntax(
                "what may be an array is changed in place by itself, and read later",
                at=op.origin.location,
                remedy="Take a copy with .copy() before.",
            )
        return f"{name} = {self.write.text(op.args[0])}\n{name} {change}"

    def _reused(self, names: list[str], op: Apply, memory: str) -> str:
        """Return `h += b`, `np.tanh(h, out=h)`, `du = np.multiply(dv, t, out=dv)`."""
        alone = names == [memory]
        if alone and op.fn in BINARY:
            texts = [self.write.text(a) for a in op.args]
            if texts[0] == memory:
                return f"{memory} {self.write.augmented(op)}"
            if info(op.fn).arithmetic in ("sum", "product"):
                turned = replace(op, args=op.args[::-1])
                return f"{memory} {self.write.augmented(turned)}"
        fn = as_ufunc(op.fn)
        if isinstance(fn, np.ufunc) and fn is not op.fn:
            op = replace(op, fn=fn, spelling="")
        return " = ".join([*([] if alone else names), self._value(op)])

    def _put(self, op: Apply) -> str:
        """Return `m.b = value` or `items[k] = value`."""
        owner, key, value = op.args
        target, text = self.write.text(owner), self.write.text(value)
        if op.fn is not setattr or not isinstance(key, Const):
            return f"{target}[{self.write.index(key)}] = {text}"
        if is_plain(key.value):
            return f"{attribute_text(target, key.value)} = {text}"
        setter, name = self.write.world.builtin("setattr"), self.write.text(key)
        return f"{setter}({target}, {name}, {text})"

    def _value(self, op: Apply | Read | If) -> str:
        return self._read(op) if isinstance(op, Read) else self.write.op(op)[0]

    def _read(self, op: Read) -> str:
        return self.write.world.path(self.write.text(op.root), op.path)

    def store(self, stmt: Write) -> str:
        """Return `x[i] = value` or `x[i] += value`; without the index for all of x."""
        op = stmt.op
        match op.change:
            case Put(by_call=True) if (call := self._called(op)) is not None:
                return call
            case Put():
                place = self.write.place(op.target, op.index)
                return f"{place} = {self.write.text(op.value)}"
            case Update(fn, repeats=True):
                return self._at(op, fn)
            case Update(fn):
                fn, value = self.write.without_sign(op, fn, op.value)
                place = self._updated(op)
                share = self.write.share(op, fn, value, place)
                if share is not None:
                    return f"{place} *= {share}"
                return f"{place} {SIGN_OF[fn]}= {self.write.text(value)}"
            case AppendItem():
                return f"{self._resized(op)}.append({self.write.text(op.value)})"
            case RemoveLast():
                return f"{self._resized(op)}.pop()"
            case SharedView():
                raise InternalError("a view that has been written is printed")
            case _:
                assert_never(op.change)

    def _called(self, op: Store) -> str | None:
        """Return `np.add(x, y, out=z[i])`; None where it has to be an assignment."""
        nested = self.write.nested
        made = nested.get(op.value.name) if isinstance(op.value, Var) else None
        if not isinstance(made, Apply) or made.form not in ("call", "method"):
            return None
        if not takes_result(made.fn) or OUT in dict(made.kwargs):
            return None
        place = op.target
        if op.index != Const(Ellipsis):
            if subscripted(op.target, op.index) != "view" or _is_cell(op):
                return None
            place = Var(f"{op.out.name}@place", op.target.fact)
            nested[place.name] = Apply(
                place, operator.getitem, (op.target, op.index), form="subscript"
            )
        return self._value(replace(made, kwargs=(*made.kwargs, (OUT, place))))

    def popped(self, stmt: Stmt, following: Sequence[Stmt]) -> str | None:
        """Return `last = items.pop()`, where the statement after one that reads the
        last item removes it."""
        after = following[0] if following else None
        if not isinstance(stmt, Let) or not isinstance(after, Write):
            return None
        op, removed = stmt.value, after.op
        if not isinstance(op, Apply) or removed.change != REMOVE:
            return None
        if op.fn is not operator.getitem or len(stmt.targets) != 1:
            return None
        owner = self.write.text(removed.target)
        if removed.index != Const(None):
            return None
        if op.args[1] != Const(-1) or self.write.text(op.args[0]) != owner:
            return None
        return f"{self.name(stmt.targets[0])} = {owner}.pop()"

    def _resized(self, op: Store) -> str:
        """Return the list that becomes longer or shorter: `rows`, `rows[i]`."""
        if path_length(op.target, op.index):
            return self.write.place(op.target, op.index)
        return self.write.text(op.target)

    def _updated(self, op: Store) -> str:
        """Return what stands before `+=`: the name for all of an array."""
        if isinstance(op.index, Const) and op.index.value is Ellipsis:
            return self.write.text(op.target)
        return self.write.place(op.target, op.index)

    def _at(self, op: Store, fn: Callable[..., Any]) -> str:
        """Return `np.add.at(x, i, value)`: an index that repeats adds every time."""
        ufunc = self.write.world.function(AT[fn])
        parts = [self.write.text(a) for a in (op.target, op.index, op.value)]
        return f"{ufunc}.at({', '.join(parts)})"

    def append(self, stmt: Append) -> str:
        """Return `saved.append((x, y))`."""
        names = [self.name(v) for v in stmt.saved]
        value = names[0] if len(names) == 1 else f"({', '.join(names)})"
        return f"{self.name(stmt.stack)}.append({value})"

    def exit(self, stmt: Exit) -> str:
        """Return `return value, dx`."""
        values = [self.write.text(a) for a in (stmt.value, *stmt.results)]
        return f"return {', '.join(values)}"

    # ------------------------------------------------------------ moves

    def copies(self, move: Move) -> list[Copy]:
        """Return the copies of a move that do something."""
        found: list[Copy] = []
        for var, atom in move.pairs:
            name, text = self.name(var), self.write.text(atom)
            if name != text and all(name != c.name for c in found):
                reads = frozenset(
                    self.write.names.by_key.get(k, k) if self.write.names else k
                    for k in self.plan.leaves(atom)
                )
                found.append(Copy(name, text, reads, self._kind(atom)))
        return found

    def _kind(self, atom: Atom) -> Literal["literal", "variable", "expression"]:
        if not isinstance(atom, Var):
            return "literal"
        return "expression" if atom.name in self.plan.nested else "variable"

    def chained(self, stmt: Let, move: Move) -> tuple[list[str], Move]:
        """Return the names that the next move copies a value to, and the rest."""
        op = stmt.value
        if len(stmt.targets) != 1 or isinstance(op, Read) or _is_augmented(op):
            return [], move
        name = self.name(stmt.targets[0])
        copies = self.copies(move)
        names = [c.name for c in copies if c.text == name]
        others = [c for c in copies if c.text != name]
        assigned = {name, *names}
        if name in names or any(c.name == name or assigned & c.reads for c in others):
            return [], move
        pairs = tuple(p for p in move.pairs if self.name(p[0]) not in names)
        return names, replace(move, pairs=pairs)

    def renamed(self, stmt: Let, names: list[str], move: Move) -> tuple[Let, list[str]]:
        """Return the statement without its own name, where only the move reads it."""
        if not names:
            return stmt, names
        key = self.plan.key(stmt.targets[0])
        moved = [v for v, _ in move.pairs if self.name(v) == names[0]]
        if self._times_read()[key] != len(names):
            return stmt, names
        return replace(stmt, targets=(moved[0],)), names[1:]

    def _times_read(self) -> Counter[str]:
        """Return how often each variable is read in the function."""
        if self.reads is None:
            self.reads = Counter(
                key
                for stmt in walk(self.plan.body)
                for key in reads_of(self.plan, stmt)
            )
        return self.reads

    # ------------------------------------------------------------ shared lines

    def shared(
        self, stmts: Sequence[Stmt], room: int, group: int
    ) -> tuple[int, list[str]]:
        """Return how many statements share lines, and these lines; 0 if none do.

        room: the width there is. group: the statement that the last comment quoted.
        """
        if not isinstance(stmts[0], Let):
            return 0, []
        reads = list(takewhile(lambda s: isinstance(_value_of(s), Read), stmts))
        if reads:
            return len(reads), self._reads(reads, room)
        if whole := _unpacked(stmts):
            count = len(whole.fact.items or ())
            lets = [s for s in stmts[:count] if isinstance(s, Let)]
            names = ", ".join(self.name(s.targets[0]) for s in lets)
            return count, [f"{names} = {self.name(whole)}"]
        count = self._together(stmts) or self._zeros(stmts, room, group)
        count = count or self._empty_lists(stmts, room)
        count = count or self._alike(stmts, room, group)
        if count <= 1:
            return 0, []
        return count, [self._tuple(stmts[:count])]

    def _tuple(self, stmts: Sequence[Stmt]) -> str:
        """Return `a, b = f(x), g(y)`."""
        lets = [s for s in stmts if isinstance(s, Let)]
        names = ", ".join(self.name(s.targets[0]) for s in lets)
        return f"{names} = {', '.join(self._value(s.value) for s in lets)}"

    def _reads(self, reads: Sequence[Stmt], room: int) -> list[str]:
        """Return the reads of each object's fields on one line, as far as they fit."""
        found: list[str] = []
        for _, together in groupby(reads, key=_object):
            pending: list[Stmt] = []
            group = [*together]
            if (whole := _all_items_of(group)) is not None:
                names = (self.name(s.targets[0]) for s in group if isinstance(s, Let))
                line = f"{', '.join(names)} = {self.name(whole)}"
                if len(line) <= room:
                    found.append(line)
                    continue
            for stmt in group:
                if pending and len(self._tuple([*pending, stmt])) > room:
                    found.append(self._tuple(pending))
                    pending = []
                pending.append(stmt)
            found.append(self._tuple(pending))
        return found

    def _together(self, stmts: Sequence[Stmt]) -> int:
        """Return how many statements are one of the user's: `a, b = f(x), g(y)`."""
        first = stmts[0]
        wanted = [] if first.origin.reverse else _tuple_targets(first.origin.text)
        seen: set[str] = set()
        for stmt, name in zip(stmts, wanted, strict=False):
            alike = (
                isinstance(stmt, Let)
                and [v.hint for v in stmt.targets] == [name]
                and stmt.origin.statement == first.origin.statement
            )
            if not alike or not self._add(stmt, seen):
                return 0
        return len(wanted) if len(seen) == len(wanted) else 0

    def _zeros(self, stmts: Sequence[Stmt], room: int, group: int) -> int:
        """Return how many adjoints start as zeros on one line: `dW1, db1 = ...`.

        The names of a layer end in its number, and stand by themselves.
        """
        seen: set[str] = set()
        layers: set[str] = set()
        for i, stmt in enumerate(stmts):
            op = _value_of(stmt)
            if not isinstance(op, Apply) or op.fn is not np.zeros_like:
                return i
            own = not op.origin.text or op.origin.statement == group
            layers.add(self.name(op.out).strip(_LETTERS))
            alike = len(layers) == 1
            if not (op.origin.reverse and own and alike and self._add(stmt, seen)):
                return i
            if len(self._tuple(stmts[: i + 1])) > room:
                return i
        return len(stmts)

    def _alike(self, stmts: Sequence[Stmt], room: int, group: int) -> int:
        """Return how many adjoints of one line are the same short expression of other
        variables: `dU, dV = t1 * U, t1 * V`."""
        seen: set[str] = set()
        forms: set[str] = set()
        for i, stmt in enumerate(stmts):
            op = _value_of(stmt)
            if not isinstance(op, Apply) or op.effect or op.form == "augmented":
                return i
            own = not op.origin.text or op.origin.statement == group
            read = op.fn is operator.getitem  # what the function has under this name
            if read or not (op.origin.reverse and own) or is_weak(op.out.hint):
                return i
            if self.plan.key(op.out) in seen or not self._add(stmt, seen):
                return i
            text = self._value(op)
            forms.add(_form(text))
            if len(forms) > 1 or len(text) > _SHORT:
                return i
            if len(self._tuple(stmts[: i + 1])) > room:
                return i
        return len(stmts)

    def _empty_lists(self, stmts: Sequence[Stmt], room: int) -> int:
        """Return how many empty lists of the reverse sweep share a line."""
        for i, stmt in enumerate(stmts):
            op = _value_of(stmt)
            empty = isinstance(op, Apply) and op.fn is build_list and not op.args
            if not empty or not stmt.origin.reverse:
                return i
            if len(self._tuple(stmts[: i + 1])) > room:
                return i
        return len(stmts)

    def _add(self, stmt: Stmt, seen: set[str]) -> bool:
        """Add a statement's target to `seen`, unless its value reads one of these."""
        if not isinstance(stmt, Let) or seen.intersection(
            self.plan.leaves_of(stmt.value)
        ):
            return False
        seen.update(map(self.plan.key, stmt.targets))
        return True


def _form(text: str) -> str:
    """Return an expression without the names of its variables.

    >>> _form("t1 * U"), _form("np.exp(x)") == _form("np.sin(x)")
    ('_ * _', False)
    """
    return re.sub(r"(?<![\w.])[A-Za-z_]\w*(?![\w.(])", "_", text)


def _value_of(stmt: Stmt) -> Apply | Read | If | None:
    """Return the value of an assignment to one variable."""
    if isinstance(stmt, Let) and len(stmt.targets) == 1:
        return stmt.value
    return None


def _is_cell(op: Store) -> bool:
    """Return whether a store is to a single element, or may be."""
    known = fact_of_atom(op.index)
    parts = known.items if known.items is not None else (known,)
    slices = any(part.cls is slice for part in parts)
    rank = op.target.fact.rank
    return not slices and (rank is None or len(parts) >= rank)


def _is_augmented(op: Apply | Read | If) -> TypeGuard[Apply]:
    return isinstance(op, Apply) and op.form == "augmented" and op.fn in BINARY


def _object(stmt: Stmt) -> tuple[str, str]:
    """Return what a read's object is known by."""
    op = _value_of(stmt)
    if not isinstance(op, Read):
        return ("", "")
    return (op.root.name, path_text("", op.path[:-1]))


def _all_items_of(reads: Sequence[Stmt]) -> Var | None:
    """Return the argument of which some statements read each item, in order: the text
    has checked how many it has."""
    ops = [op for s in reads if isinstance(op := _value_of(s), Read)]
    root = ops[0].root
    wanted = [(("item", k),) for k in range(len(root.fact.items or ()))]
    known = root.fact.kind in ("tuple", "list") and len(wanted) > 1
    return root if known and [op.path for op in ops] == wanted else None


def _unpacked(stmts: Sequence[Stmt]) -> Var | None:
    """Return the row of numbers of which the first statements take each item, in order,
    under the names that one statement of the user's gives them."""
    first = _value_of(stmts[0])
    whole = first.args[0] if isinstance(first, Apply) and first.args else None
    if not isinstance(whole, Var) or whole.fact.kind not in ("tuple", "list"):
        return None
    items = whole.fact.items or ()
    if stmts[0].origin.reverse or not all(f.kind in ("float", "int") for f in items):
        return None
    count = len(items)
    taken = stmts[:count]
    ops = [op for s in taken if isinstance(op := _value_of(s), Apply)]
    alike = len(ops) == count > 1 and len({s.origin.statement for s in taken}) == 1
    places = [op.fn is operator.getitem and op.args for op in ops]
    named = not any(is_weak(op.out.hint) for op in ops)
    wanted = [(whole, Const(k)) for k in range(count)]
    apart = len({op.out.hint for op in ops} | {whole.hint}) > count
    return whole if alike and named and apart and places == wanted else None


def _tuple_targets(text: str) -> list[str]:
    """Return the names that a line assigns one value each."""
    targets, equals, values = text.partition(" = ")
    names = targets.split(", ") if equals else []
    if len(names) <= 1 or "(" in targets or "[" in targets:
        return []
    try:
        value = syntax.parse_expr(values)
    except SyntaxError:  # of a long statement only the beginning is kept
        return []
    whole = isinstance(value, syntax.nodes.Tuple) and len(value.elts) == len(names)
    return names if whole else []
