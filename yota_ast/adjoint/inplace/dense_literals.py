"""A reverse sweep in place -> the same, where a short array is written as a whole.

New zeros that get a number in each cell are the array of these numbers, where what they
are like is made of numbers, `y = np.array([a, b])`:

    dy = np.zeros_like(y)
    dy[1] = db                   dy = np.array([da, db])
    dy[0] = da

So are those that get a number in every cell, where the function takes apart what they
are like: `a, b = p` raises unless there are two items.

    dp = np.zeros_like(p)
    dp[1] = db                   dp = np.array([da, db])
    dp[0] = da

So are those that are like an argument of which the function itself has put elements
into an array of NumPy, `k = np.array([y[1], -y[0]])`, before these zeros in any case.

In: the block of a reverse sweep, and the forward sweep before it.  Out: the block. What
is like any other argument stays as it is: that may be an array of another library.
"""

from __future__ import annotations

import operator
from collections.abc import Container, Iterable, Mapping, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.inplace.kept_views import Reads
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.adjoint.rewrites.gathered_sums import summed
from yota_ast.adjoint.saving.reading_reverse import BACKWARDS
from yota_ast.analysis.engine import (
    Definition,
    Definitions,
    Ends,
    definitions_in,
    made_of,
    one_of,
)
from yota_ast.ir.abstract_values import NUMBERS, Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import read_counts
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_list
from yota_ast.ir.nodes import Apply, Block, For, Op, Store, map_blocks, only
from yota_ast.ir.store_changes import ADD, PUT, SUBTRACT
from yota_ast.ops import info
from yota_ast.syntax.names import is_weak

_LONGEST = 8
"""How many cells are written in one line."""
_PLAIN = (*NUMBERS, "int", "bool", "str", "none")
_SEVERAL = 4
"""How many stores have to go for the sake of a check."""


def with_wholes(
    block: Block,
    infer: Infer,
    names: Names,
    ahead: Block,
    assumed: Assumptions | None,
    results: Iterable[Atom],
) -> Block:
    """The block; `ahead` is the forward sweep, run before it. assumed: what the text
    asks of its arguments, which is more afterwards; None: it asks for nothing. results:
    what is read after it.

    Where the length rests on numbers being no arrays, as that of `np.array([a, b])`,
    and nothing else of the text does, this is done for the sake of several lines.
    """
    made = _with_wholes(block, infer, names, ahead, assumed)
    return with_products_within(made, infer, names, ahead, results)


def _with_wholes(
    block: Block, infer: Infer, names: Names, ahead: Block, assumed: Assumptions | None
) -> Block:
    definitions, apart = definitions_in(ahead, block), _taken_apart(ahead)
    native = _Native(ahead, definitions)
    if assumed is None:
        return _Wholes(infer, names, definitions, apart, native, alone=True).block(
            block
        )
    worker = _Wholes(infer, names, definitions, apart, native)
    made = worker.block(block)
    if worker.gone < _SEVERAL and not assumed.shapes:
        worker = _Wholes(infer, names, definitions, apart, native, assumed.single)
        made = worker.block(block)
    assumed.shapes |= worker.gone > 0
    assumed.single |= worker.numbers
    return made if worker.gone else block


def _taken_apart(ahead: Block) -> dict[str, int]:
    """How many items the arrays have, by their names, that a function takes apart
    whatever its arguments are."""
    return {
        op.args[0].name: int(op.spelling)
        for op in only(ahead, Apply)
        if op.form == "unpack" and op.spelling and type(op.args[1]) is Const
        if isinstance(op.args[0], Var) and type(op.args[1].value) is int
    }


def with_products_within(
    block: Block, infer: Infer, names: Names, ahead: Block, results: Iterable[Atom]
) -> Block:
    """The block, with products of arrays of numbers and what the forward sweep takes
    apart written number by number.

        t1 = np.exp(p)                           a, b = np.exp(p)
        a, b = t1                           ->
        dp = np.array([da, db]) * t1             dp = np.array([da * a, db * b])

    results: what is read behind it. Nothing else of the block reads either factor.
    """
    parts = dict[str, dict[object, Var]]()
    for taken in only(ahead, Apply):
        if taken.form == "unpack" and isinstance(taken.args[0], Var):
            index = taken.args[1].value if isinstance(taken.args[1], Const) else None
            parts.setdefault(taken.args[0].name, {})[index] = taken.out
    if not parts:
        return block
    reads = read_counts(block, results)
    made = {op.out.name: op for op in only(block, Apply)}
    builder = Builder(infer, names)
    for op in block:
        builder.origin = op.origin
        product = made.get(op.out.name) if isinstance(op, Apply) else None
        found = None if product is None else _parted(product, made, parts, reads)
        if found is None or product is None:
            builder.ops.append(op)
            continue
        whole, factors = found
        numbers = zip(made[_like(whole).name].args, factors, strict=True)
        items = [_times(d, each, made, builder) for d, each in numbers]
        listed = builder.apply(build_list, *items, form="build")
        builder.ops.append(replace(whole, out=product.out, args=(listed,)))
    return without_dead(builder.block(), results)


def _times(
    number: Atom, factor: Var, made: Mapping[str, Apply], builder: Builder
) -> Var:
    """The product of two numbers, its sign in front."""
    negated = made.get(number.name) if isinstance(number, Var) else None
    if negated is None or negated.fn is not operator.neg:
        return builder.apply(operator.mul, number, factor)
    inner = builder.apply(operator.mul, negated.args[0], factor)
    return builder.apply(operator.neg, inner)


def _parted(
    op: Apply,
    made: Mapping[str, Apply],
    parts: Mapping[str, Mapping[object, Var]],
    reads: Mapping[str, int],
) -> tuple[Apply, list[Var]] | None:
    """Of a product the array of numbers, and the parts of the other factor."""
    if op.fn is not operator.mul:
        return None
    for one, other in (op.args, op.args[::-1]):
        if not isinstance(one, Var) or not isinstance(other, Var):
            continue
        whole = made.get(one.name)
        if whole is None or whole.fn is not np.array or not is_weak(other.hint):
            continue
        listed = made.get(_like(whole).name)
        if listed is None or listed.fn is not build_list:
            continue
        found = [parts.get(other.name, {}).get(k) for k in range(len(listed.args))]
        factors = [v for v in found if v is not None]
        alone = reads[one.name] == reads[other.name] == 1
        if alone and 0 < len(listed.args) == len(parts.get(other.name, ())):
            return (whole, factors) if len(factors) == len(found) else None
    return None


class _Native:
    """Which arguments are arrays of NumPy, for elements of them have been put into one:
    at the top of the sweep, or in the loop that the reverse loop mirrors."""

    def __init__(self, ahead: Block, definitions: Definitions) -> None:
        self.definitions = definitions
        self.loops = {
            op.stack.name: op for op in only(ahead, For) if op.stack is not None
        }
        self.always = self.of(ahead)

    def of(self, block: Block) -> frozenset[str]:
        """The arguments of which a block itself puts elements into arrays."""
        items = [a for op in only(block, Apply) if op.fn is np.array for a in op.args]
        return frozenset(v.name for v in made_of(items, self.defined_by, _parts))

    def in_mirror(self, loop: For, made: Mapping[str, Apply]) -> frozenset[str]:
        """The arguments of which the loop that another one mirrors does."""
        way = made.get(loop.iterable.name) if isinstance(loop.iterable, Var) else None
        if way is None or way.fn is not operator.getitem or way.args[1] != BACKWARDS:
            return frozenset()
        saved = way.args[0]
        ahead = self.loops.get(saved.name) if isinstance(saved, Var) else None
        return frozenset() if ahead is None else self.of(ahead.body)

    def defined_by(self, name: str) -> Sequence[Definition] | None:
        """What defines a variable."""
        return self.definitions.get(name)


def _parts(each: Definition) -> Ends:
    """What elements are made of, if those of a foreign array were foreign."""
    if not isinstance(each, Apply):
        return one_of(each)
    if each.fn is operator.getitem:
        return each.args[:1]
    return each.args if each.fn is build_list or info(each.fn).elementwise else ()


def _inputs(each: Definition) -> Ends:
    return each.args if isinstance(each, Apply) else one_of(each)


def _numbers_behind(
    definitions: Definitions, var: Var, native: Container[str]
) -> set[str] | None:
    """The numbers that an array is made of, by their names; None where an argument is
    an array, which may be one of another library. native: those that are none."""
    given = [
        v
        for v in made_of([var], definitions.get, _inputs)
        for each in definitions.get(v.name, ((),))
        if not isinstance(each, Apply) and not one_of(each)
    ]
    if any(v.fact.kind not in _PLAIN and v.name not in native for v in given):
        return None
    return {v.name for v in given if v.fact.kind in NUMBERS}


@dataclass(slots=True)
class _Whole:
    """New zeros, and what is put into their cells."""

    made: Apply
    count: int
    name: str
    last: int
    """The place of the last store."""
    cells: dict[int, list[tuple[bool, Atom]]] = field(default_factory=dict)
    stores: list[int] = field(default_factory=list)

    def take(self, place: int, op: Store) -> bool:
        """Note a store; False: it is none of a number into a cell."""
        cell = op.index.value if isinstance(op.index, Const) else None
        if type(cell) is not int or not 0 <= cell < self.count:
            return False
        if op.change not in (PUT, ADD, SUBTRACT) or not is_cell_value(op.value):
            return False
        if op.change == PUT:
            self.cells[cell] = []
        self.cells.setdefault(cell, []).append((op.change != SUBTRACT, op.value))
        self.name, self.last = op.out.name, place
        self.stores.append(place)
        return True


@dataclass(slots=True)
class _Wholes:
    infer: Infer
    names: Names
    definitions: Definitions
    apart: Mapping[str, int]
    """How many items arrays have that the function takes apart."""
    native: _Native
    asked: frozenset[str] | None = None
    """The numbers of which a length may rest; None: on any."""
    reads: Reads = field(default_factory=Reads)
    gone: int = 0
    """How many stores are gone."""
    numbers: set[str] = field(default_factory=set)
    """The numbers that lengths rest on."""
    alone: bool = False
    """Whether lengths rest on what is taken apart alone."""
    known: frozenset[str] = frozenset()
    """The arguments that are arrays of NumPy in the loop at hand."""

    def block(self, block: Block) -> Block:
        ops = block.ops
        wholes = [w for k in range(len(ops)) if (w := self.whole(ops, k))]
        by_last = {w.last: w for w in wholes}
        self.gone += sum(len(w.stores) for w in wholes)
        self.numbers |= {n for w in wholes for n in self.resting_on(w) or ()}
        gone = {p for w in wholes for p in w.stores} | {
            k for k, op in enumerate(ops) if any(op is w.made for w in wholes)
        }
        builder = Builder(self.infer, self.names)
        for k, op in enumerate(ops):
            if k in by_last:
                self.put(by_last[k], op, builder)
            elif k not in gone:
                builder.ops.append(self.within(op, ops))
        return builder.block()

    def within(self, op: Op, ops: tuple[Op, ...]) -> Op:
        """An op of a block, what stands in it done."""
        outer = self.known
        if isinstance(op, For):
            made = {each.out.name: each for each in only(ops, Apply)}
            self.known |= self.native.in_mirror(op, made)
        found = map_blocks(op, self.block)
        self.known = outer
        return found

    def whole(self, ops: tuple[Op, ...], at: int) -> _Whole | None:
        """What is put into the zeros made at a place, until something reads them."""
        made = ops[at]
        count = _count(made, self.apart)
        if not isinstance(made, Apply) or count is None:
            return None
        found = _Whole(made, count, made.out.name, at)
        self.fill(found, ops)
        if not found.cells or count - len(found.cells) > max(2, count // 2):
            return None
        numbers = self.resting_on(found)
        if numbers is None or (self.asked is not None and not numbers <= self.asked):
            return None
        return found

    def fill(self, whole: _Whole, ops: tuple[Op, ...]) -> None:
        """Put in what is stored, until something else reads the zeros."""
        for k in range(whole.last + 1, len(ops)):
            op = ops[k]
            if isinstance(op, Store) and op.target.name == whole.name:
                if whole.name in self.reads.by(replace(op, target=_OTHER)):
                    break
                if not whole.take(k, op):
                    break
            elif whole.name in self.reads.by(op):
                break

    def resting_on(self, whole: _Whole) -> set[str] | None:
        """The numbers that the length of new zeros rests on; None where it must not."""
        if len(whole.cells) == whole.count and _like(whole.made).name in self.apart:
            return set()
        if self.alone:
            return None
        native = self.native.always | self.known
        return _numbers_behind(self.definitions, _like(whole.made), native)

    def put(self, whole: _Whole, last: Op, builder: Builder) -> None:
        """Add the array, under the name of what the last store has made of it."""
        assert isinstance(last, Store)
        builder.origin = last.origin
        items = [sum_of(whole.cells.get(k, []), builder) for k in range(whole.count)]
        listed = builder.apply(build_list, *items, form="build")
        hint = last.out.hint or whole.made.out.hint
        out, like = replace(last.out, hint=hint), _like(whole.made)
        how: tuple[tuple[str, Atom], ...] = ()
        if like.fact.dtype != np.float64:
            dtype = builder.apply(
                getattr, like, Const("dtype"), form="attribute", spelling="dtype"
            )
            how = (("dtype", dtype),)
        builder.ops.append(Apply(out, np.array, (listed,), how, origin=last.origin))


_OTHER = Var("")


def _like(made: Apply) -> Var:
    """What new zeros are like."""
    (like,) = made.args
    assert isinstance(like, Var)
    return like


def _count(op: Op, apart: Mapping[str, int]) -> int | None:
    """How many cells new zeros have, where that is certain and they are few."""
    if not isinstance(op, Apply) or op.fn is not np.zeros_like or op.kwargs:
        return None
    like = op.args[0]
    if len(op.args) != 1 or not isinstance(like, Var) or not is_vector(like.fact):
        return None
    (dim,) = like.fact.shape if isinstance(like.fact.shape, tuple) else (None,)
    if 0 < (count := apart.get(like.name, 0)) <= _LONGEST:
        return count
    if dim is None or dim.base or not 0 < dim.offset <= _LONGEST:
        return None
    return dim.offset


def is_vector(fact: Fact) -> bool:
    """Whether a value is a vector of real floats."""
    real = fact.dtype is not None and fact.dtype.kind == "f"
    return fact.kind == "array" and fact.rank == 1 and real


def is_cell_value(atom: Atom) -> bool:
    """Whether what is put into a cell is a real number."""
    if isinstance(atom, Const):
        return type(atom.value) is float
    known = atom.fact
    one = known.kind in NUMBERS or (known.kind == "real" and known.is_scalar)
    return one and not known.is_complex


def sum_of(terms: Sequence[tuple[bool, Atom]], builder: Builder) -> Atom:
    """What a cell holds when all is added to it."""
    if not terms:
        return Const(0.0)
    sign, total = summed([_turned(*term, builder) for term in terms], builder)
    return total if sign else builder.apply(operator.neg, total)


def _turned(plus: bool, term: Atom, builder: Builder) -> tuple[bool, Atom]:
    """A term without the minus sign that it was made with."""
    made = builder.maker(term)
    if made is None or made.fn is not operator.neg or made.out.hint:
        return plus, term
    return not plus, made.args[0]
