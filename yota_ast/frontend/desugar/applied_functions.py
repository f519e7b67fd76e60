"""Functions that apply a function to items, as the loops that they are.

`map`, `filter`, `np.vectorize`, `np.apply_along_axis`, `np.piecewise` and their like
are given functions that a text cannot hold: those made while lowering.  What they do is
written in Python and lowered in place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NoReturn

import numpy as np

from yota_ast.frontend.calls.opaque_calls import OpaqueCalls
from yota_ast.frontend.calls.user_calls import UserCalls
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extends, provides, uses
from yota_ast.frontend.desugar import function_models
from yota_ast.frontend.desugar.made_nodes import name_node
from yota_ast.frontend.expressions.comprehensions import Comprehensions
from yota_ast.frontend.expressions.expressions import Expressions
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.heap.lowered_values import (
    Lazy,
    Node,
    Partial,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.interpret.loops import Loops
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.state.statement_headers import header
from yota_ast.ir.abstract_values import BOOL, Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ir.nodes import For, Store, only
from yota_ast.ir.store_changes import PUT
from yota_ast.ops.dtypes.python_dtypes import OF_PYTHON
from yota_ast.syntax import nodes, parse_expr, quote
from yota_ast.syntax.node_fields import set_fields
from yota_ast.syntax.value_paths import attribute_text

_OPTIONS: Final = ("none", "str")
"""The kinds of what NumPy hands on to each call as it is."""
_NO_KEYS: Final[Mapping[str, str]] = MappingProxyType({})


class AppliedFunctions(Component):
    """Loops that call a function for each item."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    assumptions = uses(ValueAssumptions)
    known_items = uses(KnownItems)
    expressions = uses(Expressions)
    comprehensions = uses(Comprehensions)
    opaque_calls = uses(OpaqueCalls)
    loops = uses(Loops)

    def python(
        self, text: str, keys: Mapping[str, str] = _NO_KEYS, /, **values: Value
    ) -> Value:
        """The value of a Python expression over the values given and NumPy. keys: by
        the names of keywords in the text what they are: any text, as `**options` may
        have them, which is never a part of the expression's own."""
        tree = parse_expr(text)
        for node in nodes.walk(tree):
            nodes.copy_location(node, self.position.node)
            if isinstance(node, nodes.keyword) and node.arg in keys:
                set_fields(node, arg=keys[node.arg])
        used = {n.id for n in nodes.walk(tree) if isinstance(n, nodes.Name)}
        known = {name: v for name, v in _KNOWN.items() if name in used} | values
        frame = self.comprehensions.comprehension_frame(frozenset(known))
        for name, value in known.items():
            self.cells.put(frame.cell, name, value)
        with self.position.in_frame(frame):
            return self.language.evaluate(tree)

    def holding(self, function: Value, count: int, last: Sequence[Value]) -> Value:
        """A function of `count` arguments that hands on those, and others behind."""
        front = ", ".join(f"a{k}" for k in range(count))
        behind = {f"b{k}": value for k, value in enumerate(last)}
        text = f"lambda {front}: held({front}, {', '.join(behind)})"
        return self.python(text, held=function, **behind)

    def first_of(self, node: Node) -> Value | None:
        """next(e for x in xs if c), and with a default: a function that returns from
        within the loop, so that no more is computed than Python computes. None of
        another call, and of one that keeps names by `:=`."""
        made, *rest = node.args or [None]
        if not isinstance(made, nodes.GeneratorExp) or len(rest) > 1 or node.keywords:
            return None
        if any(isinstance(n, nodes.NamedExpr) for n in nodes.walk(made)):
            return None
        whole = quote(_FIRST_OR if rest else _FIRST)[0]
        body = [nodes.Return(made.elt)]
        for generator in reversed(made.generators):
            for condition in reversed(generator.ifs):
                body = [nodes.If(condition, body, [])]
            body = [nodes.For(generator.target, generator.iter, body, [], None)]
        set_fields(whole, body=[*body, *whole.body])
        for inner in nodes.walk(whole):
            if isinstance(inner, nodes.Name) and inner.id == "rest_":
                set_fields(inner, id="%rest")
            if not hasattr(inner, "lineno"):
                nodes.copy_location(inner, node)
        function = self.expressions.closure(whole, "next")
        return self.language.call(
            function, [self.language.evaluate(part) for part in rest]
        )

    @provides(UserCalls.turned)
    def turned(self, function: Value, node: Node) -> Value | None:
        """zip(*rows) of any number of tuples of one length: a tuple for each of their
        items. None where it is another call, or it is known how many rows there are.
        """
        if isinstance(function, Const) and function.value is next:
            return self.first_of(node)
        is_zip = isinstance(function, Const) and function.value is zip
        if not is_zip or len(node.args) != 1 or node.keywords:
            return None
        if not isinstance(node.args[0], nodes.Starred):
            return None
        mark = self.snapshots.mark()
        rows = self.language.evaluate(node.args[0].value)
        columns = self.columns_of(rows)
        if columns is None:
            self.snapshots.back_to(mark)
            return None
        return self.language.call(
            Const(iter, "iter", "builtins"), (TupleValue(columns),)
        )

    def columns_of(self, rows: Value) -> tuple[Value, ...] | None:
        """The columns of rows that are tuples of one length when the text runs."""
        known = self.known_items.items_apart(rows)
        if known is None:
            return self.columns_of_list(rows)
        counts = {_items_of_row(self.operations.fact(v)) for v in known}
        if len(counts) != 1 or not all(isinstance(v, Var) for v in known):
            return None
        columns = [
            TupleValue(tuple(self.language.subscript(v, Const(k)) for v in known))
            for k in range(counts.pop())
        ]
        return tuple(columns) or None

    def columns_of_list(self, rows: Value) -> tuple[Value, ...] | None:
        """The columns of a list of any number of such tuples."""
        count = _items_of_row(element_of(self.operations.fact(rows)))
        if not count:
            return None
        check = Const(function_models.check_rows, function_models.check_rows.__name__)
        self.language.call(check, (rows, Const(count)))
        columns = []
        for k in range(count):
            column = self.python("[row[k] for row in rows]", rows=rows, k=Const(k))
            columns.append(self.operations.apply(tuple, (self.language.atom(column),)))
        return tuple(columns)

    # ------------------------------------------------------------ map, filter

    @extends(Loops.over)
    def over(
        self, rest: Callable[..., None], stmt: Node, iterable: Value, source: Value
    ) -> None:
        """A loop over map, filter or np.ndenumerate."""
        if isinstance(iterable, Lazy) and iterable.fn in MAPS:
            self.loops.run_For(self.rewritten(stmt, iterable))
            return
        rest(stmt, iterable, source)

    def rewritten(self, stmt: Node, lazy: Lazy) -> Node:
        """`for t in map(f, xs): body` as `for a in xs: t = f(a); body`."""
        tag = f"%{stmt.lineno}.{stmt.col_offset}."
        names = {}
        for k, value in enumerate(lazy.args):
            name = f"{tag}{k}"
            self.cells.put(self.position.frame.cell, name, value)
            names[f"a{k}"] = name_node(name)
        if lazy.fn is np.ndenumerate:
            index = name_node(f"{tag}i")
            element = nodes.Subscript(names["a0"], index, nodes.Load())
            pair = nodes.Tuple([index, element], nodes.Load())
            head = quote("t = e", t=stmt.target, e=pair)
            places = self.python("np.ndindex(np.shape(x))", x=lazy.args[0])
            self.cells.put(self.position.frame.cell, f"{tag}n", places)
            source, target = name_node(f"{tag}n"), name_node(f"{tag}i", store=True)
        elif lazy.fn is map:
            count = len(lazy.args) - 1
            items = [f"{tag}i{k}" for k in range(count)]
            call = nodes.Call(names["a0"], [name_node(i) for i in items], [])
            head = quote("t = e", t=stmt.target, e=call)
            source = names["a1"]
            target = name_node(items[0], store=True)
            if count > 1:
                self.cells.put(
                    self.position.frame.cell, f"{tag}zip", Const(zip, "zip", "builtins")
                )
                columns = [names[f"a{k + 1}"] for k in range(count)]
                source = nodes.Call(name_node(f"{tag}zip"), columns, [])
                stored = [name_node(i, store=True) for i in items]
                target = nodes.Tuple(stored, nodes.Store())
        else:
            item = name_node(f"{tag}i")
            test = item
            if lazy.args[0] != Const(None):
                test = nodes.Call(names["a0"], [item], [])
            head = [
                nodes.If(test, [nodes.Pass()], [nodes.Continue()]),
                *quote("t = e", t=stmt.target, e=item),
            ]
            source, target = names["a1"], name_node(f"{tag}i", store=True)
        for node in head:
            set_fields(node, header=header(stmt))
        made = nodes.For(target, source, [*head, *stmt.body], stmt.orelse, None)
        set_fields(made, header=header(stmt))
        for node in nodes.walk(made):
            if not hasattr(node, "lineno"):
                nodes.copy_location(node, stmt)
        return made

    @provides(Language.list_of_lazy)
    def list_of_lazy(self, lazy: Lazy) -> Value:
        """map or filter of something long, as a list that a loop builds."""
        function, *columns = lazy.args
        if lazy.fn is filter:
            test = "" if function == Const(None) else "f"
            return self.python(
                f"[v for v in xs if {test}(v)]", f=function, xs=columns[0]
            )
        if len(columns) == 1:
            return self.python("[f(v) for v in xs]", f=function, xs=columns[0])
        rows = Lazy(zip, tuple(columns))
        names = ", ".join(f"v{k}" for k in range(len(columns)))
        return self.python(f"[f({names}) for {names} in xs]", f=function, xs=rows)

    # ------------------------------------------------------------ NumPy

    def as_floats(self, listed: Value) -> Value:
        """The array of a list of results, which all have to be floats: NumPy takes the
        type of the first result for all."""
        self.check_floats(self.results(listed))
        return self.numpy_call("array", listed)

    def results(self, listed: Value) -> list[Fact]:
        """What is known of the items of a list that has just been built."""
        assert isinstance(listed, Ref)
        cell = self.cells.heap[listed.cell]
        if cell.var is None:
            return [self.operations.fact(v) for v in cell.items.values()]
        loop = next(only(reversed(self.blocks.ops), For))
        last = loop.body.ops[-1]
        if not isinstance(last, Store):
            return [Fact("unknown")]
        return [self.operations.fact(last.value)]

    def numpy_call(self, name: str, *args: Value, **kwargs: Value) -> Value:
        """A call of NumPy's function of that name."""
        function = Const(getattr(np, name), attribute_text("np", name), "numpy")
        return self.language.call(function, args, tuple(kwargs.items()))

    def vectorized(self, function: Value, args: Args, kwargs: Kwargs) -> Value:
        """np.vectorize(function)(*args): a call for every element. otypes: the type of
        the results, which any numbers are converted to."""
        named = dict(kwargs)
        dtype = named.pop(OTYPES, None)
        if not args and not named:
            return self.language.call(function, ())
        found, shape = self.of_elements("np.vectorize", function, args, named)
        if dtype is not None:
            made = self.numpy_call("array", found, dtype=dtype)
            return made if shape is None else self.numpy_call("reshape", made, shape)
        alone = shape is None
        known = [self.operations.fact(found)] if alone else self.results(found)
        several = [f.items for f in known if f.kind == "tuple" and f.items is not None]
        counts = {len(items) for items in several}
        if len(several) == len(known) and len(counts) == 1 and max(counts) > 1:
            return self.several(found, shape, [*zip(*several, strict=True)])
        return self.of_results(found, shape, known)

    def several(
        self, found: Value, shape: Value | None, known: Sequence[Sequence[Fact]]
    ) -> TupleValue:
        """The arrays of a function of several results, from the list of its tuples; of
        numbers from the tuple."""
        if shape is None:
            each = [self.language.subscript(found, Const(k)) for k in range(len(known))]
        else:
            texts = [f"[row[{k}] for row in rows]" for k in range(len(known))]
            each = [self.python(text, rows=found) for text in texts]
        parts = zip(each, known, strict=True)
        return TupleValue(tuple(self.of_results(v, shape, f) for v, f in parts))

    def of_results(
        self, found: Value, shape: Value | None, known: Sequence[Fact]
    ) -> Value:
        """The array of a list of results, all of one type; of one number its array."""
        if {f.kind for f in known} not in ({"int"}, {"bool"}):
            self.check_floats(known)
        if shape is None:
            return self.numpy_call("asarray", found)
        return self.numpy_call("reshape", self.numpy_call("array", found), shape)

    def of_elements(
        self, name: str, function: Value, args: Args, named: Mapping[str, Value]
    ) -> tuple[Value, Value | None]:
        """The list of the results for all elements, and its shape; of numbers the
        result, and None. named: the arguments by name."""
        keys = {f"k{n}": key for n, key in enumerate(named)}
        heads = [*[""] * len(args), *(f"{name}=" for name in keys)]
        args = (*args, *named.values())
        facts = [self.operations.fact(a) for a in args]
        single = [f.is_scalar or f.kind in _OPTIONS for f in facts]
        wide = [a for a, alone in zip(args, single, strict=True) if not alone]
        names = [f"x{k}" for k in range(len(args))]
        values = dict(zip(names, args, strict=True))
        casts = [self.cast(name, fact) for fact in facts]
        if not wide:
            parts = zip(heads, casts, names, strict=True)
            inner = ", ".join(f"{head}{c}({n})" for head, c, n in parts)
            return self.python(f"f({inner})", keys, f=function, **values), None
        if len(wide) == 1:
            shape = self.python("np.shape(x)", x=wide[0])
        else:
            shapes = [self.python("np.shape(x)", x=a) for a in wide]
            shape = self.numpy_call("broadcast_shapes", *shapes)
        columns: dict[str, Value] = {}
        given = []
        for head, each, cast, value in zip(heads, names, casts, args, strict=True):
            if any(value is w for w in wide):
                full = value
                if len(wide) > 1:
                    full = self.numpy_call("broadcast_to", value, shape)
                columns[each] = self.numpy_call("ravel", full)
            given.append(f"{head}{cast}({each})")
        loop = f"for {', '.join(columns)} in xs"
        xs = next(iter(columns.values()))
        if len(columns) > 1:
            xs = Lazy(zip, tuple(columns.values()))
        rest = {n: v for n, v in values.items() if n not in columns}
        listed = self.python(
            f"[f({', '.join(given)}) {loop}]", keys, f=function, xs=xs, **rest
        )
        return listed, shape

    def made_objects(self, function: Value, args: Args, kwargs: Kwargs) -> Value:
        """np.frompyfunc(function, n, 1)(*args): the results as they are."""
        if kwargs or not args:
            self.position.refuse_call(
                "what np.frompyfunc makes is called by name, or with nothing",
                "Give it its arguments by position.",
            )
        found, shape = self.of_elements("np.frompyfunc", function, args, {})
        if shape is None:
            return found
        model = Const(function_models.ArrayOfObjects, "ArrayOfObjects")
        return self.language.call(model, (found, shape))

    def cast(self, name: str, fact: Fact) -> str:
        """What np.vectorize and its like make of an element: a Python number."""
        if fact.kind in ("float", "int", "bool", *_OPTIONS):
            return ""
        kind = fact.dtype.kind if fact.dtype is not None else ""
        known = OF_PYTHON[kind].__name__ if kind in OF_PYTHON else None
        if fact.kind == "real" and not kind:
            known = "float"
        if kind and (known is None or _is_narrow(fact)):
            self.position.refuse_call(
                f"{name} is given an array of {fact.dtype}",
                "Convert it: f(x.astype(float)).",
            )
        if known is None:
            self.position.refuse_call(
                f"{name} is given a value of unknown type",
                "Give an example argument, or annotate the parameter.",
            )
        return known

    def along_axis(self, args: Args, kwargs: Kwargs) -> Value:
        """np.apply_along_axis(f, axis, x, *more): a call for every row."""
        function, axis, array, *more = args
        array = self.numpy_call("asarray", array)
        rank = self.operations.fact(array).rank
        known = self.assumptions.known_value(axis)
        if rank not in (1, 2) or known is None or not isinstance(known.value, int):
            self.position.refuse_call(
                "np.apply_along_axis needs a vector or a matrix, and a literal axis",
                "Write a loop over the rows.",
            )
        if rank == 1:
            value = self.language.call(function, (array, *more), kwargs)
            if self.operations.fact(value).rank == 0:
                self.check_floats([self.operations.fact(value)])
            return self.numpy_call("asarray", value)
        down = known.value % 2 == 0
        rows = self.language.attribute(array, "T") if down else array
        partial = Partial(function, (), tuple(kwargs))
        extra = {f"a{k}": v for k, v in enumerate(more)}
        inner = ", ".join(["v", *extra])
        listed = self.python(f"[f({inner}) for v in xs]", f=partial, xs=rows, **extra)
        found = self.results(listed)
        made = self.as_floats(listed)
        if found[0].rank is None:
            self.position.refuse_call(
                "the function given to np.apply_along_axis returns arrays of "
                "unknown rank",
                "Write a loop over the rows.",
            )
        return (
            self.language.attribute(made, "T") if down and found[0].rank == 1 else made
        )

    def check_floats(self, facts: Sequence[Fact]) -> None:
        """Refuse results that are not surely floats."""
        if not all(f.is_floating for f in facts):
            name = self.opaque_calls.called_name()
            self.position.refuse_call(
                f"`{name}` is given a function that may return something other than "
                "floats",
                "Return a float on every path: 0.0 instead of 0.",
            )

    def piecewise(self, args: Args, kwargs: Kwargs) -> Value:
        """np.piecewise(x, conditions, functions): an array that is filled in parts."""
        x, conditions, functions, *more = args
        x = self.numpy_call("asarray", x)
        conds = self.conditions(conditions, x)
        parts = self.known_items.known_items(functions, self.position.node)
        if not self.operations.fact(x).is_floating:
            self.position.refuse_call(
                "np.piecewise is given a value that is not known to be an array of "
                "floats",
                "Give an example argument, or annotate it as an array.",
            )
        if len(parts) == len(conds) + 1:
            some = self.numpy_call("any", TupleValue(tuple(conds)), axis=Const(0))
            conds.append(self.numpy_call("logical_not", some))
        y = self.numpy_call("zeros_like", x)
        self.cells.put(self.position.frame.cell, "%piecewise", y)
        for condition, part in zip(conds, parts, strict=True):
            value = part
            if not self.operations.fact(part).is_numeric:
                picked = self.language.subscript(x, condition)
                value = self.language.call(part, (picked, *more), kwargs)
            y = self.cells.get((self.position.frame.cell, "%piecewise")) or y
            self.language.store(y, condition, value, PUT)
        y = self.cells.get((self.position.frame.cell, "%piecewise")) or y
        self.cells.drop(self.position.frame.cell, "%piecewise")
        return y

    def conditions(self, given: Value, x: Value) -> list[Value]:
        """What np.piecewise takes for its conditions: what holds numbers for an array
        is one, that is all but a list of arrays."""
        known, points = self.operations.fact(given), self.operations.fact(x)
        several = known.is_numeric and known.rank is not None and known.rank > 1
        if known.is_numeric and not several:
            if known.rank is None:
                self.refuse_several()
            return [given]
        found = list(self.known_items.known_items(given, self.position.node))
        first = self.operations.fact(found[0]) if found else BOOL
        if several or (first.rank or 0) > 0 or points.rank == 0:
            return found
        if first.rank is None or points.rank is None:
            self.refuse_several()
        return [self.numpy_call("array", given)]

    def refuse_several(self) -> NoReturn:
        """Refuse what may be one condition or several."""
        self.position.refuse_call(
            "np.piecewise may be given one condition or several",
            "Write a list of conditions: [x < 0].",
        )


_NARROW = ("float16", "float32", "complex64", "longdouble", "clongdouble")
"""What Python's numbers hold otherwise: the first call decides the type of all."""


def _is_narrow(fact: Fact) -> bool:
    return any(fact.dtype == name for name in _NARROW)


def _items_of_row(row: Fact) -> int:
    """How many items a tuple has; 0 of what is none, or where it is not known."""
    return len(row.items or ()) if row.kind == "tuple" else 0


def vectorized(*args: object) -> object:
    """np.vectorize(f)(x) is `vectorized(f, x)` while it is lowered."""
    raise NotImplementedError


def made_objects(*args: object) -> object:
    """np.frompyfunc(f, n, 1)(x) is `made_objects(f, x)` while it is lowered."""
    raise NotImplementedError


VECTORIZED: Final = Const(vectorized, "np.vectorize", "numpy")
MADE_OBJECTS: Final = Const(made_objects, "np.frompyfunc", "numpy")
OTYPES: Final = "%otypes"
"""The keyword by which `vectorized` is told the type: no parameter has such a name."""
MAPS: Final = (map, filter, np.ndenumerate)
_FIRST: Final = "def first_of():\n    raise StopIteration"
_FIRST_OR: Final = "def first_of(rest_):\n    return rest_"
"""What comes after the loop of `next`: `rest_` is what it is given for the end."""
_KNOWN: Final[Mapping[str, Value]] = {
    "np": Const(np, "np", "numpy"),
    "float": Const(float, "float", "builtins"),
    "int": Const(int, "int", "builtins"),
    "bool": Const(bool, "bool", "builtins"),
}
