"""Expressions: a gast node -> a value, with the ops that compute it."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import UnsupportedSyntax
from yota_ast.frontend.calls.value_assumptions import Assuming
from yota_ast.frontend.desugar.comprehension_loops import (
    RESULT,
    loop_of_comprehension,
    stays_generator,
    targets_of,
    with_own_targets,
)
from yota_ast.frontend.heap.lowered_values import (
    LOST,
    NOT_ITERABLE,
    NULL,
    Cell,
    Closure,
    Frame,
    Node,
    Ref,
    Scope,
    SliceValue,
    TupleValue,
    Value,
    is_literal_value,
    literal,
)
from yota_ast.frontend.source.name_flow import names_read
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import (
    STR,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_string
from yota_ast.ir.nodes import (
    Apply,
)
from yota_ast.ops.spellings import BY_NODE, CONVERSIONS
from yota_ast.support.kept_functions import origin_of
from yota_ast.syntax import nodes

MOST_TAKEN: Final = 64
"""How many items of a module's table are taken apart."""
MADE_AT_ONCE: Final = ("list", "tuple", "sorted", "range")


class Expressions(Assuming):
    """The handlers of expression nodes, by the name of the node's class."""

    handlers: ClassVar[dict[type, Callable[[Any, Node], Value]]] = {}
    """What gives the value of nodes of a class, of those met so far."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.cuts: dict[str, slice] = {}  # which part of a shape a tuple is
        self.kept_loops = False  # whether there are such loops

    def keep_loop(self) -> None:
        """Note that a loop over known items stays a loop."""
        self.kept_loops = True

    def __init_subclass__(cls) -> None:
        cls.handlers = {}  # each class has methods of its own

    def handler_of(self, kind: type) -> Callable[[Any, Node], Value] | None:
        """The same of a class that may be new."""
        found = getattr(type(self), f"eval_{kind.__name__}", None)
        if found is not None:
            self.handlers[kind] = found
        return found

    def evaluate(self, node: Node) -> Value:
        """The value of an expression."""
        kind: Any = type(node)
        handler = self.handlers.get(kind) or self.handler_of(kind)
        if handler is None:
            name = kind.__name__
            known = _REFUSED.get(name, (f"`{name}` is not supported", _REMEDY))
            self.refuse(*known, node)
        outer = self.move_to(node)  # as `at`, which costs more than most handlers
        try:
            return handler(self, node)
        finally:
            self.move_back(outer)

    # ------------------------------------------------------------ names and literals

    def eval_Constant(self, node: Node) -> Value:
        """A literal."""
        return Const(node.value)

    def eval_Name(self, node: Node) -> Value:
        """A name."""
        return self.load(node.id)

    def load(self, name: str) -> Value:
        """What a name stands for, found as Python finds it."""
        if name.startswith("%"):  # the subject of a match
            return self.load_local(self.frame, name)
        frame: Frame | None = self.frame
        while frame is not None:
            scope = frame.scope
            if name in scope.declared:
                late = self.get((frame.cell, name))
                if late is not None:
                    return late
                break
            if name in scope.locals:
                return self.load_local(frame, name)
            if name in scope.cells:
                return self.load_cell(name, scope.cells[name])
            frame = frame.parent
        return self.load_outside(name)

    def load_outside(self, name: str) -> Value:
        """A global, as the function that is lowered has it: it may be a parameter."""
        frame = self.frame
        while frame.parent is not None:
            frame = frame.parent
        if name in frame.scope.own_globals:
            return self.load_local(frame, name)
        return self.load_global(name)

    def load_local(self, frame: Frame, name: str) -> Value:
        """A variable of a function that is being lowered."""
        value = self.get((frame.cell, name))
        if value == LOST:
            self.refuse(
                f"`{name}` is read after a `try` that may have raised before or after "
                f"assigning it",
                f"Assign `{name}` last in the `try`, or in the handler.",
            )
        if value is None:
            refusal = UnsupportedSyntax(
                f"`{name}` is read before a value is assigned to it",
                at=self.location(),
                remedy=f"Assign `{name}` before this line.",
            )
            return self.unassigned(frame, name, refusal)
        if self.unset and name[0] != "%":
            self.read_unset(frame, name, value)
        return value

    def load_cell(self, name: str, cell: Any) -> Value:
        """A variable of the function around one that is already made."""
        try:
            value = cell.cell_contents
        except ValueError:
            self.refuse(
                f"the closure variable `{name}` has no value yet",
                "Assign it before the call.",
            )
        self.use(value, self.frame.scope.module, f"<closure>.{name}")
        self.noted_constant(name, value)
        if is_literal_value(value):
            return Const(value)
        return Const(value, name)

    def load_global(self, name: str) -> Value:
        """A name of the function's module, or of Python."""
        scope = self.frame.scope
        rebound = self.rebound.get((id(scope.globals), name))
        if rebound is not None:
            return rebound[0]
        if name in scope.globals:
            value = scope.globals[name]
            home, path = origin_of(scope.globals, name)
            self.use(value, home, path if home else "")
            self.noted_constant(path or name, value)
            found = Const(value, path or None, home)
            if self.fixed is not None and type(value) in (str, bool):
                return self.as_given(found)
            return found
        builtins: Any = scope.globals.get("__builtins__", {})
        known = builtins if isinstance(builtins, dict) else vars(builtins)
        if name in known:
            return Const(known[name], name, "builtins")
        if self.tries or self.arms_open:
            return self.failing(NameError, f"name {name!r} is not defined")
        self.refuse(
            f"the name `{name}` is not defined",
            f"Define `{name}` in {scope.module or 'the module'}, or import it there.",
        )

    def noted_constant(self, name: str, value: object) -> None:
        """Note the value of a global or a closure's variable, if it is data."""
        if not callable(value) and not isinstance(value, types.ModuleType):
            self.noted("constant", name, value)

    # ------------------------------------------------------------ operators

    def eval_BinOp(self, node: Node) -> Value:
        """a + b."""
        if isinstance(node.op, nodes.BitAnd):
            known = self.names_held(node)
            if known is not None:
                return known
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        return self.operate(BY_NODE[type(node.op).__name__].fn, left, right)

    def eval_UnaryOp(self, node: Node) -> Value:
        """-a, not a."""
        if isinstance(node.op, nodes.Not):
            return self.negated(self.test(node.operand))
        operand = self.evaluate(node.operand)
        return self.operate(BY_NODE[type(node.op).__name__].fn, operand)

    def negated(self, test: bool | Atom) -> Value:
        """not test."""
        if isinstance(test, bool):
            return Const(not test)
        return self.apply(operator.not_, (test,), form="operator")

    def eval_Compare(self, node: Node) -> Value:
        """a < b < c: each operand once, and none after the first that fails."""
        if isinstance(node.ops[0], nodes.In):
            known = self.names_held(node)
            if known is not None:
                return known
        return self.compare(self.evaluate(node.left), node.ops, node.comparators)

    def compare(self, left: Value, ops: Sequence[Node], rest: Sequence[Node]) -> Value:
        """Compare `left` with the first of `rest`, and so on."""
        right = self.evaluate(rest[0])
        first = self.compare_two(type(ops[0]).__name__, left, right)
        if len(rest) == 1:
            return first
        test = self.truth(first)
        if isinstance(test, bool):
            return self.compare(right, ops[1:], rest[1:]) if test else first
        return self.choose(
            test,
            lambda: self.compare(right, ops[1:], rest[1:]),
            lambda: first,
            form="chain",
        )

    def compare_two(self, op: str, left: Value, right: Value) -> Value:
        """a < b, a in b, a is b."""
        if op in ("Eq", "NotEq"):
            for side in (left, right):
                if self.is_iterator(side) or self.is_view(side):
                    self.refuse_as_list()
        if op == "In":
            return self.operate(operator.contains, right, left)
        if op == "NotIn":
            found = self.operate(operator.contains, right, left)
            return self.negated(self.truth(found))
        return self.operate(BY_NODE[op].fn, left, right)

    def eval_BoolOp(self, node: Node) -> Value:
        """a and b, a or b: the operand that decides."""
        return self.boolean(
            "or" if isinstance(node.op, nodes.Or) else "and", node.values
        )

    def boolean(self, form: str, operands: Sequence[Node]) -> Value:
        """The value of operands joined by `and` or `or`."""
        left = self.evaluate(operands[0])
        if len(operands) == 1:
            return left
        test = self.truth(left)
        if isinstance(test, bool):
            return left if test is (form == "or") else self.boolean(form, operands[1:])

        def rest() -> Value:
            return self.boolean(form, operands[1:])

        if form == "and":
            return self.choose(test, rest, lambda: left, form="and")
        return self.choose(test, lambda: left, rest, form="or")

    def test(self, node: Node) -> bool | Atom:
        """The truth of an expression, which may be known where its value is not."""
        if isinstance(node, nodes.UnaryOp) and isinstance(node.op, nodes.Not):
            with self.at(node):
                inner = self.test(node.operand)
                if isinstance(inner, bool):
                    return not inner
                return self.apply(operator.not_, (inner,), form="operator")
        if isinstance(node, nodes.BoolOp):
            with self.at(node):
                form = "or" if isinstance(node.op, nodes.Or) else "and"
                return self.test_all(form, node.values)
        with self.at(node):
            return self.truth(self.evaluate(node))

    def test_all(self, form: str, operands: Sequence[Node]) -> bool | Atom:
        """The truth of operands joined by `and` or `or`."""
        left = self.test(operands[0])
        if len(operands) == 1:
            return left
        decisive = form == "or"
        if isinstance(left, bool):
            return left if left is decisive else self.test_all(form, operands[1:])
        right: list[bool | Atom] = []

        def rest() -> Value:
            right.append(self.test_all(form, operands[1:]))
            return Const(right[-1]) if isinstance(right[-1], bool) else right[-1]

        mark, before = len(self.ops), self.snapshot()
        if form == "and":
            value = self.choose(left, rest, lambda: left, form="and")
        else:
            value = self.choose(left, lambda: left, rest, form="or")
        last = right[-1] if right else None  # none where the operand is given up
        if isinstance(last, bool) and self.heap == before.heap:
            del self.ops[mark:]
            return last if last is decisive else left
        return self.truth(value)

    def eval_IfExp(self, node: Node) -> Value:
        """a if test else b."""
        test = self.test(node.test)
        if isinstance(test, bool):
            return self.evaluate(node.body if test else node.orelse)
        return self.choose(
            test,
            lambda: self.evaluate(node.body),
            lambda: self.evaluate(node.orelse),
            form="ifexp",
        )

    def choose(
        self,
        test: Atom,
        then: Callable[[], Value],
        orelse: Callable[[], Value],
        *,
        form: Any,
    ) -> Value:
        """The value of one of two arms, of which one is run."""
        raise NotImplementedError

    def eval_NamedExpr(self, node: Node) -> Value:
        """name := value. In a comprehension the name is that of the function."""
        value = self.evaluate(node.value)
        frame = self.frame
        while frame.scope.name == "<comprehension>" and frame.parent:
            frame = frame.parent
        with self.in_frame(frame):
            self.assign(node.target, value)
        return value

    # ------------------------------------------------------------ containers

    def eval_elements(self, elements: Sequence[Node]) -> tuple[Value, ...]:
        """Elements and *starred ones."""
        values: list[Value] = []
        for element in elements:
            if isinstance(element, nodes.Starred):
                values += self.known_items(self.evaluate(element.value), element)
            else:
                values.append(self.evaluate(element))
        return tuple(values)

    def known_items(self, value: Value, node: Node) -> tuple[Value, ...]:
        """The items of something that is taken apart where it is used."""
        items = self.items_apart(value)
        if items is None:
            items = self.items_of_table(value)
        if items is None:
            self.refuse(
                "the number of items is unknown",
                "Take the items by index, or use a tuple or list of known length.",
                node,
            )
        return items

    def items_apart(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a container, of an op's parts, of an array of known length."""
        items = self.items_of(self.run_through(value))
        if items is None:
            items = self.parts_of(value)
        return self.rows_of(value) if items is None else items

    def items_of_table(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a module's tuple, list or array of numbers: `f(x, *WEIGHTS)`."""
        if not isinstance(value, Const):
            return None
        table: Any = value.value
        rows = isinstance(table, np.ndarray) and table.ndim > 0
        if not (rows or isinstance(table, (tuple, list))) or len(table) > MOST_TAKEN:
            return None
        self.tell_items(value)
        return tuple(self.subscript(value, Const(k)) for k in range(len(table)))

    def parts_of(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a tuple that an op gives, such as `x.shape[:-1]`.

        Those of a list, too, that is one of two of as many items by a branch.
        """
        if not isinstance(value, Var) or value.fact.kind not in ("tuple", "list"):
            return None
        if value.fact.items is None:
            return None
        places: Sequence[int] = range(len(value.fact.items))
        op = self.ops[-1] if self.ops else None
        if isinstance(op, Apply) and op.out == value and op.fn is operator.getitem:
            whole, cut = op.args[0], self.cuts.get(value.name)
            self.tell_items(whole)
            if isinstance(whole, Var) and whole.fact.items is not None and cut:
                value, places = whole, range(len(whole.fact.items))[cut]
        return tuple(self.subscript(value, Const(k)) for k in places)

    def rows_of(self, value: Value) -> tuple[Value, ...] | None:
        """The items along the first axis of an array, as many as in the example."""
        count = self.length_of(value)
        if count is None:
            return None
        return tuple(self.subscript(value, Const(k)) for k in range(count))

    def eval_Tuple(self, node: Node) -> Value:
        """(a, b)."""
        return TupleValue(self.eval_elements(node.elts))

    def eval_List(self, node: Node) -> Value:
        """[a, b]; [*rows] of a list of unknown length."""
        if len(node.elts) == 1 and isinstance(node.elts[0], nodes.Starred):
            whole = self.evaluate(node.elts[0].value)
            return self.call(Const(list, "list", "builtins"), (whole,))
        items = self.eval_elements(node.elts)
        return self.new_cell(Cell("list", dict(enumerate(items)), list))

    def eval_Set(self, node: Node) -> Value:
        """{a, b}: of literals."""
        items = self.eval_elements(node.elts)
        for item, element in zip(items, node.elts, strict=False):
            self.key_of(item, element)
        keyed = {self.key_of(item): item for item in items}
        return self.new_cell(Cell("set", keyed, set))

    def eval_Dict(self, node: Node) -> Value:
        """{k: v, **more}: of literal keys."""
        items: dict[object, Value] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                items.update(self.known_mapping(self.evaluate(value), value))
            else:
                name = self.key_of(self.evaluate(key), key)
                items[name] = self.evaluate(value)
        return self.new_cell(Cell("dict", items, dict))

    def key_of(self, value: Value, node: Node = None) -> object:
        """The key that a value is in a dict."""
        if isinstance(value, TupleValue):
            value = Const(tuple(self.key_of(item, node) for item in value.items))
        value = self.as_index(value)
        if isinstance(value, Const):
            try:
                hash(value.value)
            except TypeError:
                self.refuse(
                    "this key cannot be hashed",
                    "Use a number, a string or a tuple.",
                    node,
                )
            return value.value
        self.refuse(
            "a computed key is not supported",
            "Use literal keys, or a list indexed by position.",
            node,
        )

    def known_mapping(self, value: Value, node: Node) -> dict[object, Value]:
        """The items of a mapping of known keys."""
        raise NotImplementedError

    def eval_Subscript(self, node: Node) -> Value:
        """a[i]."""
        owner = self.evaluate(node.value)
        if self.is_iterator(owner) or self.is_view(owner):
            self.refuse_as_list()
        return self.subscript(owner, self.evaluate(node.slice))

    def eval_Slice(self, node: Node) -> Value:
        """start:stop:step."""
        parts = [NULL if p is None else self.evaluate(p) for p in _parts(node)]
        if all(literal(p) for p in parts):
            return Const(slice(*(p.value for p in parts if isinstance(p, Const))))
        return SliceValue(*parts)

    def eval_Attribute(self, node: Node) -> Value:
        """a.name."""
        name = self.frame.scope.mangled(node.attr)
        return self.attribute(self.evaluate(node.value), name)

    # ------------------------------------------------------------ strings, functions

    def eval_JoinedStr(self, node: Node) -> Value:
        """An f-string."""
        parts = [self.evaluate(part) for part in node.values]
        if all(literal(p) for p in parts):
            return Const("".join(str(p.value) for p in parts if isinstance(p, Const)))
        return self.apply(
            build_string, [self.atom(p) for p in parts], form="build", fact=STR
        )

    def eval_FormattedValue(self, node: Node) -> Value:
        """{value!r:spec} within an f-string."""
        value = self.evaluate(node.value)
        spec = (
            Const("") if node.format_spec is None else self.evaluate(node.format_spec)
        )
        if node.conversion in CONVERSIONS:
            convert = Const(CONVERSIONS[node.conversion])
            value = self.call(convert, (value,))
        if isinstance(value, Const) and literal(value) and isinstance(spec, Const):
            return Const(format(value.value, str(spec.value)))
        return self.apply(format, (self.atom(value), self.atom(spec)), fact=STR)

    def eval_Lambda(self, node: Node) -> Value:
        """lambda x: e."""
        return self.closure(node, "<lambda>")

    def closure(self, node: Node, name: str) -> Closure:
        """A function made here, its defaults evaluated now."""
        defaults = tuple(self.evaluate(d) for d in node.args.defaults)
        keywords = tuple(
            (arg.id, self.evaluate(default))
            for arg, default in zip(
                node.args.kwonlyargs, node.args.kw_defaults, strict=True
            )
            if default is not None
        )
        return Closure(node, name, self.frame, defaults, keywords)

    # ------------------------------------------------------------ comprehensions

    def eval_ListComp(self, node: Node) -> Value:
        """[e for x in xs if c]: of known length, or built in a loop."""
        return self.listed(node)

    def listed(self, node: Node) -> Ref:
        """The list that a comprehension makes."""
        items = self.tried_comprehension(node, lambda: self.evaluate(node.elt))
        if items is None:
            return self.comprehension_loop(node)
        return self.new_cell(Cell("list", dict(enumerate(items)), list))

    def eval_GeneratorExp(self, node: Node) -> Value:
        """(e for x in xs), run through at once."""
        before = dict(self.heap)
        made = self.listed(node)
        for n, cell in before.items():  # which it may not take all items from
            if cell.cls is Iterator and self.heap[n] is not cell:
                self.heap[n] = replace(self.heap[n], fixed=True)
        self.heap[made.cell] = replace(self.heap[made.cell], cls=Iterator)
        return self.once(made, _read_later(node))

    def eval_SetComp(self, node: Node) -> Value:
        """{e for x in xs}."""
        items = self.comprehension(node, lambda: self.evaluate(node.elt))
        if items is None:
            self.refuse(
                "a set comprehension depends on unknown values",
                "Write it as array operations, or over a list of known length.",
                node,
            )
        keyed = {self.key_of(item): item for item in items}
        return self.new_cell(Cell("set", keyed, set))

    def eval_DictComp(self, node: Node) -> Value:
        """{k: v for x in xs}."""

        def pair() -> Value:
            return TupleValue((self.evaluate(node.key), self.evaluate(node.value)))

        pairs = self.tried_comprehension(node, pair)
        if pairs is None:
            return self.comprehension_loop(node)
        items: dict[object, Value] = {}
        for item in pairs:
            if isinstance(item, TupleValue):
                items[self.key_of(item.items[0])] = item.items[1]
        return self.new_cell(Cell("dict", items, dict))

    def tried_comprehension(
        self, node: Node, element: Callable[[], Value]
    ) -> list[Value] | None:
        """The elements, or None, and nothing done, where their number is unknown."""
        mark = self.mark()
        items = self.comprehension(node, element)
        if items is None:
            self.back_to_cells(mark)
        return items

    def comprehension_loop(self, node: Node) -> Ref:
        """A comprehension as the loop that builds the list, or the dict."""
        node = with_own_targets(node)
        body = loop_of_comprehension(node)
        names = targets_of(node)
        dicts = isinstance(node, nodes.DictComp)
        frame = self.comprehension_frame(names)
        made = self.new_cell(
            Cell("dict", {}, dict) if dicts else Cell("list", {}, list)
        )
        self.put(frame.cell, RESULT, made)
        with self.in_frame(frame), self.lock(locked=True):
            self.execute(body, frozenset())
        return made

    def comprehension_frame(self, names: frozenset[str]) -> Frame:
        """The frame in which a comprehension's targets live."""
        outer = self.frame.scope
        scope = Scope(
            "<comprehension>",
            outer.filename,
            outer.lines,
            outer.globals,
            {},
            names,
            owner=outer.owner,
        )
        return Frame(self.new_cell(Cell("frame", {})).cell, scope, self.frame)

    def comprehension(
        self, node: Node, element: Callable[[], Value]
    ) -> list[Value] | None:
        """The elements of a comprehension, if their number is known."""
        first = self.evaluate(node.generators[0].iter)
        if self.fails_on(first, NOT_ITERABLE):
            return []
        if self.settings.looping and stays_generator(node, first):
            self.keep_loop()
            return None
        values: list[Value] = []
        with self.in_frame(self.comprehension_frame(targets_of(node))):
            known = self.generate(
                node.generators, first, lambda: values.append(element())
            )
        return values if known else None

    def generate(
        self, generators: Sequence[Node], iterable: Value, each: Callable[[], None]
    ) -> bool:
        """Run `each` for every binding of the targets; whether all are known."""
        generator = generators[0]
        items = self.items_of(self.run_through(iterable))
        if items is None:
            return False
        now = self.items_as_they_are(iterable, items)
        taken = 0
        while taken < len(items):
            with self.for_each_item():
                self.assign(generator.target, items[taken])
                passed = self.passes(generator.ifs)
                if passed and len(generators) == 1:
                    each()
                elif passed:
                    inner = self.evaluate(generators[1].iter)
                    if not self.generate(generators[1:], inner, each):
                        return False
            if passed is None:
                return False
            taken += 1
            items = now(taken)
        return True

    def for_each_item(self) -> AbstractContextManager[None]:
        """While what is done for each of several items is lowered; see passing.py."""
        raise NotImplementedError

    def passes(self, conditions: Sequence[Node]) -> bool | None:
        """Whether an item is taken, if that is known."""
        for condition in conditions:
            test = self.test(condition)
            if not isinstance(test, bool):
                return None
            if not test:
                return False
        return True


def _read_later(node: Node) -> frozenset[str]:
    """The names that a generator expression reads after it has been made; what
    `list(...)` and the like make for it to run over is made at once."""
    first = node.generators[0].iter
    made = isinstance(first, nodes.Call) and isinstance(first.func, nodes.Name)
    if not made or first.func.id not in MADE_AT_ONCE:
        return names_read(node)
    later = [node.elt, *node.generators[0].ifs, *node.generators[1:]]
    return frozenset[str]().union(*map(names_read, later))


def _parts(node: Node) -> tuple[Node, Node, Node]:
    return node.lower, node.upper, node.step


_REMEDY: Final = "Do it outside the function that is differentiated."
_REFUSED: Final = {
    "Await": ("`await` is not supported", "Call a plain function."),
    "Starred": (
        "a starred expression is not supported here",
        "Write the items one by one.",
    ),
}
