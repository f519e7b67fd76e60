"""What the rewrites took for granted of shapes -> the tests of them, and their text.

`x.ndim != 2`, `b.shape != W.shape[1:]`, and the shapes that generated code was made
for: `x (n, m), W (m, k), b (k,)`.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.ir.atoms import Atom, Var, fact_of_atom
from yota_ast.ir.axis_lengths import (
    Dim,
    Term,
    alone,
    is_natural,
    literal_dim,
    more,
    part,
    part_of,
    stopped,
    total,
)
from yota_ast.ir.facts.lengths_that_fit import EqualLengths, remainder_of
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    Op,
    Read,
    Simple,
    While,
    With,
)
from yota_ast.ir.tape import Tape
from yota_ast.ops.algebra import operated
from yota_ast.syntax.value_paths import axis_text, path_text

MESSAGE_WIDTH = 200  # a few lines at most
LETTERS = ("n", "m", "k", "l", "p", "q", "r", "s")


@dataclass(slots=True)
class Lengths:
    """Lengths of axes that are one: each is called by the first axis that has it."""

    first: dict[Dim, Dim] = field(default_factory=dict)
    least: dict[str, int] = field(default_factory=dict)
    """How long axes are at least, so that `x[:4]` has length 4."""

    def of(self, dim: Dim) -> Dim:
        """The first axis of that length."""
        return EqualLengths(self.first).named(dim)

    def join(self, p: Dim, q: Dim, order: Sequence[str]) -> None:
        """Two lengths are equal: the one of the later argument is called by the
        other."""
        p, q = self.of(self.taken(p)), self.of(self.taken(q))
        p, q = _without_shared(p, q)
        if p == q:
            return
        ranked = sorted((p, q), key=lambda d: _rank(d, order))
        one, other = ranked
        if other.offset and not is_computed(other):  # `x[1:]` is as long as y
            one, other = one.shifted(-other.offset), Dim(other.base)
        self.first[other] = one

    def called(self, dim: Dim) -> Dim:
        """A sum in terms of the first axes of their lengths."""
        if not is_computed(dim):
            return self.of(dim)
        parts = [(self._called(term), often) for term, often in dim.terms]
        found = total(parts)
        return dim if found is None else found.shifted(dim.offset)

    def _called(self, term: Term) -> Dim:
        if term.part is None or not isinstance(term.part[1], int):
            return self.of(alone(term))
        return part(self.called(term.part[0]), term.part[1]) or alone(term)

    def taken(self, dim: Dim) -> Dim:
        """The length, as a number where it is that of `x[:4]` and x long enough."""
        part = stopped(dim.base)
        size = dim.example
        if part is None or not size:
            return dim
        whole, n = part
        if size != max(n + dim.offset, 0):
            return dim
        self.least[whole] = max(n, self.least.get(whole, 0))
        return literal_dim(size)

    def note_least(self, number: Dim, order: Sequence[str]) -> bool:
        """Note how long an axis is for `n - 2` not to be below 0; say whether it is
        one."""
        if number.base not in order:
            return False
        n = -number.offset
        self.least[number.base] = max(n, self.least.get(number.base, 0))
        return True

    def least_of_axes(self) -> dict[Dim, int]:
        """How long axes have to be, by the first axis that is as long."""
        found: dict[Dim, int] = {}
        for whole, n in self.least.items():
            axis = self.of(Dim(whole))
            if axis.base and not is_computed(axis):  # of `k + 1`, k has one less
                axis, n = Dim(axis.base), n - axis.offset
            if n > 0 and (axis.base or axis.offset < n):
                first = axis if axis.base else Dim(whole)
                found[first] = max(n, found.get(first, 0))
        return found


def is_computed(dim: Dim) -> bool:
    """Whether a length is a sum or a part of others."""
    return len(dim.terms) > 1 or part_of(dim) is not None


def _without_shared(one: Dim, other: Dim) -> tuple[Dim, Dim]:
    """Two sums, without the terms that both have, where one is left of each.

    >>> from yota_ast.ir.axis_lengths import axis_dim
    >>> n, m = axis_dim("x.shape[0]"), axis_dim("y.shape[0]")
    >>> sums = [total([(d, 1), (part(n, 2), -1)]) for d in (n, m)]
    >>> [str(d) for d in _without_shared(*sums)]
    ['x.shape[0]', 'y.shape[0]']
    """
    apart = total([(one, 1), (other, -1)])
    if apart is None or apart.offset or sorted(k for _, k in apart.terms) != [-1, 1]:
        return one, other
    left = {often: alone(term) for term, often in apart.terms}
    return left[1], left[-1]


def _rank(dim: Dim, order: Sequence[str]) -> tuple[int, int, str]:
    known = order.index(dim.base) if dim.base in order else len(order)
    return (known if dim.base else -1, abs(dim.offset), dim.base)


@dataclass(frozen=True, slots=True)
class Shaped:
    """What shapes the rewrites took for granted, and the facts of the tape.

    tests: what must not hold, of anything: a list, None. told: the shapes, as a person
    writes them. arrays: the texts of the arrays that are told of.
    """

    tests: tuple[str, ...] = ()
    told: str = ""
    arrays: tuple[str, ...] = ()


def shaped(
    tape: Tape, assumed: Assumptions, arguments: Iterable[tuple[str, Var]]
) -> Shaped:
    """The tests of the shapes of arguments."""
    for each in tape.equal:
        assumed.add(*each)
    arrays = list(_arrays(arguments))
    order = [
        d.base for _, v in arrays for d in v.fact.shape or () if isinstance(d, Dim)
    ]
    lengths = Lengths()
    for p, q in assumed.equal:
        lengths.join(p, q, order)
    numbers = [lengths.called(d) for d in assumed.natural]
    numbers = [d for d in numbers if not is_natural(d)]
    naturals = [d for d in _tightest(numbers) if not lengths.note_least(d, order)]
    longer = [lengths.called(lengths.taken(p)) for p in assumed.longer]
    least = lengths.least_of_axes()
    least |= {d: 2 for d in longer if least.get(d) == 1}
    tests: list[str] = []
    seen: list[tuple[str, tuple[Dim, ...]]] = []
    for text, var in arrays:
        dims = _dims(text, var)
        wanted = tuple(lengths.of(d) for d in dims)
        tests += _tests(text, dims, wanted, seen)
        seen.append((text, wanted))
    short = [d for d in longer if d.base and least.get(d, 0) < 2]
    unequal = _unequal(lengths, least, order)
    tests += unequal
    tests += [f"{d} == 1" for d in dict.fromkeys(short)]
    tests += [_compared(d, "<") for d in naturals]
    together = _multiplied(tape.block, lengths, order)
    told = _shapes(arrays, together, short, least)
    computed = [d for d in dict.fromkeys(short) if d.offset or d.base not in order]
    bounds = [t.replace(" != ", " == ") for t in unequal if " != " in t]
    bounds += [f"{d} > 1" for d in computed] + [_compared(d, ">=") for d in naturals]
    told = ", ".join(filter(None, (told, *map(_plainly, bounds))))
    if len(told) > MESSAGE_WIDTH:
        told = "arguments of other shapes"
    return Shaped(tuple(tests), told, tuple(text for text, _ in arrays))


def _tightest(naturals: Iterable[Dim]) -> list[Dim]:
    """The least of numbers that differ by literals, of all that are not below 0."""
    least: dict[str, Dim] = {}
    for dim in naturals:
        known = least.setdefault(dim.base, dim)
        if dim.offset < known.offset:
            least[dim.base] = dim
    return [*least.values()]


def _compared(number: Dim, sign: str) -> str:
    """A sum and 0 compared, what is subtracted on the other side.

    >>> from yota_ast.ir.axis_lengths import axis_dim
    >>> _compared(total([(axis_dim("n"), 1), (axis_dim("k"), -1)]).shifted(-2), "<")
    'n < k + 2'
    """
    terms = number.terms or ((Term(number.base), 1),)
    left, right = (
        total([(alone(term), abs(k)) for term, k in terms if (k > 0) is positive])
        for positive in (True, False)
    )
    if left is None or right is None or not left.base:
        return f"{number} {sign} 0"
    ends = left.shifted(max(number.offset, 0)), more(right, max(-number.offset, 0))
    return f"{ends[0]} {sign} {ends[1]}"


def _multiplied(block: Block, lengths: Lengths, order: Sequence[str]) -> Lengths:
    """The lengths, those called alike that products of matrices need to be equal. They
    are not tested: NumPy tells which product does not fit."""
    alike = Lengths(dict(lengths.first), dict(lengths.least))
    for op in _always(block):
        if isinstance(op, Apply) and operated(op.fn) == "matrix product":
            p, q = (_inner(a, last) for a, last in zip(op.args, (-1, -2), strict=True))
            if p is not None and q is not None and p.example == q.example:
                p, q = alike.of(p), alike.of(q)
                if {p.base, q.base} <= {*order} and not (p.offset or q.offset):
                    alike.join(p, q, order)
    return alike


def _always(block: Block) -> Iterator[Op]:
    """The ops of a block, those of loops and `with` with them, and not of branches."""
    for op in block:
        yield op
        match op:
            case For() | While() | With():
                yield from _always(op.body)
            case Apply() | Simple() | Compound():
                pass
            case _:
                assert_never(op)


def _inner(operand: Atom, axis: int) -> Dim | None:
    """The axis of an operand that a product sums over."""
    shape = fact_of_atom(operand).shape
    if not isinstance(shape, tuple) or not shape:
        return None
    return shape[max(axis, -len(shape))]


def _plainly(test: str) -> str:
    """A test without needless parentheses."""
    return ast.unparse(ast.parse(test))


def _unequal(
    lengths: Lengths, least: Mapping[Dim, int], order: Sequence[str]
) -> list[str]:
    """That other lengths than those of axes are not equal, and that axes are too short
    for what is taken of them."""
    pairs = [
        (lengths.called(q) if is_computed(q) else q, lengths.called(lengths.of(p)))
        for q, p in lengths.first.items()
        if q.offset or q.base not in order
    ]
    tests = dict.fromkeys(_different(q, p) for q, p in pairs if q != p)
    return [*tests] + [f"{axis} < {n}" for axis, n in least.items()]


def _different(one: Dim, other: Dim) -> str:
    """The test that two lengths are not equal.

    >>> from yota_ast.ir.axis_lengths import axis_dim
    >>> n = axis_dim("x.shape[0]")
    >>> half = part(n, 2)
    >>> _different(n, half), _different(half, total([(n, 1), (half, -1)]))
    ('x.shape[0] != (x.shape[0] // 2)', 'x.shape[0] % 2 != 0')
    """
    apart = total([(one, 1), (other, -1)])
    whole = None if apart is None else remainder_of(apart)
    return f"{one} != {other}" if whole is None else f"{whole[0]} % {whole[1]} != 0"


def _dims(text: str, var: Var) -> tuple[Dim, ...]:
    """The axes of an argument, those of length 1 as a literal."""
    shape = var.fact.shape
    assert isinstance(shape, tuple)
    return tuple(d or Dim(axis_text(text, k)) for k, d in enumerate(shape))


def _tests(
    text: str,
    dims: tuple[Dim, ...],
    wanted: tuple[Dim, ...],
    seen: Sequence[tuple[str, tuple[Dim, ...]]],
) -> list[str]:
    """What must not hold of one argument."""
    if dims and all(p != q or q.is_unit for p, q in zip(dims, wanted, strict=True)):
        return [f'getattr({text}, "shape", 0) != {_shape_text(wanted, seen)}']
    rank = len(dims)
    return [f'getattr({text}, "ndim", {0 if rank else 1}) != {rank}'] + [
        f"{axis_text(text, k)} != {q}"
        for k, (p, q) in enumerate(zip(dims, wanted, strict=True))
        if p != q or q.is_unit
    ]


def _shape_text(
    wanted: tuple[Dim, ...], seen: Sequence[tuple[str, tuple[Dim, ...]]]
) -> str:
    """A shape in terms of earlier arguments: `W.shape[1:]`, `(x.shape[0], 1)`."""
    for text, dims in seen:
        for k in range(len(dims)):
            if dims[k:] == wanted and not all(d.is_unit for d in wanted):
                return f"{text}.shape[{k}:]" if k else f"{text}.shape"
    items = ", ".join(str(d) for d in wanted)
    return f"({items},)" if len(wanted) == 1 else f"({items})"


def _shapes(
    arrays: Sequence[tuple[str, Var]],
    lengths: Lengths,
    longer: Container[Dim],
    least: Mapping[Dim, int],
) -> str:
    """The shapes as a person writes them: `x (n, m), b (m,)`, `u (n + 1,)`; `x (n,),
    n > 1`."""
    names: dict[Dim, str] = {}
    parts = []
    for text, var in arrays:
        letters = []
        for dim in _dims(text, var):
            known = lengths.of(dim)
            if not known.base:
                letters.append(str(known.offset))
                continue
            whole = Dim(known.base)
            if known.offset and whole in names and not is_computed(known):
                letters.append(str(Dim(names[whole], known.offset)))
                continue
            if known not in names:
                n = len(names)
                names[known] = LETTERS[n] if n < len(LETTERS) else f"n{n}"
            letters.append(names[known])
        tail = "," if len(letters) == 1 else ""
        parts.append(f"{text} ({', '.join(letters)}{tail})")
    for dim, letter in names.items():
        if dim in least:
            parts.append(f"{letter} >= {least[dim]}")
        elif dim in longer:
            parts.append(f"{letter} > 1")
    return ", ".join(parts)


def arguments_of(tape: Tape) -> list[tuple[str, Var]]:
    """The parameters and the fields that are read, as the text spells them."""
    found = [(p.var.hint or p.var.name, p.var) for p in tape.params]
    found += [(_text_of(op), op.out) for op in tape.block if isinstance(op, Read)]
    return found


def _arrays(arguments: Iterable[tuple[str, Var]]) -> Iterator[tuple[str, Var]]:
    for text, var in arguments:
        if var.fact.kind == "array" and isinstance(var.fact.shape, tuple):
            yield text, var


def _text_of(op: Read) -> str:
    """How the text reads a field: `m.first.W`, `params["W"]`."""
    return path_text(op.root.hint or op.root.name, op.path)
