"""A program of one example -> the program of a batch of them.

In: the program, and which arguments hold an example for each index of an axis. The
facts of these arguments are those of one example, and call their axes as the whole
argument has them. Out: a program that takes the whole arguments.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.results.entry_checks import checks_of
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.analysis.overwritten_memory import writes_to
from yota_ast.analysis.points_to import PointsTo
from yota_ast.analysis.raising_statements import errors_in, without_names
from yota_ast.analysis.unit_axes import note_lengths
from yota_ast.batching.batched_blocks import block
from yota_ast.batching.batcher import DISPLAYS, Batcher, dtype_of, items_of
from yota_ast.batching.layouts import Layout, filled, is_full, is_mapped
from yota_ast.batching.mapped_variables import Layouts
from yota_ast.batching.scalar_views import with_copies
from yota_ast.errors import Location, UnsupportedCall
from yota_ast.ir.abstract_values import CONTAINERS, Fact, array_fact, fact_of
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import Dim, NamedLength
from yota_ast.ir.block_queries import bound_by
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import (
    NOWHERE,
    Apply,
    Block,
    Closed,
    Op,
    Outlined,
    Read,
    Store,
    defined_by,
    only,
    walk,
)
from yota_ast.ir.tape import Program, Tape
from yota_ast.syntax.value_paths import axis_text, path_text

Axes = Mapping[str, int]


def fact_of_example(value: np.ndarray, name: str, axis: int) -> Fact:
    """What is known of each example in an array.

    >>> found = fact_of_example(np.zeros((3, 2)), "x", 0)
    >>> found, [str(d) for d in found.shape]
    (ndarray[float64, 1], ['x.shape[1]'])
    >>> fact_of_example(np.zeros(3), "x", 0)
    float64
    """
    known = fact_of(value, name)
    assert isinstance(known.shape, tuple)
    shape = (*known.shape[:axis], *known.shape[axis + 1 :])
    if not shape:
        return Fact("scalar", value.dtype, ())
    return replace(known, shape=shape)


def batched(
    program: Program, tape: Tape, axes: Axes, infer: Infer, made_for: Sequence[Check]
) -> Program:
    """The program of a batch; axes: that of the examples in each argument that has one;
    made_for: what the tape takes for granted of the others.

    Raises UnsupportedCall at the first op that has no batched form.
    """
    _check_writes(program, axes)
    return replace(
        of_examples(program, axes, infer),
        name=f"{program.name}_vmap",
        doc=_doc(program, axes),
        checks=(*_checks(program, tape, axes), *_kept(made_for, axes)),
    )


def of_examples(
    program: Program, axes: Axes, infer: Infer, *, directions: bool = False
) -> Program:
    """The program of a batch, with the checks of that of one example.

    axes: may name containers, all of whose arrays and numbers have the axis 0 then.
    directions: the examples are directions at one point. What does not depend on them
    happens once, as in a call of the program, with all that it raises and writes.

    Raises UnsupportedCall at the first op that has no batched form.
    """
    whole = Block((*program.forward.ops, *program.reverse.ops))
    if program.guards or program.helpers:
        called = (op for op in only(walk(whole), Apply) if isinstance(op.fn, _OWN))
        blocks = (whole, *(b for p in program.helpers for b in p.sweeps))
        every = (op for b in blocks for op in walk(b))
        raise UnsupportedCall(
            "vmap: the function calls itself, or one that is not inlined",
            at=_first_place(called) or _first_place(every),
            remedy="Write a loop over the examples.",
        )
    size = _length(program, axes)
    names = Names()
    for name in _names(program, whole):
        names.reserve(name)
    builder = Builder(infer, names)
    length = builder.var(Fact("int", shape=(), length=size), "n")
    own = {p.var.name: p.var.fact for p in program.params}
    layouts = Layouts(whole, {name: _layout(own[name]) for name in axes})
    batcher = Batcher(
        layouts, builder, length, size, directions=directions, writes=_writes(whole),
        place=_first_place(walk(whole)),
    )  # fmt: skip
    params = [
        _parameter(p, axes, size)
        for p in program.params
        if p.var.name != program.seed or p.var.name in axes
    ]
    _moved(batcher, params, axes)
    block(batcher, program.forward)
    middle = len(builder.ops)
    block(batcher, program.reverse)
    fields = [op.out for op in only(walk(whole), Read)]
    results = [_result(batcher, atom) for atom in (program.value, *program.results)]
    owners = [p.var for p in params]
    ends = _owned(batcher, results, [*owners, *fields])
    ahead = [*_count(batcher, params, axes), *builder.ops[:middle]]
    both = Block((*ahead, *builder.ops[middle:]))
    both = with_copies(both, batcher.elements, names, infer)
    written = writes_to(both, owners)
    errors = _errors(batcher, program, whole) if directions else ()
    both = without_dead(both, [*ends, *written, *errors])
    both = without_names(both, {v.name for v in errors})
    late = {v.name for op in builder.ops[middle:] for v in defined_by(op)}
    cut = _cut(both, late)
    return replace(
        program, params=tuple(params),
        forward=Block(both.ops[:cut]), reverse=Block(both.ops[cut:]),
        value=ends[0], results=tuple(ends[1:]), forms={}, seed="",
    )  # fmt: skip


_OWN: Final = (Outlined, Closed)
"""What is called that the program itself defines."""


def _first_place(ops: Iterable[Op]) -> Location | None:
    return next((op.origin.place for op in ops if op.origin.place), None)


def _writes(whole: Block) -> bool:
    """Whether an array is written."""
    stores = only(walk(whole), Store)
    return any(op.target.fact.kind not in CONTAINERS for op in stores)


def _errors(b: Batcher, program: Program, whole: Block) -> tuple[Var, ...]:
    """What nobody reads of the ops that may raise for any direction."""
    found = errors_in(whole, program.returned)
    shared = (b.of(var) for var in found if not b.is_mapped(var))
    return tuple(atom for atom in shared if isinstance(atom, Var))


def _names(program: Program, whole: Block) -> Iterator[str]:
    yield from (p.var.name for p in program.params)
    yield from (v.name for op in walk(whole) for v in bound_by(op))


def _cut(both: Block, late: Collection[str]) -> int:
    """How many of the ops belong to the forward sweep; late: what others define."""
    ops = enumerate(both.ops)
    of_reverse = (k for k, op in ops if any(v.name in late for v in defined_by(op)))
    return next(of_reverse, len(both))


def _check_writes(program: Program, axes: Axes) -> None:
    """Refuse what is written in an argument that all examples share, or outside."""
    whole = Block((*program.forward.ops, *program.reverse.ops))
    shared = [p.var for p in program.params if p.var.name not in axes]
    shared += [op.out for op in only(walk(whole), Read)]
    written = {v.name for v in writes_to(whole, shared)}
    for op in walk(whole):
        if isinstance(op, Store) and op.out.name in written:
            raise UnsupportedCall(
                "vmap: the function writes into what all examples share",
                at=op.origin.place, remedy="Copy it first: `b = b.copy()`.",
            )  # fmt: skip


def _parameter(param: Parameter, axes: Axes, size: Dim | None) -> Parameter:
    """The parameter that is the whole argument."""
    var = param.var
    if var.name not in axes:
        return param
    axis = axes[var.name]
    own = size or Dim(axis_text(var.name, axis), 0, NamedLength("examples"))
    fact = _of_all(var.fact, axis, own)
    return replace(param, var=replace(var, fact=fact), default=None)


_NO_NUMBERS: Final = ("none", "str", "callable")
"""What has no examples in a container that holds some."""


def _layout(known: Fact) -> Layout:
    """The layout of an argument that holds examples: what is no number is shared."""
    if known.kind in CONTAINERS and known.items is not None:
        return tuple(map(_layout, known.items))
    return False if known.kind in _NO_NUMBERS else filled(known)


def _of_all(known: Fact, axis: int, size: Dim) -> Fact:
    """What is known of all examples of a value."""
    if known.kind in CONTAINERS:
        items, each = known.items, known.element
        return replace(
            known,
            items=None if items is None else tuple(_of_all(f, 0, size) for f in items),
            element=None if each is None else _of_all(each, 0, size),
        )
    if known.kind in _NO_NUMBERS:
        return known
    if not isinstance(known.shape, tuple):
        raise UnsupportedCall("vmap: the number of axes is not known of an argument")
    shape = (*known.shape[:axis], size, *known.shape[axis:])
    return replace(array_fact(dtype_of(known), shape), cls=np.ndarray)


def _length(program: Program, axes: Axes) -> Dim:
    """The number of examples, called as the first argument that holds some has it."""
    name, axis = next(iter(axes.items()))
    path = _to_array(program.params, name)
    owner = path_text(name, [("item", key) for key in path])
    return Dim(axis_text(owner, axis), 0, NamedLength("examples"))


def _to_array(params: Sequence[Parameter], name: str) -> tuple[object, ...]:
    """The keys that lead to the first array of an argument: none of an array."""
    (known,) = (p.var.fact for p in params if p.var.name == name)
    path = list[object]()
    while known.kind in CONTAINERS:
        items = enumerate(known.items or ())
        at = next((k for k, f in items if is_mapped(_layout(f))), None)
        if at is None or known.items is None:
            raise UnsupportedCall("vmap: no array is known in an argument")
        path.append(at if known.keys is None else known.keys[at])
        known = known.items[at]
    return (*path,)


def _moved(b: Batcher, params: list[Parameter], axes: Axes) -> None:
    """Put the axis of the examples in front."""
    for param in params:
        axis = axes.get(param.var.name, 0)
        if param.var.name not in axes:
            continue
        if axis == 0:
            b.known[param.var.name] = param.var
            continue
        found = b.apply(np.moveaxis, param.var, Const(axis), Const(0))
        b.known[param.var.name] = b.builder.rename(found, param.var.name)


def _count(b: Batcher, params: list[Parameter], axes: Axes) -> list[Apply]:
    """`n = len(x)`, which is left out where nothing asks for it."""
    first, axis = next(iter(axes.items()))
    (var,) = (p.var for p in params if p.var.name == first)
    nested = b.builder.nested()
    nested.origin = NOWHERE  # no statement of the function's
    for key in _to_array(params, first):
        var = nested.apply(operator.getitem, var, Const(key))
    if axis == 0:
        nested.apply(len, var)
    else:
        nested.apply(np.size, var, Const(axis))
    *ahead, op = (each for each in nested.ops if isinstance(each, Apply))
    return [*ahead, replace(op, out=b.length)]


# ------------------------------------------------------------------ results


def _result(b: Batcher, atom: Atom) -> Atom:
    """A result, in which each number and array has the axis of the examples."""
    layout = b.layouts.of(atom)
    made = b.maker(atom)
    if b.fact(atom).kind in CONTAINERS:
        if made is not None and made.fn in DISPLAYS:
            before = items_of(made)
            items = [_result(b, a) for a in before]
            if all(x is b.of(a) for x, a in zip(items, before, strict=True)):
                return b.of(atom)
            return b.rebuilt(made, items)
        if not is_full(layout) or layout == ():
            b.refuse(None, "what the function returns is mapped in part")
        return b.of(atom)
    if b.fact(atom).kind == "none":
        return atom
    if not isinstance(layout, bool) or not (layout or b.fact(atom).is_numeric):
        b.refuse(None, "the function returns what is no number and no array")
    return b.spread(atom)


def _owned(b: Batcher, results: list[Atom], owners: list[Var]) -> list[Atom]:
    """The results, each in memory of its own."""
    points = PointsTo(b.builder.block())
    taken = set[str]().union(*map(points.memory, owners))

    def own(atom: Atom) -> Atom:
        made = b.builder.made.get(atom.name) if isinstance(atom, Var) else None
        if made is not None and made.fn in DISPLAYS:
            before = items_of(made)
            items = list(map(own, before))
            if all(map(operator.is_, items, before)):
                return atom
            return b.rebuilt(made, items)
        memory = points.memory(atom)
        if taken.isdisjoint(memory):
            taken.update(memory)
            return atom
        if not isinstance(atom, Var) or atom.fact.kind != "array":
            b.refuse(None, "what the function returns holds an argument")
        return b.builder.method("copy", atom)

    return list(map(own, results))


# ------------------------------------------------------------------ what is checked


def _checks(program: Program, tape: Tape, axes: Axes) -> tuple[Check, ...]:
    """That the arguments have the axes and lengths that the code was made for, and all
    of them as many examples."""
    granted = program.granted
    assumed = Assumptions(equal=list(granted.equal), longer=list(granted.longer))
    note_lengths(assumed, tape.block)
    alone = [_parameter(p, axes, None) for p in tape.params]
    whole = replace(tape, params=tuple(alone), checks=())
    counts = [axis_text(name, axis) for name, axis in axes.items()]
    told = f"{_listed(axes)} must hold as many examples"
    same = [Check(_differ(counts), told)] if len(counts) > 1 else []
    return (*checks_of(whole, assumed, tuple(axes)), *same)


def _kept(checks: Sequence[Check], axes: Axes) -> Sequence[Check]:
    """The checks of values and structures; refused where one is of an example. That it
    is a number is known of the array."""
    kept = list[Check]()
    for check in checks:
        if check.numbers_at:
            shared = [at for at in check.numbers_at if at not in axes]
            kept += [Check.numbers(shared)] if shared else []
            continue
        kept.append(check)
        if any(_is_of_example(check, name, axis) for name, axis in axes.items()):
            raise UnsupportedCall(
                f"vmap: the code would be {check.told} alone",
                remedy="Write a loop over the examples.",
            )
    return kept


def _is_of_example(check: Check, name: str, axis: int) -> bool:
    """Whether a check asks something of one example, which the whole argument is not
    asked: lengths of axes are called as the whole argument has them.

    >>> longer = Check("x.shape[1] != 2", "made for x.shape[1] = 2")
    >>> _is_of_example(longer, "x", 0), _is_of_example(longer, "x", 1)
    (False, True)
    """
    asked = check.test.replace(f"{name} is None", "")
    lengths = {int(k) for k in re.findall(rf"\b{name}\.shape\[(\d+)\]", asked)}
    rest = re.sub(rf"\b{name}\.shape\[\d+\]", "", asked)
    return axis in lengths or re.search(rf"\b{name}\b", rest) is not None


def _differ(counts: Sequence[str]) -> str:
    """The test that some numbers are not all equal.

    >>> _differ(["a", "b"]), _differ(["a", "b", "c"])
    ('a != b', 'not a == b == c')
    """
    return " != ".join(counts) if len(counts) == 2 else f"not {' == '.join(counts)}"


def _listed(axes: Axes) -> str:
    *names, last = axes
    return f"{', '.join(names)} and {last}" if names else last


def _doc(program: Program, axes: Axes) -> str:
    """What the code does, as its docstring says it."""
    if program.wrt:
        return f"{program.doc.rstrip('.')}, for each example in {_listed(axes)}."
    return f"Value of {program.name} for each example in {_listed(axes)}."
