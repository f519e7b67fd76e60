"""Methods of arrays, numbers, strings, tuples, lists and dicts."""

from __future__ import annotations

import functools
import numbers
import random
from collections.abc import (
    Callable,
    Mapping,
    MutableMapping,
    MutableSequence,
    MutableSet,
)
from typing import Any, Final, NoReturn

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extensible, provides, uses
from yota_ast.frontend.desugar import function_models
from yota_ast.frontend.desugar.dunder_methods import by_its_sign
from yota_ast.frontend.desugar.python_draws import fact_of_draw
from yota_ast.frontend.desugar.random_draws import DRAWS, drawn
from yota_ast.frontend.expressions.folding import type_of
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.object_attributes import ObjectAttributes
from yota_ast.frontend.expressions.subscripts import Subscripts
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Bound,
    MethodOf,
    Ref,
    TupleValue,
    Value,
    literal,
)
from yota_ast.frontend.library.absent_methods import unsupported_method
from yota_ast.frontend.library.builtin_functions import REPLACEMENTS, Builtins
from yota_ast.frontend.library.cached_functions import cleared
from yota_ast.frontend.library.dict_methods import DictMethods, SetMethods
from yota_ast.frontend.library.list_methods import ListMethods
from yota_ast.frontend.library.sparse_matrices import SparseMatrices
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import BOOL, EITHER_BOOL, INT, NONE, STR, UNKNOWN, Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.facts.joined_facts import where_present
from yota_ast.ir.facts.time_points import MOMENTS
from yota_ast.ir.nodes import Apply
from yota_ast.ir.store_changes import PUT
from yota_ast.ops import writes
from yota_ast.ops.spellings import METHODS
from yota_ast.support.public_names import drawing
from yota_ast.support.value_classes import is_sparse
from yota_ast.syntax.value_paths import attribute_text

CHANGING: Final = {
    "list": frozenset("append clear extend insert pop remove reverse sort".split()),
    "dict": frozenset("clear move_to_end pop popitem setdefault update".split()),
}
"""The methods that change a container."""


CONTAINERS: Final = (MutableSequence, MutableMapping, MutableSet)
READING: Final = frozenset(
    "copy count difference elements get index intersection isdisjoint issubset "
    "issuperset items keys most_common symmetric_difference total union values".split()
)
"""The methods of such that change nothing."""
UNCHANGING: Final = (str, bytes, numbers.Number, tuple, frozenset, range, np.dtype)

PLAIN: Final = ("str", "int", "bool", "complex", "float", "other", "model")
_TEXTS: Final = (
    "capitalize casefold center expandtabs format format_map join ljust lower lstrip "
    "removeprefix removesuffix replace rjust rstrip strip swapcase title translate "
    "upper zfill"
).split()
_TESTS: Final = (
    "startswith endswith isalnum isalpha isascii isdecimal isdigit isidentifier "
    "islower isnumeric isprintable isspace istitle isupper"
).split()
STR_METHODS: Final[dict[str, Fact]] = {
    **dict.fromkeys(_TEXTS, STR), **dict.fromkeys(_TESTS, BOOL),
    **dict.fromkeys(("count", "find", "index", "rfind", "rindex"), INT),
    **dict.fromkeys(("split", "rsplit", "splitlines"), Fact("other", cls=list)),
}  # fmt: skip
"""What the methods of strings give."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method that is known by its name alone, as a function of its owner.

    >>> Method("upper")("a")
    'A'
    """

    name: str

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, owner: Any, *args: Any, **kwargs: Any) -> Any:
        """owner.name(...)."""
        return getattr(owner, self.name)(*args, **kwargs)


def _as_function(fn: object, owner: Value, args: Args) -> Args:
    """What a function is given where its method is called: np.clip asks for both
    bounds, the method for one."""
    return (owner, *args, NULL) if fn is np.clip and len(args) == 1 else (owner, *args)


class ValueMethods(Component):
    """Calls of x.name where x is no object of a user's class."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    operations = uses(Operations)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    known_items = uses(KnownItems)
    sparse_matrices = uses(SparseMatrices)
    subscripts = uses(Subscripts)
    object_attributes = uses(ObjectAttributes)
    lists = uses(ListMethods)
    dict_methods = uses(DictMethods)
    set_methods = uses(SetMethods)

    def refuse_change(self, name: str, cls: type) -> NoReturn:
        """Refuse to change an object that is not followed."""
        self.position.refuse_call(
            f"`{name}` changes a {cls.__name__}, which is not supported",
            "Use a list or a dict.",
        )

    @provides(Builtins.call_method)
    def call_method(self, method: MethodOf, args: Args, kwargs: Kwargs) -> Value:
        """x.name(...) of a number, array, string or container."""
        owner, name = method.owner, method.name
        if isinstance(owner, Var) and not hasattr(None, name):
            owner = replace(owner, fact=where_present(owner.fact))
        signed = None if kwargs else by_its_sign(self, owner, name, args)
        if signed is not None:
            return signed
        if isinstance(owner, Const) and isinstance(owner.value, np.ufunc):
            bound: Any = getattr(owner.value, name)
            text = owner.text and attribute_text(owner.text, name)
            return self.language.call(Const(bound, text), args, kwargs)
        if isinstance(owner, (Ref, Argument, TupleValue)):
            return self.method_of_container(owner, name, args, kwargs)
        if isinstance(owner, Const) and function_models.is_complex_spline(owner.value):
            self.position.refuse_call(
                f"`{owner.text}` interpolates complex numbers, and its rules "
                "are for real numbers",
                "Interpolate the real and the imaginary parts separately.",
            )
        if isinstance(owner, (Const, Var)):
            fact = self.operations.fact(owner)
            if name in DRAWS:
                found = drawn(self, owner, name, args, kwargs)
                if found is not None:
                    return found
            if fact.kind in PLAIN and fact != EITHER_BOOL:
                return self.method_of_plain(owner, name, args, kwargs)
            if isinstance(owner, Const) and not fact.is_numeric:
                return self.method_of_plain(owner, name, args, kwargs)
            return self.method_of_array(owner, name, args, kwargs)
        kept = owner.function if isinstance(owner, Bound) else None
        wrapper = kept.value if isinstance(kept, Const) else None
        if name == "cache_clear" and isinstance(wrapper, functools._lru_cache_wrapper):
            if cleared(self, wrapper):
                return NULL
        self.position.refuse_call(
            f"the method `{name}` is called on a function", "Call the function itself."
        )

    # ------------------------------------------------------------ arrays

    def method_of_array(
        self, owner: Var | Const, name: str, args: Args, kwargs: Kwargs
    ) -> Value:
        """x.sum(0), x.reshape(2, 3)."""
        descriptor = getattr(np.ndarray, name, None)
        if isinstance(owner, Var) and name in CHANGING.get(owner.fact.kind, ()):
            if name == "append" and len(args) == 1:
                if self.lists.append_to_row(owner, args[0]):
                    return NULL
            self.cells.refuse_one_of_several()
        if isinstance(owner, Var) and owner.name in self.notes.foreign:
            if all(map(self.language.floatless, (*args, *(v for _, v in kwargs)))):
                return self.method_of_foreign(owner, name, args, kwargs)
        if descriptor is None:
            return self.method_of_unknown(owner, name)
        if name == "fill" and len(args) == 1:
            self.language.store(owner, Const(...), args[0], PUT)
            return NULL
        if name == "put":
            return self.language.call(
                Const(np.put, "np.put", "numpy"), (owner, *args), kwargs
            )
        if name in ("sort", "partition"):
            write = self.write_sort if name == "sort" else self.write_partition
            write(owner, *args, **dict(kwargs))
            return NULL
        if name == "setflags" and not args and kwargs == [("write", Const(False))]:
            named = [(k, self.language.atom(v)) for k, v in kwargs]
            return self.operations.apply(
                np.ndarray.setflags, (self.language.atom(owner),), named,
                form="method", spelling=name, fact=NONE, effect=True,
            )  # fmt: skip
        if writes(getattr(np.ndarray, name, None)):
            self.position.refuse_call(
                f"`{name}` writes into the array",
                f"Use np.{name}, which returns a new array."
                if hasattr(np, name)
                else "Write into a part of it: x[...] = value.",
            )
        fn: Callable[..., Any] = descriptor
        self.assumptions.check_not_avoided(fn)
        if name in METHODS:
            fn = METHODS[name]
        handler = REPLACEMENTS.get(descriptor)
        made = None if handler is None else handler(self, (owner, *args), kwargs)
        if made is not None:
            return made
        written = self.writing_call(Const(fn), _as_function(fn, owner, args), kwargs)
        if written is not None:
            return written
        atoms = [self.language.atom(owner), *(self.language.atom(a) for a in args)]
        named = [(k, self.language.atom(v)) for k, v in kwargs]
        known, fact = self.operations.fact(owner), None
        if fn is np.conjugate and known.is_scalar and not known.is_number:
            # What is real is given as it is: the function would make it a number.
            fact = replace(known, kind="real")
        return self.operations.apply(
            fn, atoms, named, form="method", spelling=name, fact=fact
        )

    def method_of_foreign(
        self, owner: Var, name: str, args: Args, kwargs: Kwargs
    ) -> Var:
        """A method of something that was made without any float of the arguments."""
        atoms = [self.language.atom(owner), *(self.language.atom(a) for a in args)]
        named = [(k, self.language.atom(v)) for k, v in kwargs]
        out = self.operations.apply(
            Method(name), atoms, named, form="method", spelling=name,
            fact=Fact("unknown"), effect=True,
        )  # fmt: skip
        self.notes.foreign.add(out.name)
        return out

    def method_of_unknown(self, owner: Var | Const, name: str) -> Value:
        """A method that no array has."""
        if self.position.tries and self.operations.fact(owner).kind in (
            "array",
            "scalar",
        ):
            return self.fail_to_find(owner, name)
        kind = self.operations.fact(owner).kind
        if kind not in ("array", "scalar", "real"):
            made = self.name_of_maker(owner)
            if made is not None:
                self.position.refuse_call(
                    f"`{made}` gives an object of unknown class, whose method "
                    f"`{name}` is called",
                    "Write it in terms of other functions: `yota-ast rules` lists "
                    "those that have rules.",
                )
            self.position.refuse_call(
                f"the object of the method `{name}` has an unknown class",
                "Give an example argument, annotate the object, or make it in the "
                "function.",
            )
        what = "NumPy's numbers" if kind == "scalar" else "arrays"
        self.position.refuse_call(
            f"{what} have no method `{name}`", "Correct the name."
        )

    def name_of_maker(self, owner: Value) -> str | None:
        """The method or the class of a library that has given an object."""
        ops = (op for op in self.blocks.ops[::-1] if isinstance(op, Apply))
        found = next((op for op in ops if op.out == owner), None)
        name = getattr(getattr(found, "fn", None), "__qualname__", None)
        return name if isinstance(name, str) and "." in name else None

    def fail_to_find(self, owner: Value, name: str) -> Value:
        """What Python raises where a number or an array has no such attribute."""
        cls = type_of(self.operations.fact(owner)) or np.ndarray
        return self.object_attributes.without_attribute(cls, name)

    # ------------------------------------------------------------ plain values

    @extensible
    def method_of_plain(
        self, owner: Var | Const, name: str, args: Args, kwargs: Kwargs
    ) -> Value:
        """A method of a string or number, or of a constant object."""
        if self.operations.fact(owner).kind == "str":
            taken = self.assumptions.as_given(owner)
            owner = taken if isinstance(taken, (Var, Const)) else owner
        cls = type_of(self.operations.fact(owner))
        if isinstance(owner, Const):
            cls = type(owner.value)
        descriptor: Any = getattr(cls, name, None)
        if cls is None or descriptor is None:
            return self.without_method(owner, name, cls)
        if isinstance(owner, Const) and literal(owner) and isinstance(owner.value, str):
            done = self.method_of_text(owner.value, name, args) if not kwargs else None
            if done is not None:
                return done
        if isinstance(owner, Const) and name == "copy" and cls in (list, dict):
            return self.language.call(Const(cls, cls.__name__, "builtins"), (owner,))
        if isinstance(owner, Const) and isinstance(owner.value, Mapping):
            found = self.method_of_table(owner, name, args)
            if found is not None:
                return found
        contains = issubclass(cls, CONTAINERS) and not is_sparse(cls)  # a dok_matrix is
        if contains and name not in READING:
            if isinstance(owner, Const):  # a call that no float enters may do it
                self.position.refuse(
                    "the function writes into something that it did not make",
                    "Work on a copy.",
                )
            self.refuse_change(name, cls)
        fact = STR if issubclass(cls, str) and name in _TEXTS else None
        if is_sparse(cls):
            fact = self.sparse_matrices.sparse_fact(cls, name, args, kwargs)
        draws = issubclass(cls, drawing())
        if draws and (name == "shuffle" or "out" in dict(kwargs)):
            self.position.refuse_call(
                f"`{name}` writes into its argument",
                "Assign the new order: x = x[rng.permutation(len(x))]."
                if name in DRAWS
                else f"Assign the new values: x[...] = rng.{name}(size=x.shape).",
            )
        acts = draws  # the next draw is another one
        if not self.settings.is_primitive(descriptor):
            acts = draws or not issubclass(cls, UNCHANGING)
            texts = issubclass(cls, str)  # floats may be formatted: no way back
            followed = texts or is_sparse(cls)  # activity follows what is in a matrix
            if not followed and not all(map(self.language.floatless, args)):
                self.position.refuse_call(
                    f"the method `{name}` of {cls.__name__} has no rule",
                    "Register a rule for it with diffrule, or compute it outside.",
                )
            fact = STR_METHODS.get(name, UNKNOWN) if texts else None
            fact = fact_of_draw(self, name) if cls is random.Random else fact
        atoms = [self.language.atom(a) for a in (owner, *args)]
        named = [(k, self.language.atom(v)) for k, v in kwargs]
        return self.operations.apply(
            descriptor, atoms, named, form="method", spelling=name, fact=fact,
            effect=acts,
        )  # fmt: skip

    def without_method(self, owner: Var | Const, name: str, cls: type | None) -> Value:
        """x.name(...) where x has no such method."""
        kind = self.operations.fact(owner).kind
        plain = kind in ("float", "int", "bool", "complex", "str")
        if (self.position.tries and plain) or cls in MOMENTS:
            return self.fail_to_find(owner, name)
        self.position.refuse_call(
            f"a value of kind {kind} has no method `{name}`",
            "Use a NumPy function, or make it an array first.",
        )

    def method_of_text(self, text: str, name: str, args: Args) -> Value | None:
        """A method of a literal string, called as lowering goes where all that it is
        given is known."""
        known = [self.assumptions.known_value(a) for a in args]
        if not all(k is not None for k in known):
            return None
        result = getattr(text, name)(*(k.value for k in known if k is not None))
        if isinstance(result, list):
            items = TupleValue(tuple(Const(v) for v in result))
            return self.language.call(Const(list, "list", "builtins"), (items,))
        return Const(result)

    def method_of_table(self, owner: Const, name: str, args: Args) -> Value | None:
        """TABLE.get(key) of a known key, TABLE.items()."""
        table: Any = owner.value
        if name in ("keys", "values", "items") and not args:
            known = self.known_items.known_mapping(owner, self.position.node)
            if name == "items":
                pairs = (TupleValue((Const(k), v)) for k, v in known.items())
                return TupleValue(tuple(pairs))
            if name == "keys":
                return TupleValue(tuple(map(Const, known)))
            return TupleValue(tuple(known.values()))
        key = (
            self.assumptions.known_value(self.assumptions.as_given(args[0]))
            if args
            else None
        )
        if name != "get" or key is None:
            return None
        self.structures.tell_entry(owner, key.value)
        if key.value not in table:
            return args[1] if len(args) > 1 else NULL
        return self.language.subscript(owner, key)

    # ------------------------------------------------------------ containers

    @extensible
    def method_of_container(
        self, owner: Value, name: str, args: Args, kwargs: Kwargs
    ) -> Value:
        """A method of a tuple, list or dict."""
        kind = str(self.operations.fact(owner).kind)
        if kind == "other" and isinstance(owner, Ref):
            kind = self.cells.heap[owner.cell].kind
        handler = self.method_called(f"{kind}_{name}", f"sequence_{name}")
        if handler is None or kind not in ("list", "tuple", "dict", "set"):
            of = (
                self.cells.heap[owner.cell]
                if isinstance(owner, Ref)
                else self.operations.fact(owner)
            )
            self.position.refuse_call(*unsupported_method(kind, of.cls, name))
        result: Value = handler(owner, *args, **dict(kwargs))
        return result

    def method_called(self, *names: str) -> Callable[..., Value] | None:
        """The method of the first of some names."""
        parts = (self, self.lists, self.dict_methods, self.set_methods)
        found = (getattr(part, n, None) for n in names for part in parts)
        return next((method for method in found if method is not None), None)

    def tuple__replace(self, owner: Value, **fields: Value) -> Value:
        """record._replace(field=value)."""
        cls = self.operations.fact(owner).cls or tuple
        items = dict(self.record_fields(owner)) | fields
        return TupleValue(tuple(items.values()), cls)

    def tuple__asdict(self, owner: Value) -> Value:
        """record._asdict()."""
        fields = self.record_fields(owner)
        return self.language.call(Const(dict, "dict", "builtins"), (), fields)

    def record_fields(self, owner: Value) -> tuple[tuple[str, Value], ...]:
        """The fields of a NamedTuple and their values."""
        names: tuple[str, ...] = getattr(self.operations.fact(owner).cls, "_fields", ())
        return tuple(
            zip(
                names,
                self.known_items.known_items(owner, self.position.node),
                strict=True,
            )
        )

    @extensible
    def writing_call(self, function: Const, args: Args, kwargs: Kwargs) -> Value | None:
        """The value of a call that writes into an array; see writing_calls.py."""
        raise NotImplementedError

    @extensible
    def write_sort(self, a: Value, /, *args: Value, **kwargs: Value) -> None:
        """y.sort(axis); see writing_calls.py."""
        raise NotImplementedError

    @extensible
    def write_partition(self, a: Value, /, *args: Value, **kwargs: Value) -> None:
        """y.partition(kth, axis); see writing_calls.py."""
        raise NotImplementedError
