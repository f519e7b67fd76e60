"""Loops: the body is lowered until what it carries round stays the same."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, NoReturn

from yota_ast.errors import InternalError, UnsupportedCall, UnsupportedSyntax
from yota_ast.facts import (
    INT,
    UNKNOWN,
    Fact,
    anonymous,
    element_of,
    join,
    least_of,
    list_of,
    steady,
)
from yota_ast.frontend.cached import check_loop
from yota_ast.frontend.exchanging import Exchanging, is_whole
from yota_ast.frontend.flow import (
    BROKEN,
    CONTINUED,
    FLAGS,
    RESULT,
    RETURNED,
    exits,
    live_at_head,
    names_appended,
    names_assigned,
)
from yota_ast.frontend.passing import WRITTEN_INSIDE
from yota_ast.frontend.piecemeal import Before, has_changed
from yota_ast.frontend.statements import FALSE, TRUE
from yota_ast.frontend.values import (
    LOST,
    NOT_ITERABLE,
    NULL,
    Argument,
    Cell,
    Generator,
    Heap,
    Lazy,
    MaybeValue,
    Node,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.syntax import nodes
from yota_ast.tape import (
    UNDEFINED,
    Atom,
    Block,
    Carry,
    Const,
    For,
    Op,
    Undefined,
    Var,
    While,
)

Path = tuple[object, ...]
Place = tuple[int, Any, Path]
"""A cell, the key of an item, and the way down its tuples and containers."""

MAX_PASSES: Final = 30
FEW: Final = 12


@dataclass(frozen=True, slots=True)
class Carried:
    """A leaf that iterations hand on: its fact so far, and its value on entry.

    Of its memory: phi, the root that stands for it within an iteration, so long as it
    is private: no other carried variable may be the same memory at the same time; else
    shared, a root of several. outer: the roots from before the loop that it may be.
    whole as in `Memory`. stale: an iteration may leave in it what is overwritten
    afterwards. same: it is the same object all the time.
    """

    fact: Fact
    init: Atom | Undefined
    hint: str | None
    phi: str = ""
    private: bool = True
    shared: str = ""
    outer: tuple[str, ...] = ()
    whole: bool = True
    stale: bool = False
    same: bool = False
    also: tuple[Place, ...] = ()
    template: Value | None = field(default=None, compare=False)
    """Where nothing was before the loop: a value of the structure that it leaves."""


@dataclass(slots=True)
class Pass:
    """One lowering of a loop's body."""

    ops: list[Op]
    insides: dict[Place, Var]
    entry: Heap
    exit: Heap
    entered: Mapping[str, str]  # the state of memory on entry, and at the end
    current: Mapping[str, str]
    successors: Mapping[str, Var]  # written arrays as they are at the end
    header: Any  # what entering gave: the targets, or the test and its block


class Loops(Exchanging):
    """For and While ops, and loops over known items, which are unrolled."""

    # ------------------------------------------------------------ for

    def run_For(self, stmt: Node) -> None:
        """for target in iterable."""
        iterable = self.iterated(self.evaluate(stmt.iter))
        if self.fails_on(iterable, NOT_ITERABLE):
            return
        if isinstance(iterable, Generator):
            self.over_generator(stmt, iterable)
            return
        taken = None if isinstance(iterable, Lazy) else iterable
        source = iterable
        if taken is not None:
            iterable = self.run_through(taken)
        with self.around(stmt, taken, source):
            self.over(stmt, iterable, source)

    def over_generator(self, stmt: Node, generator: Generator) -> None:
        """for target in generator: all that it yields is taken beforehand."""
        if exits([stmt], loop=False) or exits(stmt.body):
            self.refuse(
                "a loop over a generator is left before its end",
                "Build a list, and loop over it.",
            )
        check = self.unchanged_by(generator)
        items = self.run_through(generator)
        self.over(stmt, items, items)
        check()

    def unchanged_by(self, generator: Generator) -> Callable[[], None]:
        """A check that what a generator may read is as it is now; see contexts.py."""
        raise NotImplementedError

    def over(self, stmt: Node, iterable: Value, source: Value) -> None:
        """A loop over something that is no object of a user's class; source: what gave
        the items."""
        after = self.live
        if not self.stays_loop(iterable):
            items = self.items_of(iterable)
            if items is not None:
                self.unroll(stmt, items, source, after)
                return
        items = self.few_items(iterable)
        if items is None:
            with self.unchanged_while(source):
                self.as_loop(stmt, iterable)
            return
        mark, counters = self.mark(), (self.counter, self.statements)
        lists = isinstance(iterable, Const)  # of indices into them
        names = self.heap[self.frame.cell].items if lists else names_assigned(stmt.body)
        known = self.known_sequences(names, lists=lists)
        outer, self.holding = self.holding, False  # lists of lists keep their items
        try:
            with self.unchanged_while(source):
                self.as_loop(stmt, iterable)
            if known <= self.known_sequences(known, lists=lists):
                return
            error: UnsupportedSyntax | UnsupportedCall | None = None
        except (UnsupportedSyntax, UnsupportedCall) as refusal:
            error = refusal
        finally:
            self.holding = outer
        self.back_to(mark)
        self.counter, self.statements = counters
        try:
            self.unroll(stmt, items, source, after)
        except (UnsupportedSyntax, UnsupportedCall):
            if error is not None:
                raise error from None
            self.back_to(mark)
            self.counter, self.statements = counters
            with self.unchanged_while(source):
                self.as_loop(stmt, iterable)

    def known_sequences(self, names: Iterable[Any], *, lists: bool) -> frozenset[Any]:
        """The names of tuples, and of lists, of which the items are known."""
        values = {name: self.get((self.frame.cell, name)) for name in names}
        return frozenset(
            name
            for name, value in values.items()
            if isinstance(value, TupleValue)
            or (lists and isinstance(value, Ref) and self.sequence_items(value))
        )

    def few_items(self, iterable: Value) -> tuple[Value, ...] | None:
        """Items written in the program, so few that the text may have one body for
        each, where it cannot have one for all, or where one for all would lose sight
        of the items of a tuple."""
        items = None
        if isinstance(iterable, Lazy) and not self.ended:
            items = self.items_of(iterable)
        else:
            items = _indices_in_cell(iterable)
        return None if items is None or len(items) > FEW else items

    def as_loop(self, stmt: Node, iterable: Value) -> None:
        """A loop that stays one in the text."""
        atom = self.iterable_atom(iterable)
        element = self.element_fact(iterable)

        def enter() -> tuple[Var, ...]:
            return self.bind_targets(stmt.target, element, atom)

        self.run_over(stmt, atom, enter)
        if isinstance(atom, Var) and self.was_written(atom):
            self.refuse_written()

    def run_over(self, stmt: Node, atom: Atom, enter: Callable[[], Any]) -> None:
        """The For; `enter` binds the targets, and gives the variables."""
        after = self.live
        done, carries = self.loop(stmt, enter, after)
        stop = self.stop_of(done)
        body = Block(tuple(done.ops))
        self.emit(For(done.header, atom, body, carries, stop, origin=self.origin))
        self.noted_of(stmt, "loop")
        self.after_loop(stmt, done, after)

    def refuse_written(self) -> NoReturn:
        """The loop that has just been lowered has written what it runs over."""
        self.refuse(*WRITTEN_INSIDE)

    def stays_loop(self, iterable: Value) -> bool:
        """Whether a `for` over this stays one: ranges, arrays, what is made of them."""
        if isinstance(iterable, Lazy):
            if iterable.fn is range:
                return True
            return all(self.stays_loop(a) for a in iterable.args if _is_iterable(a))
        if isinstance(iterable, Argument):
            return self.is_long(iterable)
        return self.items_of(iterable) is None

    def is_long(self, argument: Argument) -> bool:
        """Whether a list of numbers is too long to be taken apart."""
        items = argument.fact.items
        return items is None or (len(items) > 16 and all(f.is_numeric for f in items))

    def iterable_atom(self, iterable: Value) -> Atom:
        """What a For runs over."""
        return self.atom(iterable)

    def element_fact(self, iterable: Value) -> Fact:
        """What is known of each item."""
        if isinstance(iterable, Lazy):
            parts = [self.element_fact(a) for a in iterable.args]
            if iterable.fn is range:
                return INT
            if iterable.fn is enumerate:
                return Fact("tuple", items=(INT, parts[0]), cls=tuple)
            if iterable.fn is zip:
                return Fact("tuple", items=tuple(parts), cls=tuple)
            return parts[0] if iterable.fn is reversed else UNKNOWN
        fact = self.fact(iterable)
        if fact.kind in ("list", "tuple"):
            known = element_of(fact)
            return UNKNOWN if known.kind == "nothing" else known
        if fact.items:
            joined = fact.items[0]
            for item in fact.items[1:]:
                joined = join(joined, item)
            return joined
        if isinstance(iterable, Var | Const) and fact.is_numeric:
            return self.inferred(operator.getitem, (iterable, Const(0)), ())
        return UNKNOWN

    def bind_targets(self, target: Node, element: Fact, atom: Atom) -> tuple[Var, ...]:
        """New variables for the targets; nested targets are unpacked in the body."""
        flat = isinstance(target, nodes.Tuple) and len(target.elts) > 1
        flat = flat and not any(isinstance(e, nodes.Starred) for e in target.elts)
        elements = target.elts if flat else [target]
        items = element.items if flat and element.items else (element,) * len(elements)
        facts = items
        if flat and not element.items:
            facts = (self.row_fact(element),) * len(elements)
        made = []
        for node, fact in zip(elements, facts, strict=True):
            hint = node.id if isinstance(node, nodes.Name) else None
            hint = None if hint is None or hint.startswith("%") else hint
            made.append(self.var(anonymous(fact), hint))
        for var, node in zip(made, elements, strict=True):
            self.remember_element(var, atom)
            self.assign(node, var)
        return tuple(made)

    def row_fact(self, element: Fact) -> Fact:
        """What is known of the items of a row of an array."""
        if element.kind != "array" or not element.rank:
            return UNKNOWN
        return self.inferred(operator.getitem, (Var("%row", element), Const(0)), ())

    def remember_element(self, var: Var, iterable: Atom) -> None:
        """Note that an item may share its iterable's memory; see memory.py."""
        raise NotImplementedError

    # ------------------------------------------------------------ while

    def run_While(self, stmt: Node) -> None:
        """while test."""
        after, changes = self.live, False
        if any(isinstance(n, nodes.NamedExpr) for n in nodes.walk(stmt.test)):
            stmt = self.test_inside(stmt)

        def enter() -> tuple[list[Op], bool | Atom]:
            nonlocal changes
            before = Before.of(self)
            with self.block() as ops:
                test = self.test(stmt.test)
            changes = changes or has_changed(self, before)
            return ops, test

        mark = self.mark()
        _, test = enter()
        self.back_to(mark)
        if test is False and not changes and not self.seeds(stmt, after):
            self.execute(stmt.orelse, after)
            return
        if not changes:
            with self.around(stmt, None, NULL):
                done, carries = self.loop(stmt, enter, after)
        if changes:  # what the last test has changed stays so after the loop
            self.back_to(mark)
            self.run_While(self.test_inside(stmt))
            return
        ops, test = done.header
        if isinstance(test, bool):
            test = TRUE if test else FALSE
        stop = self.stop_of(done)
        blocks = (Block(tuple(ops)), test, Block(tuple(done.ops)))
        self.emit(While(*blocks, carries, stop, origin=self.origin))
        self.noted_of(stmt, "loop")
        self.after_loop(stmt, done, after)

    def test_inside(self, stmt: Node) -> Node:
        """`while (x := e): body` as `while True: if not (x := e): break; body`.

        So of other tests that change something, too; an else comes before the break.
        """
        if exits(stmt.orelse, returns=False):
            self.refuse(
                "the else of a while whose test assigns or changes something "
                "leaves the loop around it",
                "Assign before the loop, and at the end of its body.",
            )
        test = nodes.copy_location(nodes.UnaryOp(nodes.Not(), stmt.test), stmt.test)
        stop = nodes.copy_location(nodes.Break(), stmt)
        leave = nodes.If(test, [*stmt.orelse, stop], [])
        nodes.copy_location(leave, stmt)
        made = nodes.While(nodes.Constant(True, None), [leave, *stmt.body], [])
        return nodes.copy_location(made, stmt)

    # ------------------------------------------------------------ the fixed point

    def loop(
        self, stmt: Node, enter: Callable[[], Any], after: frozenset[str]
    ) -> tuple[Pass, tuple[Carry, ...]]:
        """Lower the body until its carried variables and their facts are settled."""
        self.open_arguments(stmt)
        head = live_at_head(stmt, self.ahead(after)) | self.frame.scope.captured
        tag = f"loop{self.counter}"
        carried = self.with_phis(tag, self.materialised(self.seeds(stmt, after)))
        written: tuple[str, ...] = ()
        for _ in range(MAX_PASSES):
            before, counter = self.mark(), (self.counter, self.statements)
            with self.expecting(stmt) as expected:
                done = self.one_pass(stmt, enter, carried, (head, after), written)
            wanted = self.wanted(tag, done, carried, head | after | {RESULT})
            more = self.written_by(done, wanted)
            slots, shared = self.exchanged(
                done.entry, done.exit, head | after | {RESULT}
            )
            if wanted == carried and set(more) <= set(written) and not shared:
                if expected.refusal is not None:
                    raise expected.refusal
                for states in ((done.entry, done.entered), (done.exit, done.current)):
                    check_loop(self, before.first_reads, *states)
                return done, self.close(done, carried, written)
            written = tuple(sorted({*written, *more}))
            self.back_to(before)
            self.counter, self.statements = counter
            if shared:
                self.part(slots, shared)
            carried = self.with_phis(tag, self.materialised(wanted))
        self.refuse(
            "what this loop carries from one iteration to the next keeps changing",
            "Carry values of one type and shape.",
        )

    def open_arguments(self, stmt: Node) -> None:
        """Names of containers of the caller's that the body gives other containers:
        before the loop too they stand for their parts."""
        for name in names_assigned(stmt.body):
            value = self.get((self.frame.cell, name))
            if isinstance(value, Argument):
                self.put(self.frame.cell, name, self.opened(value))

    def opened(self, value: Value, *, deep: bool = True) -> Value:
        """A container or object of the caller's, as one of its parts."""
        if not isinstance(value, Argument):
            return value
        items: dict[Any, Value]
        kind: Any = value.fact.kind
        if kind == "object":
            fields = getattr(value.example, "__dict__", None)
            if not fields:
                return value
            items = {name: self.attribute(value, name) for name in fields}
        elif value.fact.items is None:
            return value
        else:
            keys = value.fact.keys or range(len(value.fact.items))
            items = {key: self.item_of_argument(value, key) for key in keys}
        if deep:
            items = {key: self.opened(item) for key, item in items.items()}
        if kind == "tuple":
            return TupleValue(tuple(items.values()), value.fact.cls or tuple)
        cell = Cell(kind, items, value.fact.cls, fixed=True, source=value)
        return self.new_cell(cell)

    def with_phis(
        self, tag: str, carried: dict[Place, Carried]
    ) -> dict[Place, Carried]:
        """Give each carried variable a root of its own."""
        return {
            place: carry if carry.phi else replace(carry, phi=f"{tag}:{k}")
            for k, (place, carry) in enumerate(carried.items())
        }

    def seeds(self, stmt: Node, after: frozenset[str]) -> dict[Place, Carried]:
        """Numbers that the body assigns and reads, lists to which it appends: surely
        carried. What is not found here takes another pass over the body."""
        head = live_at_head(stmt, self.ahead(after))
        found: dict[Place, Carried] = {}
        for name in names_assigned(stmt.body):
            value = self.get((self.frame.cell, name))
            if name in head and isinstance(value, Var | Const):
                fact = self.fact(value)
                if fact.length is not None:  # of what axis, the next would not know
                    fact = anonymous(fact)
                if fact.is_numeric and not self.has_names(value):
                    found[self.frame.cell, name, ()] = Carried(fact, value, name)
        for name in names_appended(stmt.body):
            value = self.get((self.frame.cell, name))
            if isinstance(value, Ref) and self.grows(self.heap[value.cell]):
                found[value.cell, WHOLE, ()] = Carried(Fact("unknown"), UNDEFINED, None)
        return found

    def grows(self, cell: Cell) -> bool:
        """Whether a list that is appended to is carried as a list of numbers."""
        items = cell.items.values()
        return cell.kind == "list" and cell.var is None and all(
            isinstance(item, Var | Const) and self.fact(item).is_numeric
            for item in items
        )  # fmt: skip

    def has_names(self, value: Value) -> bool:
        """Whether what may be an array is held at several places."""
        if not isinstance(value, Var) or not value.fact.may_be_array:
            return False
        cells = self.heap.values()
        return sum(v == value for c in cells for v in c.items.values()) > 1

    def one_pass(
        self,
        stmt: Node,
        enter: Callable[[], Any],
        carried: dict[Place, Carried],
        live: tuple[frozenset[str], frozenset[str]],
        written: tuple[str, ...] = (),
    ) -> Pass:
        """Lower the body once.

        written: the roots from before the loop that the body is known to write.
        """
        before = self.snapshot()
        insides = {}
        for place, carry in carried.items():
            insides[place] = self.var(anonymous(carry.fact), carry.hint)
            if place[1] != RESULT:  # an iteration begins where nothing is returned
                for each in (place, *carry.also):
                    self.set_place(each, insides[place], carry.template)
        self.enter_memory(insides, carried, written)
        entry, entered = dict(self.heap), dict(self.current)
        head, after = live
        outer = self.loops
        self.loops = (*outer, (after, head))
        self.turns += 1
        try:
            with self.block() as ops:
                header = enter()
                with self.comes_back():
                    self.execute(stmt.body, head | after)
                self.hold_as_before(entry)
        finally:
            self.loops = outer
            self.turns -= 1
        if self.get((self.frame.cell, CONTINUED)) is not None:
            self.drop(self.frame.cell, CONTINUED)
        exit_heap = dict(self.heap) if not self.ended else dict(entry)
        current, successors = dict(self.current), dict(self.successors)
        if not self.ended:
            self.same_globals(before.globals, self.rebound)
        self.restore(before)
        return Pass(
            ops, insides, entry, exit_heap, entered, current, successors, header
        )

    def hold_as_before(self, entry: Heap) -> None:
        """What the text holds as a whole when an iteration begins it holds so at its
        end, where a list was given items that are known."""
        for number, cell in entry.items():
            known = self.heap.get(number)
            if cell.var is None or known is None or self.ended:
                continue
            if cell.kind == "list" and known.var is None:
                self.hold_as_variable(Ref(number))

    def enter_memory(
        self,
        insides: Mapping[Place, Var],
        carried: Mapping[Place, Carried],
        written: tuple[str, ...],
    ) -> None:
        """What memory the carried variables may share; see memory.py."""
        raise NotImplementedError

    def written_by(
        self, done: Pass, carried: Mapping[Place, Carried]
    ) -> tuple[str, ...]:
        """The roots from before the loop that its body writes; see memory.py."""
        raise NotImplementedError

    def set_place(self, place: Place, value: Value, template: Value | None) -> None:
        """Put a value at a place."""
        cell, key, path = place
        if key is WHOLE:
            assert isinstance(value, Var)
            whole = self.heap[cell]
            self.heap[cell] = replace(whole, items={}, var=value)
            return
        old = self.get((cell, key))
        structure = template if old is None else old
        whole = self.heap[cell]
        if not self.has_path(structure, path):
            self.refuse_exchange(place)  # a list that is held as a whole by now
        self.put(cell, key, self.replaced(structure, path, value))
        if whole.kind == "object":
            perhaps = whole.perhaps | ({key} if old is None else frozenset())
            self.heap[cell] = replace(self.heap[cell], perhaps=perhaps)

    def has_path(self, value: Value | None, path: Path) -> bool:
        """Whether the containers on the way to a leaf are known item by item."""
        for step in path:
            if isinstance(value, Ref) and isinstance(step, Item):
                if step.key not in self.heap[value.cell].items:
                    return False
                value = self.heap[value.cell].items[step.key]
            elif isinstance(value, TupleValue) and isinstance(step, int):
                value = value.items[step]
        return True

    def replaced(self, old: Value | None, path: Path, new: Value) -> Value:
        """A value with one leaf replaced."""
        if not path:
            return new
        if isinstance(old, Ref) and isinstance(path[0], Item):
            key, cell = path[0].key, self.heap[old.cell]
            item = self.replaced(cell.items[key], path[1:], new)
            return self.new_cell(replace(cell.with_item(key, item), fixed=True))
        if isinstance(old, TupleValue):
            k = path[0]
            assert isinstance(k, int)
            item = self.replaced(old.items[k], path[1:], new)
            return TupleValue((*old.items[:k], item, *old.items[k + 1 :]), old.cls)
        raise InternalError("a part is carried of what is no container")

    def wanted(
        self, tag: str, done: Pass, carried: dict[Place, Carried], live: frozenset[str]
    ) -> dict[Place, Carried]:
        """What has to be carried, as far as this pass tells."""
        wanted, ends = self.parted(done, carried), {}
        twins = {p: main for main, c in wanted.items() for p in c.also}
        found: dict[object, Place] = {}
        for place, one, two in self.differences(done.entry, done.exit, live):
            ends[place] = two
            if place in twins or self.is_one_view(one, two):
                continue
            pair = (one, two) if place not in wanted else place
            if isinstance(one, Var) and isinstance(two, Var) and pair in found:
                main = found[pair]
                wanted[main] = replace(wanted[main], also=(*wanted[main].also, place))
                continue
            found[pair] = place
            end = self.fact_at_end(done, two)
            if place in wanted:
                fact = self.handed_on(wanted[place].fact, end)
                wanted[place] = replace(wanted[place], fact=fact)
            else:
                fresh = self.get(place[:2]) is None
                init = UNDEFINED if fresh else self.init_of(place, one)
                fact = end
                if not isinstance(one, Undefined):
                    fact = self.handed_on(self.fact(one), end)
                wanted = _without_parts(wanted, place)
                hint = place[1] if isinstance(place[1], str) else None
                hint = None if hint is None or hint.startswith("%") else hint
                wanted[place] = Carried(fact, init, hint)
            if place[2]:
                whole = done.exit[place[0]].items.get(place[1])
                wanted[place] = replace(wanted[place], template=whole)
        while following := self.followers(done, wanted, live):
            wanted |= following
        return self.carried_memory(tag, done, wanted, ends, live)

    def followers(
        self, done: Pass, wanted: Mapping[Place, Carried], live: frozenset[str]
    ) -> dict[Place, Carried]:
        """Names that get the constant which another had on entry: that one is carried,
        and the next pass would find that they are, too. A chain `p1, p2, p3 = p0, p1,
        p2` would else take a pass for each of its names."""
        cell = self.frame.cell
        old, new = done.entry[cell].items, done.exit[cell].items
        # By identity: each constant of the program text is an object of its own.
        sources = {
            id(old[key]): carry.fact
            for (number, key, path), carry in wanted.items()
            if number == cell and not path and isinstance(old.get(key), Const)
        }
        return {
            (cell, key, ()): Carried(
                self.handed_on(self.fact(value), sources[id(new[key])]), value, key
            )
            for key, value in old.items()
            if key in live and key not in FLAGS and (cell, key, ()) not in wanted
            and isinstance(value, Const) and id(new.get(key)) in sources
            and new[key] is not value
        }  # fmt: skip

    def handed_on(self, before: Fact, after: Fact) -> Fact:
        """What is known of what an iteration gets: from before, or from the last."""
        lengths = steady(before, after) if self.assuming else []
        if lengths and isinstance(after.shape, tuple):
            self.equal |= dict.fromkeys(lengths)
            named = {q: p for p, q in lengths}
            after = after.with_shape(tuple(d and named.get(d, d) for d in after.shape))
        return join(before, after)

    def parted(
        self, done: Pass, carried: Mapping[Place, Carried]
    ) -> dict[Place, Carried]:
        """The carried variables; places that held one but part from now on carry each
        their own."""
        result = dict(carried)
        everything = self.differences(done.entry, done.exit, _EVERYTHING)
        ends = {place: two for place, _, two in everything}
        for main, carry in carried.items():
            inside = done.insides[main]
            apart = [
                p for p in carry.also if ends.get(p, inside) != ends.get(main, inside)
            ]
            also = tuple(p for p in carry.also if p not in apart)
            result[main] = replace(carry, also=also)
            for place in apart:
                result[place] = replace(carry, also=(), phi="")
        return result

    def carried_memory(
        self,
        tag: str,
        done: Pass,
        wanted: dict[Place, Carried],
        ends: Mapping[Place, MaybeValue],
        live: frozenset[str],
    ) -> dict[Place, Carried]:
        """What memory carried variables may share; see memory.py."""
        raise NotImplementedError

    def fact_at_end(self, done: Pass, value: MaybeValue) -> Fact:
        """The fact of a value at the end of the body."""
        if isinstance(value, Undefined):
            return UNKNOWN
        here, self.heap = self.heap, {**self.heap, **done.exit}
        try:
            return self.fact(value)
        finally:
            self.heap = here

    def init_of(self, place: Place, value: MaybeValue) -> Atom | Undefined:
        """What the first iteration gets: a tuple whose structure changes is built."""
        if isinstance(value, Var | Const | Undefined):
            return value
        if isinstance(value, TupleValue):
            return PENDING
        self.refuse_exchange(place)

    def refuse_exchange(self, place: Place) -> NoReturn:
        """Refuse that an iteration leaves another container than it began with."""
        name = place[1] if isinstance(place[1], str) else "a value"
        self.refuse(
            f"`{name}` is a container or a function that this loop exchanges for "
            "another of another structure",
            "Use a tuple or an array.",
        )

    def differences(
        self, entry: Heap, leaving: Heap, live: frozenset[str]
    ) -> Iterator[tuple[Place, MaybeValue, MaybeValue]]:
        """The leaves that the body changes: place, value on entry, value at the end."""
        for number, old in entry.items():
            new = leaving[number]
            if new is old:
                continue
            if is_whole(old, new):
                one: MaybeValue = UNDEFINED if old.var is None else old.var
                if new.var != old.var or new.var is None:
                    yield (number, WHOLE, ()), one, new.var or UNDEFINED
                continue
            if old.kind == "set" and old.items.keys() != new.items.keys():
                self.refuse(
                    "this loop leaves a set with other items than it had before",
                    "Use a list, or a set that is made within the loop.",
                )
            own = number == self.frame.cell
            for key in dict.fromkeys((*old.items, *new.items)):
                if own and (key in FLAGS or key not in live):
                    continue
                a = old.items.get(key, UNDEFINED)
                b = new.items.get(key, UNDEFINED)
                yield from self.leaves((number, key, ()), a, b, (entry, leaving))

    def leaves(
        self, place: Place, one: MaybeValue, two: MaybeValue, heaps: tuple[Heap, Heap]
    ) -> Iterator[tuple[Place, MaybeValue, MaybeValue]]:
        """The leaves in which two values differ."""
        if one == two:
            return
        if LOST in (one, two):
            self.refuse(
                f"`{place[1]}` is read after a `try` that may have raised before or "
                "after assigning it",
                f"Assign `{place[1]}` last in the `try`, or in the handler.",
            )
        pairs: list[tuple[object, MaybeValue, MaybeValue]] | None = None
        if isinstance(two, TupleValue):
            if isinstance(one, Undefined) and two.items:
                pairs = [(k, one, item) for k, item in enumerate(two.items)]
            elif isinstance(one, TupleValue) and one.cls is two.cls:
                if len(one.items) == len(two.items):
                    both = zip(one.items, two.items, strict=True)
                    pairs = [(k, a, b) for k, (a, b) in enumerate(both)]
        elif isinstance(one, Ref) and isinstance(two, Ref):
            a, b = heaps[0][one.cell], heaps[1][two.cell]
            if a.kind == b.kind and a.cls is b.cls and a.kind != "set":
                same = (
                    a.alike(b) if a.kind == "dict" else a.items.keys() == b.items.keys()
                )
                if a.var is b.var is None and same:
                    pairs = [(Item(k), a.items[k], b.items[k]) for k in a.items]
        if pairs is None:
            yield place, one, two
            return
        for step, x, y in pairs:
            yield from self.leaves((*place[:2], (*place[2], step)), x, y, heaps)

    def materialised(self, wanted: dict[Place, Carried]) -> dict[Place, Carried]:
        """Containers whose length changes are built before the loop."""
        ready: dict[Place, Carried] = {}
        for place, carry in wanted.items():
            cell, key, _ = place
            if key is WHOLE and isinstance(carry.init, Undefined):
                old = self.heap[cell]
                atom: Atom | None = self.built_of(cell)
                atom = atom or self.atom_of_cell(Ref(cell), lends=False)
                assert isinstance(atom, Var)
                self.hold_lists(cell, atom)
                self.split.discard(atom.name)
                fact = Fact(atom.fact.kind, cls=atom.fact.cls)
                if fact.kind == "list":
                    each, least = element_of(atom.fact), least_of(atom.fact)
                    if carry.fact.kind == "list":
                        each = join(each, element_of(carry.fact))
                        least = min(least, least_of(carry.fact))
                    fact = list_of(each, fact.cls, least)
                hint = self.name_of_cell(cell)
                if hint is not None:
                    self.hint(atom.name, hint)
                self.heap[cell] = replace(old, items={}, var=atom)
                ready[place] = Carried(fact, atom, hint)
            elif carry.init is PENDING:
                atom = self.atom(self.value_at(place))
                ready[place] = replace(carry, init=atom)
            elif isinstance(carry.init, Var):
                ready[place] = replace(carry, init=self.fresh(carry.init))
            else:
                ready[place] = carry
        return ready

    def built_of(self, cell: int) -> Var | None:
        """What was built of a list of lists already; see rows.py."""
        raise NotImplementedError

    def hold_lists(self, number: int, built: Var) -> bool:
        """From here on what was built of a list stands for it; see rows.py."""
        raise NotImplementedError

    def value_at(self, place: Place) -> Value:
        """The value at a place before the loop."""
        value = self.get(place[:2])
        for step in place[2]:
            if isinstance(step, Item):
                assert isinstance(value, Ref)
                value = self.heap[value.cell].items[step.key]
            else:
                assert isinstance(value, TupleValue)
                assert isinstance(step, int)
                value = value.items[step]
        assert value is not None
        return value

    def name_of_cell(self, cell: int) -> str | None:
        """The name of the current function that refers to a container."""
        for name, value in self.heap[self.frame.cell].items.items():
            if value == Ref(cell) and isinstance(name, str) and name[0] != "%":
                return name
        return None

    # ------------------------------------------------------------ after the fixed point

    def close(
        self, done: Pass, carried: dict[Place, Carried], written: tuple[str, ...]
    ) -> tuple[Carry, ...]:
        """The carries; afterwards names stand for what the loop leaves."""
        ends = {
            place: two
            for place, _, two in self.differences(done.entry, done.exit, _EVERYTHING)
        }
        carries, outs = [], {}
        for place, carry in carried.items():
            inside = done.insides[place]
            end = ends.get(place, inside)
            following = self.end_atom(done, end)
            if isinstance(carry.init, Undefined):
                self.check_new(place)
            out = self.var(anonymous(carry.fact), carry.hint)
            carries.append(Carry(out, carry.init, inside, following))
            outs[place] = out
        for place, out in outs.items():
            for each in (place, *carried[place].also):
                self.set_place(each, out, carried[place].template)
        self.leave_memory(carried, outs, written)
        for flag in (RETURNED, BROKEN):
            value = done.exit[self.frame.cell].items.get(flag)
            if isinstance(value, Var | Const):
                known = anonymous(value_fact(value))
                hint = "early" if flag == RETURNED else None
                out, inside = self.var(known, hint), self.var(known, hint)
                carries.append(Carry(out, FALSE, inside, value))
                self.put(self.frame.cell, flag, out)
        return tuple(carries)

    def check_new(self, place: Place) -> None:
        """Refuse what a loop that may not run gives the caller's object."""

    def leave_memory(
        self,
        carried: Mapping[Place, Carried],
        outs: Mapping[Place, Var],
        written: tuple[str, ...],
    ) -> None:
        """The state of memory after a loop; see memory.py."""
        raise NotImplementedError

    def end_atom(self, done: Pass, value: MaybeValue) -> Atom | Undefined:
        """The value at the end of the body as an atom, built there."""
        if isinstance(value, Var | Const | Undefined):
            return value
        here, outer = self.heap, self.ops
        self.heap, self.ops = dict(done.exit), done.ops
        try:
            return self.atom(value)
        finally:
            self.heap, self.ops = here, outer

    def stop_of(self, done: Pass) -> Atom | None:
        """The flag that ends the loop after an iteration."""
        items = done.exit[self.frame.cell].items
        found = [items[f] for f in (RETURNED, BROKEN) if f in items]
        atoms = [v for v in found if isinstance(v, Var | Const)]
        atoms = [a for a in atoms if a != FALSE]
        if not atoms:
            return None
        if len(atoms) == 1:
            return atoms[0]
        outer, self.ops = self.ops, done.ops
        try:
            return self.apply(operator.or_, atoms, form="operator")
        finally:
            self.ops = outer

    def after_loop(self, stmt: Node, done: Pass, after: frozenset[str]) -> None:
        """The loop's else, under the flag of its break."""
        broken = self.get((self.frame.cell, BROKEN))
        if broken is not None:
            self.drop(self.frame.cell, BROKEN)
        if not stmt.orelse:
            return
        returned = self.left()
        if isinstance(returned, Var):
            self.guarded(returned, lambda: self.else_of(stmt, broken, after), after)
        elif returned is False:
            self.else_of(stmt, broken, after)

    def else_of(self, stmt: Node, broken: Value | None, after: frozenset[str]) -> None:
        """Run the else of a loop unless it was left by break."""
        if isinstance(broken, Var):
            self.guarded(broken, lambda: self.execute(stmt.orelse, after), after)
        elif broken is None or broken == FALSE:
            self.execute(stmt.orelse, after)

    # ------------------------------------------------------------ unrolled loops

    def unroll(
        self,
        stmt: Node,
        items: tuple[Value, ...],
        source: Value,
        after: frozenset[str],
    ) -> None:
        """A loop over known items: the body once for each."""
        self.noted_of(stmt, "unrolled", len(items))
        head = live_at_head(stmt, self.ahead(after)) | self.frame.scope.captured
        outer = self.loops
        self.loops = (*outer, (after, head))
        try:
            now = self.items_as_they_are(source, items)
            self.unrolled(stmt, items, now, (head, after))
        finally:
            self.loops = outer
        broken = self.get((self.frame.cell, BROKEN))
        if broken is not None:
            self.drop(self.frame.cell, BROKEN)
        returned = self.left()
        if stmt.orelse and returned is False:
            self.else_of(stmt, broken, after)
        elif stmt.orelse and isinstance(returned, Var):
            self.guarded(returned, lambda: self.else_of(stmt, broken, after), after)

    def unrolled(
        self,
        stmt: Node,
        items: tuple[Value, ...],
        now: Callable[[int], tuple[Value, ...]],
        live: tuple[frozenset[str], frozenset[str]],
        taken: int = 0,
    ) -> None:
        """The iterations over `items`, each unless an earlier one has left the loop."""
        both = live[0] | live[1]
        while taken < len(items):
            self.assign(stmt.target, items[taken])
            self.execute(stmt.body, both)
            if self.get((self.frame.cell, CONTINUED)) is not None:
                self.drop(self.frame.cell, CONTINUED)
            left = self.left()
            if left is True or self.ended:
                return
            taken += 1
            items = now(taken)
            if isinstance(left, Var):
                if taken < len(items):
                    rest = partial(self.unrolled, stmt, items, now, live, taken)
                    self.guarded(left, rest, both)
                return


def _indices_in_cell(value: Value) -> tuple[Value, ...] | None:
    """The items of a list or tuple of whole numbers that a closure holds."""
    if not isinstance(value, Const) or value.home or not value.text:
        return None
    items = value.value
    if not isinstance(items, list | tuple) or any(type(k) is not int for k in items):
        return None
    return tuple(Const(k) for k in items)


@dataclass(frozen=True, slots=True)
class Item:
    """A step of a path into a container that the loop exchanges for another."""

    key: Any


class _Whole:
    """The key of a container as a whole."""

    def __repr__(self) -> str:
        return "WHOLE"


class _Everything(frozenset[str]):
    """The set of all names."""

    def __contains__(self, name: object) -> bool:
        return True


WHOLE: Final = _Whole()
PENDING: Final = Const(None, "pending")
_EVERYTHING: Final = _Everything()


def _without_parts(
    carried: Mapping[Place, Carried], whole: Place
) -> dict[Place, Carried]:
    """What is carried, a container as a whole instead of by its parts."""
    depth = len(whole[2])

    def is_part(place: Place) -> bool:
        if whole[1] is WHOLE:
            return place[0] == whole[0] and place[1] is not WHOLE
        inside = place[:2] == whole[:2] and len(place[2]) > depth
        return inside and place[2][:depth] == whole[2]

    return {
        place: replace(carry, also=tuple(p for p in carry.also if not is_part(p)))
        for place, carry in carried.items()
        if not is_part(place)
    }


def value_fact(value: Var | Const) -> Fact:
    """The fact of a flag."""
    return Fact("bool", shape=()) if isinstance(value, Const) else value.fact


def _is_iterable(value: Value) -> bool:
    return not (isinstance(value, Const) and isinstance(value.value, int))
