"""The ops of one example -> those of a batch: calls by the table, branches, loops.

A branch whose test differs from example to example is computed both ways, and
`np.where` chooses, if nothing in it writes, raises or draws. A loop stays, if all
examples go round it as often.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Final, assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.raising_statements import may_raise
from yota_ast.batching import (
    axis_rules,
    element_rules,
    helper_rules,
    product_rules,
    subscript_rules,
)
from yota_ast.batching.batcher import Batcher, name_of
from yota_ast.batching.layouts import is_even, is_full, is_mapped
from yota_ast.batching.one_by_one import one_by_one
from yota_ast.batching.subscript_rules import fitted
from yota_ast.errors import UnsupportedCall
from yota_ast.ir.abstract_values import CONTAINERS
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import bound_by, ends_of
from yota_ast.ir.built_values import BUILDERS
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    If,
    Merge,
    Op,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    atoms_of,
    only,
)
from yota_ast.ops import info
from yota_ast.ops.record import Batching

Rule = Callable[[Batcher, Apply], Atom]
RULES: Final[Mapping[Batching, Rule]] = {
    "elements": element_rules.elements,
    "numbers": element_rules.numbers,
    "float": element_rules.as_float,
    "truth": element_rules.truth,
    "extreme": element_rules.extreme,
    "add up": element_rules.added,
    "reduction": axis_rules.reduction,
    "along": axis_rules.along,
    "last axes": axis_rules.last_axes,
    "product": product_rules.product,
    "einsum": product_rules.einsum,
    "outer": product_rules.outer,
    "solve": product_rules.solve,
    "transpose": axis_rules.transpose,
    "axes": axis_rules.axes,
    "reshape": axis_rules.reshape,
    "flat": axis_rules.flat,
    "join": axis_rules.join,
    "stack": axis_rules.stack,
    "spread": axis_rules.spread,
    "new": axis_rules.new,
    "shaped": axis_rules.new_like,
    "kept": axis_rules.kept,
    "shape": axis_rules.shape,
    "length": axis_rules.length,
    "rank": axis_rules.rank,
    "size": axis_rules.size,
    "builds": subscript_rules.builds,
    "subscript": subscript_rules.subscript,
    "summed back": helper_rules.summed_back,
    "spread back": helper_rules.spread_back,
    "handed on": helper_rules.handed_on,
    "adjoint mark": helper_rules.adjoint_mark,
}
_OF_ARRAYS: Final = ("numpy", "scipy", "_operator")


def block(b: Batcher, ops: Block) -> None:
    """Add the ops of a block."""
    for op in ops:
        b.builder.origin = op.origin
        b.place = op.origin.place or b.place
        b.check(op, *atoms_of(op), *ends_of(op))
        match op:
            case Apply():
                call(b, op)
            case Read():
                b.builder.ops.append(op)
            case Store():
                _store(b, op)
            case Raise():
                b.builder.ops.append(replace(op, exc=b.of(op.exc)))
            case If():
                _branch(b, op)
            case For() | While():
                _loop(b, op)
            case With() if b.directions and not b.is_mapped(op.context):
                body = _inside(b, op.body).builder.block()
                b.builder.ops.append(replace(op, context=b.of(op.context), body=body))
            case With() | Try():
                b.refuse(op, "a `try` or a `with` has no batched form")
            case _:
                assert_never(op)
        b.check(op, *bound_by(op))


# ------------------------------------------------------------------ calls


def call(b: Batcher, op: Apply) -> None:
    """Add a call, by the rule of its function."""
    b.makers[op.out.name] = op
    if op.effect:
        b.refuse(op, f"`{name_of(op)}` happens once for each example")
    atoms = (*op.args, *(a for _, a in op.kwargs))
    wanted = is_mapped(b.layouts.of(op.out))
    if not wanted and not any(map(b.is_mapped, atoms)) and not _asks_shape(b, op):
        b.builder.ops.append(_shared(b, op))
        return
    if b.directions and _raises_of_numbers(b, op):
        b.refuse(op, "numbers of Python raise here, and arrays of them do not")
    kind = info(op.fn).batching
    if wanted and not any(map(b.is_mapped, atoms)) and kind in ("new", "shaped"):
        made = RULES[kind](b, op)
    elif wanted and not any(map(b.is_mapped, atoms)) and op.fn not in BUILDERS:
        b.builder.ops.append(_shared(b, op))
        made = b.repeated(op.out)
    elif b.directions:
        made = _of_directions(b, op, kind)
    else:
        made = _by_rule(b, op, kind)
    b.known[op.out.name] = _checked(b, op, b.like(op, made))


def _of_directions(b: Batcher, op: Apply, kind: Batching) -> Atom:
    """The call by the rule of its function, or for each direction."""
    count = len(b.builder.ops)
    try:
        made = _by_rule(b, op, kind)
        _checked(b, op, made)
    except UnsupportedCall:
        del b.builder.ops[count:]
        found = one_by_one(b, op)
        if found is None:
            raise
        return found
    return made


def _raises_of_numbers(b: Batcher, op: Apply) -> bool:
    """Whether a call may raise for some numbers, as Python's division by zero does, and
    not for arrays of them."""
    known = [fact_of_atom(a) for a in op.args]
    mapped = any(map(b.is_mapped, op.args))
    if not mapped or info(op.fn).tells or not may_raise(op, ()):
        return False
    if any(f.kind in ("array", "scalar") or f.kind in CONTAINERS for f in known):
        return False
    return info(op.fn).raises != "zero" or not _is_above_zero(b, op.args[1])


def _is_above_zero(b: Batcher, atom: Atom) -> bool:
    """Whether a number is `max(n, 1)`."""
    made = b.maker(atom)
    if made is None or made.fn is not max:
        return False
    least = (a.value for a in made.args if isinstance(a, Const))
    return any(isinstance(value, int) and value > 0 for value in least)


def _asks_shape(b: Batcher, op: Apply) -> bool:
    """Whether an op takes an item of the shape of something mapped."""
    if op.fn is not operator.getitem:
        return False
    made = b.maker(op.args[0])
    return made is not None and made.fn is np.shape and b.is_mapped(made.args[0])


def _shared(b: Batcher, op: Apply) -> Apply:
    args = tuple(map(b.of, op.args))
    kwargs = tuple((name, b.of(a)) for name, a in op.kwargs)
    return replace(op, args=args, kwargs=kwargs)


def _by_rule(b: Batcher, op: Apply, kind: Batching) -> Atom:
    if op.fn is getattr or kind == "facts":
        return _attribute(b, op)
    if op.fn in (zip, enumerate, reversed):
        return _iterator(b, op)
    home = str(getattr(op.fn, "__module__", None)).partition(".")[0]
    if kind == "unknown" and _works_on_elements(op) and home in _OF_ARRAYS:
        kind = "elements"
    rule = RULES.get(kind)
    if rule is None:
        b.refuse(op, f"`{name_of(op)}` has no batched form here")
    return rule(b, op)


def _works_on_elements(op: Apply) -> bool:
    ufunc = isinstance(op.fn, np.ufunc) and op.fn.nout == 1 and not op.fn.signature
    return ufunc or info(op.fn).elementwise


def _attribute(b: Batcher, op: Apply) -> Atom:
    """`x.dtype`, which is that of each example."""
    name = op.args[1] if len(op.args) > 1 else Const(None)
    if name != Const("dtype") or not b.fact(op.args[0]).is_numeric:
        b.refuse(op, f"this attribute has no batched form: `{name_of(op)}`")
    return b.same(op)


def _checked(b: Batcher, op: Apply, made: Atom) -> Atom:
    """The result, of which is known what follows from that of one example; refused
    where it is something else."""
    layout = b.layouts.of(op.out)
    if layout is not True or not isinstance(made, Var):
        return made
    known, expected = made.fact, b.batched(op.out)
    if known.kind == "array" and None not in (known.rank, expected.rank):
        if known.rank != expected.rank:
            b.refuse(op, f"`{name_of(op)}` has no batched form of this shape")
    dtype = known.dtype if expected.dtype is None else expected.dtype
    if dtype is not None and known.dtype is not None and known.dtype != dtype:
        made = b.builder.method("astype", made, Const(dtype.type))
        made = b.like(op, made)
        assert isinstance(made, Var)
    shaped = expected if expected.rank is not None else known
    return replace(made, fact=replace(shaped, dtype=dtype))


# ------------------------------------------------------------------ writes


def _store(b: Batcher, op: Store) -> None:
    b.written[op.out.name] = op.target
    if b.is_mapped(op.target) or b.is_mapped(op.out):
        if not is_mapped(b.layouts.of(op.target)):
            b.refuse(op, "an argument that all examples share is written here")
        subscript_rules.store(b, op)
        return
    target = b.of(op.target)
    assert isinstance(target, Var)
    shared = replace(op, target=target, index=b.of(op.index), value=b.of(op.value))
    b.builder.ops.append(shared)


# ------------------------------------------------------------------ branches


def _branch(b: Batcher, op: If) -> None:
    if b.is_mapped(op.test):
        _masked(b, op)
        return
    arms = []
    for arm, side in ((op.then, "then"), (op.orelse, "orelse")):
        inner = _inside(b, arm)
        ends = [getattr(m, side) for m in op.merges]
        arms.append(
            (
                inner,
                [
                    _end(b, inner, m.out, e)
                    for m, e in zip(op.merges, ends, strict=True)
                ],
            )
        )
    merges = tuple(
        Merge(_out(b, m.out), then, orelse)
        for m, then, orelse in zip(op.merges, arms[0][1], arms[1][1], strict=True)
    )
    made = replace(op, test=b.of(op.test), then=arms[0][0].builder.block(),
                   orelse=arms[1][0].builder.block(), merges=merges)  # fmt: skip
    b.builder.ops.append(made)


def _inside(b: Batcher, inner: Block) -> Batcher:
    """What has added the ops of an inner block."""
    nested = replace(b, builder=b.builder.nested())
    block(nested, inner)
    return nested


def _end(
    b: Batcher, inner: Batcher, out: Var, end: Atom | Undefined
) -> Atom | Undefined:
    """What a block hands on, in the layout of what it becomes."""
    if isinstance(end, Undefined):
        if b.is_mapped(out):
            b.refuse(None, "a variable that may be undefined")
        return end
    return fitted(inner, end, b.layouts.of(out))


def _out(b: Batcher, out: Var) -> Var:
    """What a branch or a loop hands on, for all examples."""
    layout = b.layouts.of(out)
    made = replace(out, fact=b.batched(out)) if layout is True else out
    b.known[out.name] = made
    return made


def _masked(b: Batcher, op: If) -> None:
    """Both arms, of whose results `np.where` takes one for each example."""
    if b.directions:
        b.refuse(op, "the other way may warn, which this direction does not take")
    for arm in (op.then, op.orelse):
        _check_arm(b, arm)
    test = b.of(op.test)
    if fact_of_atom(test).rank != 1:
        b.refuse(op, "a test of an array")
    if fact_of_atom(test).dtype != np.bool_ and op.form in ("if", "ifexp"):
        zero = Const(0)
        test = b.apply(operator.ne, test, zero)
    block(b, op.then)
    block(b, op.orelse)
    for merge in op.merges:
        b.builder.origin = op.origin
        ends = (merge.then, merge.orelse)
        if any(isinstance(e, Undefined) for e in ends):
            b.refuse(op, "a variable that is undefined for some examples")
        b.known[merge.out.name] = _chosen(b, op, merge, test)


def _chosen(b: Batcher, op: If, merge: Merge, test: Atom) -> Atom:
    ends = [e for e in (merge.then, merge.orelse) if not isinstance(e, Undefined)]
    if any(not b.fact(e).is_numeric for e in ends):
        b.refuse(op, "what is no number and no array differs from example to example")
    if op.form not in ("if", "ifexp") and any(
        b.fact(e).dtype != np.bool_ and b.fact(e).kind != "bool" for e in ends
    ):
        b.refuse(op, "`and` or `or` of numbers", "Write `if` with a comparison.")
    ranks = [b.rank(e, op) for e in ends]
    if len(set(ranks)) > 1:
        b.refuse(op, "arrays of several ranks come out of this branch")
    if ranks[0]:
        test = b.index(test, slice(None), *[None] * ranks[0])
    made = b.apply(np.where, test, *map(b.of, ends))
    if merge.out.hint:
        made = b.builder.rename(made, merge.out.hint)
    expected = b.batched(merge.out)
    rank = ranks[0] + 1
    if expected.rank is None or made.fact.rank not in (None, rank):
        b.refuse(op, "the shape of what comes out of this branch is not known")
    dtype = made.fact.dtype if expected.dtype is None else expected.dtype
    return replace(made, fact=replace(expected, dtype=dtype))


def _check_arm(b: Batcher, arm: Block) -> None:
    """Refuse what must not happen for examples that go the other way."""
    for raising in only(arm, Raise):
        b.refuse(raising, "only some examples raise", WHERE)
    for op in arm:
        match op:
            case Apply():
                if op.effect or not _is_safe(b, op):
                    b.refuse(op, f"`{name_of(op)}` may raise, and only some examples "
                             "come to it", WHERE)  # fmt: skip
            case If():
                _check_arm(b, op.then)
                _check_arm(b, op.orelse)
            case Read():
                pass
            case Store() | Raise() | For() | While() | Try() | With():
                b.refuse(op, _WHY[type(op)], WHERE)
            case _:
                assert_never(op)


def _is_safe(b: Batcher, op: Apply) -> bool:
    """Whether a call raises for no example, or for all that come to it."""
    if not may_raise(op, ()):
        return True
    kind = info(op.fn).batching
    mapped = any(map(b.is_mapped, op.args))
    if kind == "subscript":
        return not b.is_mapped(op.args[1])
    if kind == "unknown":
        return mapped and _works_on_elements(op)
    if kind in ("elements", "numbers", "extreme"):
        return mapped
    return kind in ("reduction", "product", "outer", "truth", "float", "builds")


_WHY: Final = {
    Store: "only some examples write here",
    Raise: "only some examples raise",
    For: "only some examples come to this loop",
    While: "only some examples come to this loop",
    Try: "only some examples come to this `try`",
    With: "only some examples come to this `with`",
}
WHERE: Final = "Compute both ways, and choose by `np.where(test, x, y)`."


# ------------------------------------------------------------------ loops


def _loop(b: Batcher, op: For | While) -> None:
    """A loop that all examples go round as often."""
    carries = [_entering(b, c) for c in op.carries]
    inner = replace(b, builder=b.builder.nested())
    if isinstance(op, For):
        iterable, targets = _iterable(b, op), tuple(_out(b, t) for t in op.targets)
        items = (t for t in op.targets if t.fact.is_scalar and t.fact.kind != "array")
        b.elements.update(t.name for t in items)
        block(inner, op.body)
    else:
        conditions = _inside(b, op.cond)
        block(inner, op.body)
        if b.is_mapped(op.test):
            b.refuse(op, "some examples go round this loop oftener than others")
    if op.stop is not None and b.is_mapped(op.stop):
        b.refuse(op, "some examples leave this loop before others")
    made = [
        Carry(_out(b, c.out), init, _out(b, c.inside), _end(b, inner, c.inside, c.next))
        for c, init in zip(op.carries, carries, strict=True)
    ]
    saved = tuple(_variable(inner, v) for v in op.saved)
    body, stop = inner.builder.block(), None if op.stop is None else b.of(op.stop)
    if isinstance(op, For):
        done: Op = replace(op, iterable=iterable, targets=targets, body=body,
                           carries=tuple(made), stop=stop, saved=saved)  # fmt: skip
    else:
        cond = conditions.builder.block()
        done = replace(op, cond=cond, test=b.of(op.test), body=body,
                       carries=tuple(made), stop=stop, saved=saved)  # fmt: skip
    b.builder.ops.append(done)


def _entering(b: Batcher, carry: Carry) -> Atom | Undefined:
    """What a carry begins with; what it is inside is known before the body is read."""
    init = _end(b, b, carry.inside, carry.init)
    _out(b, carry.inside)
    return init


def _variable(b: Batcher, var: Var) -> Var:
    found = b.of(var)
    if not isinstance(found, Var):
        b.refuse(None, "a constant is saved in a loop")
    return found


def _iterable(b: Batcher, op: For) -> Atom:
    """What a loop goes over: the rows of each example, one after the other."""
    layout = b.layouts.of(op.iterable)
    if len(op.targets) > 1 and layout is True:
        b.refuse(op, "the rows of this array are taken apart", "Write `for row in x`.")
    if not is_even(layout):
        b.refuse(op, "some items of this list are mapped, and others are shared")
    if b.fact(op.iterable).kind != "array" or layout is not True:
        return b.of(op.iterable)
    return b.turned(op.iterable)


def _iterator(b: Batcher, op: Apply) -> Atom:
    """`zip(x, y)`, `enumerate(x)`, `reversed(x)`."""
    args = list[Atom]()
    for atom in op.args:
        layout = b.layouts.of(atom)
        if layout is True and b.fact(atom).kind == "array":
            args.append(b.turned(atom))
        elif is_even(layout) and (not is_mapped(layout) or is_full(layout)):
            args.append(b.of(atom))
        else:
            b.refuse(op, "some items of this list are mapped, and others are shared")
    return b.same(op, args=tuple(args))
