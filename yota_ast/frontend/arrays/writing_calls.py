"""Calls that write into an array -> stores: `out=`, np.copyto, np.add.at, x.sort().

`np.f(a, out=y)` is `y[...] = np.f(a)`, and its value is y.  With `where=m` it is
`y[...] = np.where(m, np.f(a), y)`, and where f has poles its arguments are 1 where m is
not true, so that no warning appears that the user has kept out.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, provides, uses
from yota_ast.frontend.desugar.crossed_stores import refuse_crossing, shares_root
from yota_ast.frontend.desugar.random_draws import DRAWS, drawn
from yota_ast.frontend.desugar.ufunc_at import LOOPS
from yota_ast.frontend.heap.lowered_values import NULL, MethodOf, TupleValue, Value
from yota_ast.frontend.interpret.augmented_assignments import AugmentedAssignments
from yota_ast.frontend.library.builtin_functions import Builtins
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.library.value_methods import ValueMethods
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import UNKNOWN
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ir.store_changes import PUT, PUT_BY_CALL, Change, Update
from yota_ast.ops import info, result_parameters, writes
from yota_ast.ops.spellings import AT, BINARY, WRITING_METHODS
from yota_ast.support import public_names
from yota_ast.syntax.value_paths import attribute_text

PLAIN: Final[dict[str, Callable[..., Any]]] = {
    op.in_place.__name__: op.fn for op in BINARY if op.in_place is not None
}
"""The operators that write in place, and those that do not."""
CHANGED: Final = (list, dict, set)
_AT: Final[dict[object, Change]] = {
    ufunc: Update(fn, repeats=True) for fn, ufunc in AT.items()
}
WHOLE: Final = Const(...)


class WritingCalls(Component):
    """What a call of NumPy's writes, as stores."""

    language = uses(Language)
    position = uses(Position)
    notes = uses(Notes)
    operations = uses(Operations)
    assumptions = uses(ValueAssumptions)
    builtins = uses(Builtins)
    augmented_assignments = uses(AugmentedAssignments)

    @provides(ValueMethods.writing_call)
    def writing_call(self, function: Const, args: Args, kwargs: Kwargs) -> Value | None:
        """The value of a call that writes into an array; None where it writes none."""
        fn: Any = function.value
        owner = getattr(fn, "__self__", None)
        if isinstance(owner, np.ufunc) and getattr(fn, "__name__", "") == "at":
            return self.write_at(owner, args)
        if isinstance(fn, np.ufunc) and len(args) > fn.nin and fn.nout > 1:
            self.position.refuse_call(
                f"`{fn.__name__}` writes several results into its arguments",
                "Assign the results instead.",
            )
        method = getattr(fn, "__name__", "")
        if isinstance(owner, CHANGED):  # push = ITEMS.append
            held = Const(owner, function.text, function.home)
            return self.builtins.call_method(MethodOf(held, method), args, kwargs)
        if fn is operator.delitem:
            self.position.refuse_call(
                "`delitem` changes its argument", "Write `del xs[k]`."
            )
        if getattr(fn, "__objclass__", None) in CHANGED and args:
            if not method.startswith("__") or method in WRITING_METHODS:
                return self.builtins.call_method(
                    MethodOf(args[0], method), args[1:], kwargs
                )
        if writes(fn) and fn is getattr(np.ndarray, method, None) and args:
            return self.builtins.call_method(
                MethodOf(args[0], method), args[1:], kwargs
            )
        found = self.operator_call(fn, args)
        if found is not None:
            return found
        if isinstance(fn, np.ufunc) and len(args) > fn.nin:
            args, kwargs = args[: fn.nin], (*kwargs, ("out", args[fn.nin]))
        args, kwargs = self.with_named_result(fn, args, kwargs)
        named = dict(kwargs)
        if fn is np.array and "ndmin" in named:
            return self.with_ndmin(function, args, named)
        if "out" in named:
            return self.write_out(function, args, named)
        if self.is_array_for_result(named.get("output")):
            named["out"] = named.pop("output")
            return self.write_out(function, args, named)
        if fn is np.nan_to_num and args and self.is_false(named.get("copy")):
            rest = tuple((k, v) for k, v in kwargs if k != "copy")
            self.language.store(
                args[0], WHOLE, self.language.call(function, args, rest), PUT
            )
            return args[0]
        return self.write_by_name(fn, method, args, kwargs) if writes(fn) else None

    def write_by_name(self, fn: Any, name: str, args: Args, kwargs: Kwargs) -> Value:
        """The value of a call of a function that writes, by the name of that."""
        owner, named = getattr(fn, "__self__", None), dict(kwargs)
        if name in DRAWS and isinstance(owner, public_names.drawing()):
            found = drawn(self, Const(owner), name, args, kwargs, bound=True)
            if found is not None:
                return found
        writer: Callable[..., None] | None = getattr(self, f"write_{name}", None)
        if writer is None or name == "at":
            self.position.refuse_call(
                f"`{name}` writes into its argument",
                "Assign the new order: x = x[np.random.permutation(len(x))]."
                if name == "shuffle"
                else "Assign to an index instead.",
            )
        writer(*args, **named)
        return NULL

    def operator_call(self, fn: Any, args: Args) -> Value | None:
        """operator.setitem(y, i, e), operator.iadd(y, e) and the methods like them."""
        name = str(getattr(fn, "__name__", ""))
        owner = getattr(fn, "__objclass__", None)
        if owner is not np.ndarray and getattr(operator, name, None) is not fn:
            return None
        name = name.strip("_")
        if name == "setitem" and len(args) == 3:
            target, index, value = args
            self.language.store(target, index, value, PUT)
            return NULL
        plain = PLAIN.get(name)
        return (
            self.augmented_assignments.augmented(plain, *args)
            if plain and len(args) == 2
            else None
        )

    def is_false(self, value: Value | None) -> bool:
        """Whether a value is known to be False."""
        known = None if value is None else self.assumptions.known_value(value)
        return known is not None and known.value is False

    def numpy(self, name: str, *args: Value) -> Value:
        """A call of NumPy's function of that name."""
        return self.language.call(
            Const(getattr(np, name), attribute_text("np", name), "numpy"), args
        )

    def with_ndmin(
        self, function: Const, args: Args, named: dict[str, Value]
    ) -> Value | None:
        """np.array(x, ndmin=2): np.atleast_2d of the array."""
        known = self.assumptions.known_value(named.pop("ndmin"))
        if known is None or known.value not in (0, 1, 2):
            self.position.refuse_call("`ndmin=` is not supported", "Use np.atleast_2d.")
        made = self.language.call(function, args, tuple(named.items()))
        if not known.value:
            return made
        return self.numpy(f"atleast_{known.value}d", made)

    # ------------------------------------------------------------ out=

    def with_named_result(
        self, fn: Any, args: Args, kwargs: Kwargs
    ) -> tuple[Args, Kwargs]:
        """The arguments of a call, with a name for the array that takes the result:
        `np.cumsum(a, 0, None, y)` is `np.cumsum(a, axis=0, dtype=None, out=y)`."""
        found = result_parameters(fn) if len(args) > 1 else None
        if found is None or len(args) <= found[0]:
            return args, kwargs
        at, names = found
        return args[:at], (*kwargs, *zip(names, args[at:], strict=False))

    def is_array_for_result(self, value: Value | None) -> bool:
        """Whether `output=` of scipy.ndimage is an array, and no dtype."""
        return isinstance(value, Var) and self.operations.fact(value).is_numeric

    def write_out(
        self, function: Const, args: Args, named: dict[str, Value]
    ) -> Value | None:
        """np.f(a, out=y, where=m)."""
        fn = function.value
        target = named.pop("out")
        if isinstance(target, TupleValue) and len(target.items) == 1:
            target = target.items[0]
        if isinstance(target, Const) and target.value is None:
            return self.language.call(function, args, tuple(named.items()))
        if not isinstance(target, Var):
            self.position.refuse_call(
                "`out=` is not an array that the function made",
                "Assign the result instead.",
            )
        self.check_order(fn, target)
        where = named.pop("where", None) if isinstance(fn, np.ufunc) else None
        if isinstance(where, Const) and where.value is True:
            where = None
        if where is not None:
            args = self.guarded_args(fn, args, where)
        value = self.language.call(function, args, tuple(named.items()))
        self.check_cast(fn, args, named, value, target)
        if where is not None:
            value = self.numpy("where", where, value, target)
        self.language.store(target, WHOLE, value, PUT_BY_CALL)
        return self.language.fresh(target)

    def guarded_args(self, fn: object, args: Args, where: Value) -> Args:
        """The arguments, and where the function is not wanted what it does not warn
        of."""
        known = info(fn)
        safe = Const(1 if known.safe is None else known.safe)
        return tuple(
            self.numpy("where", where, a, safe)
            if k in known.warns and not isinstance(a, Const)
            else a
            for k, a in enumerate(args)
        )

    def check_order(self, fn: object, target: Var) -> None:
        """Refuse `np.exp(a, out=y[::-1])`: into memory that runs backwards NumPy takes
        its elements one by one, and rounds some otherwise than an array at once."""
        if not isinstance(fn, np.ufunc) or info(fn).exact:
            return
        op = self.notes.views.get(target.name)
        while op is not None:
            turned = op.fn is operator.getitem and _runs_backwards(op.args[1])
            if turned or info(op.fn).reverses:
                self.position.refuse_call(
                    f"`out=` of np.{fn.__name__} is a view that runs "
                    "backwards: NumPy rounds differently there",
                    "Assign the result to an index: y[...] = value.",
                )
            source = op.args[0]
            op = self.notes.views.get(source.name) if isinstance(source, Var) else None

    def check_cast(
        self, fn: object, args: Args, named: dict[str, Value], value: Value, target: Var
    ) -> None:
        """Refuse what NumPy does not cast, or computes in the type of `out`."""
        given, wanted = self.operations.fact(value).dtype, target.fact.dtype
        typed = len(args) > 2 or "dtype" in named
        if given is None and args and _runs_over(fn) and not typed:
            of = self.operations.fact(
                args[0]
            ).dtype  # what np.add.reduce gives has no known type
            given = of if of is not None and of.kind == "f" else None
        if given is None or wanted is None or given == wanted:
            return
        if not isinstance(fn, np.ufunc) or not np.can_cast(given, wanted, "same_kind"):
            self.position.refuse_call(
                f"`out=` is an array of {wanted}, but the result is {given}",
                "Assign the result to an index: y[...] = value.",
            )

    # ------------------------------------------------------------ functions

    def write_at(self, ufunc: np.ufunc, args: Args) -> Value:
        """np.add.at(y, i, e): each time an index occurs."""
        if ufunc in _AT and len(args) == 3:
            owner, index, value = args
            self.language.store(owner, index, value, _AT[ufunc])
            return NULL
        loops = LOOPS.get(ufunc, ())
        index_fact = (
            self.operations.fact(args[1]) if len(args) == ufunc.nin + 1 else UNKNOWN
        )
        flat = index_fact.kind == "list" or (
            index_fact.rank == 1 and index_fact.dtype != np.bool_
        )
        if (
            not loops
            or not flat
            or self.operations.fact(args[-1]).kind in ("unknown", "real")
        ):
            name = f"{ufunc.__name__}.at"
            self.position.refuse_call(
                f"`{name}` is not supported here", "Write a loop."
            )
        one = len(args) == 3 and self.operations.fact(args[2]).is_scalar
        loop = loops[-1] if one else loops[0]
        self.language.call(Const(loop, loop.__name__, loop.__module__), args)
        return NULL

    def write_copyto(
        self, dst: Value, src: Value, casting: Value = NULL, where: Value = NULL
    ) -> None:
        """np.copyto(y, e, where=m)."""
        if casting is not NULL:
            self.position.refuse_call("`casting=` is not supported", "Use y[...] = e.")
        if where is not NULL:
            src = self.numpy("where", where, src, dst)
        self.language.store(dst, WHOLE, src, PUT)

    def write_place(self, arr: Value, mask: Value, vals: Value) -> None:
        """np.place(y, m, e): the values in turn, again and again."""
        mask = self.as_mask(mask)
        if not self.operations.fact(vals).is_scalar:
            if isinstance(arr, Var) and shares_root(
                self, arr, self.language.atom(vals)
            ):
                refuse_crossing(self)
            vals = self.in_turn(vals, self.numpy("count_nonzero", mask))
        self.language.store(arr, mask, vals, PUT)

    def as_mask(self, mask: Value) -> Value:
        """Truth values: numbers in an index are places."""
        known = self.operations.fact(mask)
        if known.kind == "bool" or (
            known.dtype is not None and known.dtype.kind == "b"
        ):
            return mask
        if known.kind == "array":
            return self.language.operate(operator.ne, mask, Const(0))
        return self.numpy("not_equal", mask, Const(0))

    def in_turn(self, values: Value, count: Value) -> Value:
        """As many values as wanted, in turn, again and again."""
        return self.picked(values, self.numpy("arange", count))

    def picked(self, values: Value, places: Value) -> Value:
        """The values at places of the flat array, beyond its end from the start."""
        if self.operations.fact(values).rank != 1:
            values = self.numpy("ravel", values)
        size = self.numpy("size", values)
        return self.language.subscript(
            values, self.language.operate(operator.mod, places, size)
        )

    def write_putmask(self, a: Value, mask: Value, values: Value) -> None:
        """np.putmask(y, m, e): the values at the same places."""
        mask = self.as_mask(mask)
        known = self.operations.fact(values)
        if (
            known.shape is not None
            and known.shape == self.operations.fact(a).shape != ()
        ):
            values = self.language.subscript(values, mask)
        elif not known.is_scalar:
            values = self.picked(values, self.numpy("flatnonzero", mask))
        self.language.store(a, mask, values, PUT)

    def write_put(self, a: Value, ind: Value, v: Value, mode: Value = NULL) -> None:
        """np.put(y, i, e): the values in turn, at places in the flat array."""
        mode = Const("raise") if mode is NULL else mode
        ind = self.in_range(ind, a, mode)
        places, given = self.operations.fact(ind), self.operations.fact(v)
        if places.kind == "list" and places.items == ():
            return
        listed = places.kind == "list" and element_of(places).is_scalar
        one = places.rank == 0 and given.is_scalar
        if not one and places.rank != 1 and not listed:
            ind = self.numpy("ravel", ind)  # of one place, too: it takes the first
        if not given.is_scalar:
            v = self.in_turn(v, self.numpy("size", ind))
        if self.operations.fact(a).rank != 1:
            if self.assumptions.known_value(mode) == Const("raise"):
                ind = self.from_the_start(ind, a)
            ind = self.numpy("unravel_index", ind, self.language.attribute(a, "shape"))
        self.language.store(a, ind, v, PUT)

    def in_range(self, ind: Value, a: Value, mode: Value) -> Value:
        """Places in a flat array, brought into its range where a mode says so."""
        known = self.assumptions.known_value(mode)
        if known is None or known.value not in ("clip", "wrap", "raise"):
            self.position.refuse_call("`mode=` is unknown", "Take indices in range.")
        if known.value == "raise":
            return ind
        size = self.language.attribute(a, "size")
        if known.value == "wrap":
            return self.language.operate(operator.mod, self.numpy("asarray", ind), size)
        last = self.language.operate(operator.sub, size, Const(1))
        return self.numpy("clip", ind, Const(0), last)

    def from_the_start(self, places: Value, a: Value) -> Value:
        """Places in a flat array, those from its end counted from its start."""
        items = self.language.items_of(places)
        known = map(self.assumptions.known_value, (places,) if items is None else items)
        if all(k is not None and type(k.value) is int and k.value >= 0 for k in known):
            return places
        places = self.numpy("asarray", places)
        beyond = self.language.operate(
            operator.add, places, self.language.attribute(a, "size")
        )
        ends = self.language.operate(operator.lt, places, Const(0))
        return self.numpy("where", ends, beyond, places)

    def write_put_along_axis(
        self, arr: Value, indices: Value, values: Value, axis: Value = NULL
    ) -> None:
        """np.put_along_axis(y, i, e, axis)."""
        rank, known = (
            self.operations.fact(arr).rank,
            self.assumptions.known_value(axis),
        )
        if rank is None or known is None or not isinstance(known.value, int):
            self.position.refuse_call(
                "`put_along_axis` needs an array of known rank, and an axis",
                "Assign to an index: y[np.arange(n)[:, None], i] = e.",
            )
        parts: list[Value] = []
        for k in range(rank):
            if k == known.value % rank:
                parts.append(indices)
                continue
            length = self.language.subscript(
                self.language.attribute(arr, "shape"), Const(k)
            )
            grid = self.numpy("arange", length)
            spread = tuple(slice(None) if j == k else None for j in range(rank))
            parts.append(
                self.language.subscript(grid, Const(spread)) if rank > 1 else grid
            )
        self.language.store(arr, TupleValue(tuple(parts)), values, PUT)

    def write_fill_diagonal(self, a: Value, val: Value, wrap: Value = NULL) -> None:
        """np.fill_diagonal(y, e)."""
        rank = self.operations.fact(a).rank
        if rank is None or not (wrap is NULL or self.is_false(wrap)):
            self.position.refuse_call(
                "`fill_diagonal` needs an array of known rank, and no wrap",
                "Write y[i, i] = e with i = np.arange(n).",
            )
        count = self.language.call(
            Const(min, "min"), (self.language.attribute(a, "shape"),)
        )
        if not self.operations.fact(val).is_scalar:
            val = self.in_turn(val, count)
        index = self.numpy("arange", count)
        self.language.store(a, TupleValue((index,) * rank), val, PUT)

    @provides(ValueMethods.write_partition)
    def write_partition(self, a: Value, /, *args: Value, **kwargs: Value) -> None:
        """y.partition(kth, axis)."""
        function = Const(np.partition, "np.partition", "numpy")
        self.language.store(
            a,
            WHOLE,
            self.language.call(function, (a, *args), tuple(kwargs.items())),
            PUT,
        )

    @provides(ValueMethods.write_sort)
    def write_sort(self, a: Value, /, *args: Value, **kwargs: Value) -> None:
        """y.sort(axis)."""
        function = Const(np.sort, "np.sort", "numpy")
        self.language.store(
            a,
            WHOLE,
            self.language.call(function, (a, *args), tuple(kwargs.items())),
            PUT,
        )


def _runs_over(fn: object) -> bool:
    """Whether a function is np.add.reduce, np.add.accumulate or one like them."""
    return isinstance(getattr(fn, "__self__", None), np.ufunc)


def _runs_backwards(index: Atom) -> bool:
    """Whether an index has a slice with a step below 0."""
    given = index.value if isinstance(index, Const) else None
    parts = given if isinstance(given, tuple) else (given,)
    return any(
        isinstance(p, slice) and isinstance(p.step, int) and p.step < 0 for p in parts
    )
