"""Calls that take functions, or are subscripts, put in other words.

`np.r_[a, b]` is `np.concatenate((a, b))`; `np.multiply.outer(u, v)` is
`np.multiply(u[:, None], v)`; functions of functions are those of `frontend.models`.
"""

from __future__ import annotations

import collections
import inspect
import itertools
import string
from typing import Any, Final

import numpy as np

from yota_ast.frontend.arrays.given_memory import without_overwriting
from yota_ast.frontend.arrays.writing_calls import WritingCalls
from yota_ast.frontend.calls.opaque_calls import OpaqueCalls
from yota_ast.frontend.calls.solver_calls import SolverCalls
from yota_ast.frontend.calls.user_calls import UserCalls
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, provides, uses
from yota_ast.frontend.desugar import function_models
from yota_ast.frontend.desugar.array_splits import parts_of
from yota_ast.frontend.desugar.random_draws import DRAWS, drawn
from yota_ast.frontend.expressions.subscripts import Subscripts
from yota_ast.frontend.heap.lowered_values import (
    Bound,
    Closure,
    MethodOf,
    Partial,
    SliceValue,
    TupleValue,
    Value,
)
from yota_ast.frontend.library.builtin_functions import REPLACEMENTS, Builtins
from yota_ast.frontend.library.sparse_matrices import classes_asked_for
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.models.library_models import model_of, takes
from yota_ast.frontend.models.listed_axes import with_listed_axes
from yota_ast.frontend.models.routines_by_type import routines_asked_for
from yota_ast.frontend.models.varying_matrices import call_on_sparse
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.tables.list_models import CHANGING_LISTS
from yota_ast.ir.abstract_values import CONTAINERS, Fact
from yota_ast.ir.atoms import Const
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ops import info
from yota_ast.runtime import broadcast
from yota_ast.support import public_names
from yota_ast.support.kept_functions import helper_of_text
from yota_ast.syntax.value_paths import attribute_text

MODELS: Final[dict[object, Any]] = {
    np.apply_along_axis: function_models.apply_along_axis,
    np.apply_over_axes: function_models.apply_over_axes,
    np.polyval: function_models.polyval_of_rows,
    np.fromfunction: function_models.fromfunction,
    np.poly1d: function_models.Poly1d,
    np.polynomial.Polynomial: function_models.Polynomial,
    collections.deque: function_models.Deque,
    itertools.takewhile: function_models.takewhile,
    itertools.dropwhile: function_models.dropwhile,
    itertools.filterfalse: function_models.filterfalse,
    itertools.compress: function_models.compress,
    **CHANGING_LISTS,
}
VECTORIZED: Final = (function_models.vectorized, function_models.vectorized_pair)
ARRAY: Final = Const(np.array, "np.array", "numpy")
WHOLE: Final = Const(slice(None))
NONE: Final = Const(None)
CROSSES_PAIRS: Final = np.lib.NumpyVersion(np.__version__) < "2.5.0"
"""Whether `np.cross` takes vectors of two."""
LETTERS: Final[dict[object, str]] = dict(
    enumerate(string.ascii_uppercase + string.ascii_lowercase)
)
"""What NumPy calls an axis of a number."""
FLOATS: Final = (float, np.float64, np.dtype(float), "float64", "float")
"""What `output` of scipy.ndimage is for floats of 64 bits."""
TYPES: Final = (type, np.dtype, str)
LAST_AXIS: Final = (("axis", Const(-1)),)


class NumpyCalls(Component):
    """What of NumPy's is lowered in other words."""

    language = uses(Language)
    position = uses(Position)
    operations = uses(Operations)
    assumptions = uses(ValueAssumptions)
    builtins = uses(Builtins)
    opaque_calls = uses(OpaqueCalls)
    writing_calls = uses(WritingCalls)
    solver_calls = uses(SolverCalls)

    @provides(UserCalls.call_in_other_words)
    def call_in_other_words(self, fn: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """The value of such a call; None where it is none."""
        changed = self.parted_or_drawn(fn, args, kwargs)
        if changed is not None:
            return changed
        helper = helper_of_text(fn)
        replaced = None if helper is None else REPLACEMENTS.get(helper)
        if replaced is not None:
            return replaced(self, args, kwargs)
        if helper is not None and self.settings.is_primitive(helper):
            atoms = self.opaque_calls.argument_atoms(helper, args)
            named = [(k, self.opaque_calls.argument_atom(helper, v)) for k, v in kwargs]
            return self.operations.apply(helper, atoms, named)
        solved = self.solver_calls.call_solver(fn, args, kwargs)
        if solved is not None:
            return solved
        if public_names.is_distribution(fn):
            name, module = public_names.spelled(fn)
            frozen: Any = function_models.FROZEN.get(name, function_models.Frozen)
            given = (Const(fn, name, module), *args)
            return self.language.call(Const(frozen, frozen.__name__), given, kwargs)
        owner = getattr(fn, "__self__", None)
        if isinstance(owner, np.ufunc) and fn.__name__ == "outer":
            return self.outer(owner, args, kwargs)
        if isinstance(fn, np.ufunc) and "dtype" in dict(kwargs):
            return self.of_type(fn, args, dict(kwargs))
        if fn is broadcast and args and self.has_to_be_followed(args[0]):
            return self.apply_to_each(args[0], args[1:])
        arrays = self.made_arrays(fn, args)
        if arrays is not None:
            return self.language.call(
                Const(fn, *public_names.spelled(fn)), arrays, kwargs
            )
        if info(fn).of_each and len(args) > 1 and not kwargs:
            each = Const(fn, attribute_text("np", fn.__name__), "numpy")
            return TupleValue(tuple(self.language.call(each, (a,)) for a in args))
        if fn is np.cross and len(args) == 2 and not kwargs:
            return self.cross_product(args)
        if (asked := classes_asked_for(fn)) and len(args) == 1:
            classes = [Const(c, *public_names.spelled(c)) for c in asked]
            of_class = Const(isinstance, "isinstance", "builtins")
            return self.language.call(of_class, (args[0], TupleValue(tuple(classes))))
        try:
            if info(fn).coefficients >= 0:
                self.check_coefficients(fn, args, dict(kwargs))
            model = MODELS.get(fn) or model_of(fn)
        except TypeError:  # not hashable
            return None
        if model is None or not self.has_model(fn, args, dict(kwargs)):
            return None
        if fn is np.apply_over_axes and self.operations.fact(args[2]).kind == "int":
            args = (*args[:2], TupleValue((args[2],)))
        return self.language.call(Const(model, model.__name__), args, kwargs)

    def labelled(self, args: Args) -> Args | None:
        """What `np.einsum(u, [0, 1], v, [1, 2])` is given, with a string of labels in
        the place of the lists; None where they are not known."""
        labels = [self.known_labels(a) for a in args[1::2]]
        ends = [self.known_labels(a) for a in args[2 * (len(args) // 2) :]]
        if None in (*labels, *ends):
            return None
        text = "->".join([",".join(map(str, labels)), *map(str, ends)])
        return (Const(text), *self.as_arrays(args[: 2 * len(labels) : 2]))

    def known_labels(self, given: Value) -> str | None:
        """A list of numbers as letters, `...` as it is."""
        if self.operations.fact(given).kind not in ("list", "tuple"):
            return None
        items = self.language.items_of(given)
        known = [self.assumptions.known_value(item) for item in items or ()]
        values = [None if k is None else k.value for k in known]
        letters = ["..." if v is ... else LETTERS.get(v) for v in values]
        if items is None or None in letters:
            return None
        return "".join(map(str, letters))

    def of_same_type(self, fn: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """A filter of scipy.ndimage with `output=float`, of an array of such floats: it
        is the same without."""
        output = dict(kwargs).get("output")
        if not args or not isinstance(output, Const):
            return None
        if not isinstance(output.value, TYPES) or output.value not in FLOATS:
            return None
        if not getattr(fn, "__module__", "").startswith("scipy.ndimage"):
            return None
        if self.operations.fact(args[0]).dtype != np.float64:
            return None
        name, module = public_names.spelled(fn)
        rest = [(k, v) for k, v in kwargs if k != "output"]
        return self.language.call(Const(fn, name, module), args, rest)

    def parted_or_drawn(self, fn: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """The parts of an array that is written, what np.random draws of data."""
        if (
            self.settings.sliced
            and info(fn).splits
            and self.position.spot() in self.settings.sliced
        ):
            return parts_of(self, fn, tuple(args), dict(kwargs))
        owner = getattr(fn, "__self__", None)
        if isinstance(owner, public_names.drawing()) and fn.__name__ in DRAWS:
            return drawn(self, Const(owner), fn.__name__, args, kwargs, bound=True)
        listed = with_listed_axes(fn, args, kwargs, self.operations.fact)
        if listed is not None:
            return self.language.call(Const(fn, *public_names.spelled(fn)), *listed)
        for make in (routines_asked_for, without_overwriting, call_on_sparse):
            made = make(self, fn, args, kwargs)
            if made is not None:
                return made
        return self.of_same_type(fn, args, kwargs)

    # ------------------------------------------------------------ functions of each

    def has_to_be_followed(self, f: Value) -> bool:
        """Whether a function is the user's, without a rule."""
        if isinstance(f, (Closure, Bound, Partial)):
            return True
        return (
            isinstance(f, Const)
            and callable(f.value)
            and not self.settings.is_primitive(f.value)
        )

    def apply_to_each(self, f: Value, arrays: Args) -> Value:
        """`f` of the elements of one array, or of two that broadcast together."""
        if not 1 <= len(arrays) <= len(VECTORIZED):
            self.position.refuse_call(
                "a function is applied to the elements of more than two arrays",
                "Write a loop.",
            )
        facts = [self.operations.fact(a) for a in arrays]
        floats = all(f.kind == "array" and f.dtype == np.float64 for f in facts[:1])
        if not floats or any(not _is_float(f) for f in facts):
            self.position.refuse_call(
                "a function is applied to the elements of an array that may "
                "not be float64",
                "Give example arguments of float64: x.astype(float).",
            )
        model = VECTORIZED[len(arrays) - 1]
        return self.language.call(Const(model, model.__name__), (f, *arrays))

    # ------------------------------------------------------------ models

    def has_model(self, fn: object, args: Args, named: dict[str, Value]) -> bool:
        """Whether the model of a function does here what NumPy does.

        What `Applied` handles is left to it.
        """
        if "output" in named:  # of a filter, which writes the last of several results
            return False
        if model_of(fn) is not None and not takes(fn, args, named):
            return False
        if fn is np.fromfunction:
            return bool(named)
        if fn is np.polyval:
            p = args[0] if args else named["p"]
            return self.are_rows(self.operations.fact(p))
        if fn is not np.apply_along_axis:
            return True
        arr = named.get("arr", args[2] if len(args) > 2 else None)
        rank = None if arr is None else self.operations.fact(arr).rank
        return rank is not None and (rank > 2 or (rank == 2 and bool(named)))

    def cross_product(self, vectors: Args) -> Value | None:
        """np.cross of vectors of two, which have a rule of their own; of vectors that
        may be such by the rule that asks how long they are."""
        lengths = [_length_of(self.operations.fact(v)) for v in vectors]
        if None in lengths:
            return self.language.call(
                Const(np.cross, "np.cross", "numpy"), vectors, LAST_AXIS
            )
        if lengths != [2, 2] or not CROSSES_PAIRS:
            return None
        pairs = [
            v if self.operations.fact(v).is_numeric else self.language.call(ARRAY, (v,))
            for v in vectors
        ]
        for pair in pairs:
            self.assumptions.length_of(pair, -1)
        return self.language.call(
            Const(function_models.cross_of_pairs, "cross_of_pairs"), pairs
        )

    def check_coefficients(self, fn: Any, args: Args, named: dict[str, Value]) -> None:
        """Coefficients are no rows, but in `polyval_of_rows`: the text checks those of
        which it is not known."""
        place = info(fn).coefficients
        name = list(inspect.signature(fn).parameters)[place]
        p = args[place] if len(args) > place else named[name]
        fact = self.operations.fact(p)
        if may_be_rows(fact) and not self.are_rows(fact):
            check = function_models.check_coefficients
            self.language.call(Const(check, check.__name__), (p,))
        elif fn is not np.polyval and self.are_rows(fact):
            self.position.refuse_call(
                "the coefficients of the polynomial are arrays",
                "Evaluate each polynomial by itself.",
            )

    def are_rows(self, coefficients: Fact) -> bool:
        """Whether coefficients are arrays, each of them one of every element."""
        if coefficients.kind in ("list", "tuple"):
            each = element_of(coefficients)
            return bool(each.rank) or each.kind in CONTAINERS
        return (coefficients.rank or 0) > 1

    # ------------------------------------------------------------ of a type

    def of_type(
        self, ufunc: np.ufunc, args: Args, named: dict[str, Value]
    ) -> Value | None:
        """`np.sqrt(x, dtype=complex)`, which is `np.sqrt(x.astype(complex))`; None
        where the type is none of floats, or not that in which all is computed."""
        asked = named.pop("dtype")
        if not isinstance(asked, Const) or "out" in named or len(args) > ufunc.nin:
            return None
        spelled = Const(ufunc, attribute_text("np", ufunc.__name__), "numpy")
        args = self.as_arrays(args)
        if asked.value is None:
            return self.language.call(spelled, args, tuple(named.items()))
        try:
            dtype: np.dtype[Any] = np.dtype(asked.value)  # type: ignore[call-overload]
        except TypeError as error:
            self.position.refuse_call(
                f"`np.{ufunc.__name__}` raises TypeError: {error}", "Correct the call."
            )
        loop = f"{dtype.char * ufunc.nin}->{dtype.char * ufunc.nout}"
        if dtype.kind not in "fc" or loop not in ufunc.types:
            return None
        if dtype.kind == "f" and any(
            _may_be_complex(self.operations.fact(a)) for a in args
        ):
            return None  # NumPy raises where it is
        weak = [isinstance(a, Const) for a in args]
        if all(weak):  # a literal has the type of what it stands beside
            weak = [False] * len(args)
        cast = tuple(
            a if w else self.of_its_type(a, asked, dtype)
            for a, w in zip(args, weak, strict=True)
        )
        return self.language.call(spelled, cast, tuple(named.items()))

    def made_arrays(self, fn: Any, args: Args) -> Args | None:
        """The arguments of a function that makes arrays of lists, if any is a list; of
        np.einsum with a string of labels."""
        known = [self.operations.fact(a) for a in args]
        if fn is np.einsum and args and known[0].kind != "str":
            return self.labelled(args)
        if fn is np.einsum and args and known[0].kind == "str":
            if any(f.kind in ("list", "tuple") for f in known[1:]):
                return (args[0], *self.as_arrays(args[1:]))
        lists = [f for f in known if f.kind in ("list", "tuple")]
        if info(fn).arrays and any(f.holds_floats for f in lists):
            return self.as_arrays(args)
        return None

    def as_arrays(self, values: Args) -> Args:
        """What is given, lists and tuples as the arrays that NumPy makes of them."""
        return tuple(
            self.language.call(ARRAY, (v,))
            if self.operations.fact(v).kind in ("list", "tuple")
            else v
            for v in values
        )

    def of_its_type(self, value: Value, asked: Const, dtype: np.dtype[Any]) -> Value:
        """What is given, of a type, whatever it has at the call."""
        known = self.operations.fact(value)
        if known.is_number and dtype in (float, complex):
            own = float if dtype.kind == "f" else complex
            return self.language.call(Const(own, own.__name__, "builtins"), (value,))
        if known.kind == "array":
            return self.builtins.call_method(MethodOf(value, "astype"), (asked,), ())
        asarray = Const(np.asarray, "np.asarray", "numpy")
        return self.language.call(asarray, (value,), (("dtype", asked),))

    # ------------------------------------------------------------ outer, r_ and c_

    def outer(self, ufunc: np.ufunc, args: Args, kwargs: Kwargs) -> Value:
        """np.multiply.outer(u, v): with the axes of v after those of u."""
        u, v = args
        rank, wide = self.operations.fact(v).rank, self.operations.fact(u).rank
        if rank is None or wide is None:
            self.position.refuse_call(
                f"`np.{ufunc.__name__}.outer` is given arrays of unknown rank",
                f"Write np.{ufunc.__name__}(u[:, np.newaxis], v).",
            )
        if rank and wide:
            index = (WHOLE,) * wide + (NONE,) * rank
            u = self.language.subscript(u, TupleValue(index))
        return self.language.call(
            Const(ufunc, attribute_text("np", ufunc.__name__), "numpy"), (u, v), kwargs
        )

    @provides(Subscripts.joined)
    def joined(self, joiner: object, index: Value) -> Value | None:
        """np.r_[a, b], np.c_[a, b] and grids; None where nothing of these is meant."""
        if joiner is np.mgrid or joiner is np.ogrid:
            return self.grid(joiner, index)
        if joiner is not np.r_ and joiner is not np.c_:
            return None
        items = list(index.items) if isinstance(index, TupleValue) else [index]
        parts = [self.part_of(i, within=index is not i) for i in items]
        facts = [self.operations.fact(p) for p in parts]
        if not _joinable(facts):
            self.position.refuse_call(
                "`np.r_` or `np.c_` joins a value of unknown rank or type",
                "Use np.concatenate.",
            )
        ranks = [f.rank or 0 for f in facts]
        joined = TupleValue(tuple(parts))
        if joiner is np.c_ and not any(ranks):
            row = self.writing_calls.numpy("hstack", joined)
            return self.writing_calls.numpy("atleast_2d", row)
        if joiner is np.c_ and min(ranks) > 0 and max(ranks) < 3:
            return self.writing_calls.numpy("column_stack", joined)
        if joiner is np.r_ and max(ranks) < 2:
            return self.writing_calls.numpy("hstack", joined)
        if len(set(ranks)) == 1 and min(ranks) > 0:
            axis = (Const(-1),) if joiner is np.c_ else ()
            return self.writing_calls.numpy("concatenate", joined, *axis)
        self.position.refuse_call(
            "`np.r_` or `np.c_` joins arrays of different ranks", "Use np.concatenate."
        )

    def grid(self, maker: object, index: Value) -> Value:
        """np.mgrid[0:n, 0:m]."""
        name = "mgrid" if maker is np.mgrid else "ogrid"
        for item in index.items if isinstance(index, TupleValue) else (index,):
            ends: tuple[Value, ...] = ()
            if isinstance(item, SliceValue):
                ends = (item.start, item.stop, item.step)
            if any(self.operations.fact(e).kind in ("unknown", "real") for e in ends):
                self.position.refuse_call(
                    f"`np.{name}` is given a number of unknown type",
                    "Give an example argument.",
                )
        owner = Const(maker, attribute_text("np", name), "numpy")
        atoms = (owner, self.language.atom(index))
        places = type(np.mgrid).__getitem__
        return self.operations.apply(places, atoms, form="subscript")

    def part_of(self, part: Value, *, within: bool) -> Value:
        """A part in np.r_: a slice is np.arange, a list or a tuple within an array."""
        kind = self.operations.fact(part).kind
        if kind == "list" or (kind == "tuple" and within):
            return self.writing_calls.numpy("array", part)
        if isinstance(part, Const) and isinstance(part.value, slice):
            cut = part.value
            part = SliceValue(Const(cut.start), Const(cut.stop), Const(cut.step))
        if not isinstance(part, SliceValue):
            return part
        step = self.assumptions.known_value(part.step)
        if step is not None and isinstance(step.value, complex):
            count = Const(int(abs(step.value)))
            return self.writing_calls.numpy("linspace", part.start, part.stop, count)
        given = (part.start, part.stop, part.step)
        bounds = [g for g in given if not (isinstance(g, Const) and g.value is None)]
        return self.writing_calls.numpy("arange", *bounds)


def _may_be_complex(known: Fact) -> bool:
    if known.dtype is not None:
        return known.dtype.kind not in "fiub"
    return known.kind not in ("float", "int", "bool", "real")


def may_be_rows(coefficients: Fact) -> bool:
    """Whether it is not known that coefficients are numbers, or an array of them."""
    if coefficients.kind in ("list", "tuple"):
        each = element_of(coefficients)
        return not (each.is_number or each.is_scalar)
    unknown = coefficients.kind in ("array", "real", "unknown")
    return unknown and coefficients.rank is None


def _is_float(fact: Fact) -> bool:
    if fact.kind == "float":
        return True
    return fact.kind in ("array", "scalar") and fact.dtype == np.float64


def _length_of(fact: Fact) -> int | None:
    """How long the last axis is, in the example; of a list, how many items it has."""
    if fact.kind in ("list", "tuple") and element_of(fact).is_number:
        return None if fact.items is None else len(fact.items)
    dim = fact.shape[-1] if isinstance(fact.shape, tuple) and fact.shape else None
    return None if dim is None else dim.example


def _joinable(facts: list[Fact]) -> bool:
    """Whether the parts are joined by concatenation, in the same type."""
    if not all(f.is_numeric and f.rank is not None for f in facts):
        return False
    if all(f.kind == "array" for f in facts) or all(f.kind == "int" for f in facts):
        return True
    if any(_is_float(f) and f.kind != "float" for f in facts):
        return True  # a number beside it changes no type, whether it is Python's or not
    return any(map(_is_float, facts)) and all(
        _is_float(f) or f.kind == "int" or f.dtype == np.int64 for f in facts
    )
