"""Tape and arguments -> the arguments that act in a loop through comparisons alone.

A root that is found by halving an interval moves with the arguments of the equation,
but no arithmetic leads from them to the root: the comparisons choose which half is
kept. The derivative of the steps is 0, or that of the ends of the first interval.

An argument is told of where

- the result depends on it through comparisons in a loop, and in no other way; or
- a loop chooses by comparisons with it what it carries, the result depends on what is
  carried, and nothing else in the body of the loop leads from the argument there.
"""

from __future__ import annotations

import operator
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.adjoint.nonsmooth.tolerances import Errors, decides
from yota_ast.adjoint.results.gradient_results import Argument
from yota_ast.analysis.activity import Through, carrier, flows_in, useful
from yota_ast.analysis.dependence import Dependence, Shared, bits_of, sum_of
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.block_queries import is_loop, outlined_in
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import Apply, Block, For, Op, Outlined, Read, While, walk
from yota_ast.ir.tape import Program, Told
from yota_ast.syntax.value_paths import path_text

_CALLS = 1 << 62
"""The bit of what a function carries that calls itself."""
WIDTH = 72
"""Of the lines in a docstring."""
MOST_PARTS = 16
"""How many items of an array argument are looked at one by one."""


def told(
    block: Block,
    result: object,
    functions: Sequence[Function],
    arguments: Iterable[Argument],
    through: Through,
) -> tuple[Told, ...]:
    """Return the arguments to tell of, in their order, each once."""
    blocks = (block, *(f.block for f in functions))
    if not _repeats(blocks, functions) or not _decides(blocks):
        return ()
    parts = _Parts.of(arguments, block)
    if not parts.labels:
        return ()
    found = _Program(parts.leaves, functions, through).told(block, result, parts.fixed)
    seen = dict[str, Told]()
    for bit in sorted(found):
        name, owner, argument = parts.labels[bit.bit_length() - 1]
        if name == owner or owner not in seen:
            origin = found[bit].origin
            seen[name] = Told(name, argument, origin.place, origin.text)
    return tuple(seen.values())


def with_told(program: Program, alone: Sequence[Told]) -> str:
    """Return the docstring of a program, which tells of the arguments."""
    names = ", ".join(f"`{each.name}`" for each in alone)
    if not alone:
        return program.doc
    verb = "act" if len(alone) > 1 else "acts"
    said = (
        f"In a loop {names} {verb} through comparisons alone: the derivative is that "
        "of the steps, and has no part from the comparisons."
    )
    return f"{program.doc}\n\n{textwrap.fill(said, WIDTH, break_on_hyphens=False)}"


def _repeats(blocks: Iterable[Block], functions: Sequence[Function]) -> bool:
    """Return whether anything is done again and again."""
    if any(is_loop(op) for b in blocks for op in walk(b)):
        return True
    return bool(_recursive({f.name: f for f in functions}))


def _decides(blocks: Iterable[Block]) -> bool:
    """Return whether anything is compared or rounded."""
    ops = (op for b in blocks for op in walk(b))
    return any(isinstance(op, Apply) and decides(op) for op in ops)


# ---------------------------------------------------------------- arguments


@dataclass(slots=True)
class _Parts:
    """The arguments, their leaves and single items, a bit for each.

    labels: what each bit is called, the leaf that it is a part of, and the argument.
    fixed: the
    bits of variables that are arguments, or parts of them.
    """

    labels: list[tuple[str, str, str]]
    fixed: dict[str, int]
    leaves: list[Var]

    @staticmethod
    def of(arguments: Iterable[Argument], block: Block) -> _Parts:
        """Those of the arguments that are asked for."""
        parts = _Parts([], {}, [])
        reads = {op.out.name: op for op in block if isinstance(op, Read)}
        items = _items(block)
        for each in arguments:
            name, whole = each.param.var.hint or each.param.var.name, 0
            for _, leaf in each.leaves:
                read = reads.get(leaf.name)
                label = name if read is None else path_text(name, read.path)
                whole |= parts.leaf(leaf, label, name, items.get(leaf.name, {}))
            for var in each.wholes:
                parts.fixed[var.name] = whole
                parts.leaves.append(var)
        return parts

    def leaf(
        self, leaf: Var, label: str, name: str, items: Mapping[int, list[Var]]
    ) -> int:
        """Give bits to a leaf, and to the single items that are read of it."""
        self.leaves.append(leaf)
        bits = self._bit(label, label, name)
        if len(items) <= MOST_PARTS:
            for key, outs in items.items():
                bit = self._bit(f"{label}[{key}]", label, name)
                self.fixed.update((out.name, bit) for out in outs)
                bits |= bit
        self.fixed[leaf.name] = bits
        return bits

    def _bit(self, label: str, owner: str, name: str) -> int:
        self.labels.append((label, owner, name))
        return 1 << len(self.labels) - 1


def _items(block: Block) -> dict[str, dict[int, list[Var]]]:
    """The reads `p[0]` of variables, by number."""
    found: dict[str, dict[int, list[Var]]] = {}
    for op in walk(block):
        if isinstance(op, Apply) and op.fn is operator.getitem:
            owner, key = op.args
            if isinstance(owner, Var) and isinstance(key, Const):
                if type(key.value) is int and key.value >= 0:
                    of_owner = found.setdefault(owner.name, {})
                    of_owner.setdefault(key.value, []).append(op.out)
    return found


# ---------------------------------------------------------------- programs


class _Program:
    """A block and the functions that it calls."""

    def __init__(
        self, leaves: Sequence[Var], functions: Sequence[Function], through: Through
    ) -> None:
        self.through = through
        self.carries = carrier(tuple(leaves), None)
        self.functions = {f.name: f for f in functions}
        self.recursive = _recursive(self.functions)
        self.summaries: dict[str, int] = {}
        """The parameters that reach the result of a function by comparisons."""
        self.alone: dict[str, int] = {}
        """Those that act in a loop of it by comparisons alone."""

    def told(
        self, block: Block, result: object, fixed: Mapping[str, int]
    ) -> dict[int, Op]:
        """Return the bits to tell of, and where they act."""
        changed = bool(self.functions)
        while changed:
            changed = False
            for f in reversed(self.functions.values()):
                before = self.summaries.get(f.name, 0), self.alone.get(f.name, 0)
                bits = {p.name: 1 << k for k, p in enumerate(f.params)}
                self.alone[f.name] = sum(self._of(f.block, f.result, bits, f))
                after = self.summaries[f.name], self.alone[f.name]
                changed = changed or before != after
        return self._of(block, result, fixed)

    def _of(
        self, block: Block, result: object, fixed: Mapping[str, int],
        function: Function | None = None,
    ) -> dict[int, Op]:  # fmt: skip
        again = function is not None and function.name in self.recursive
        carried = function.params if function is not None and again else ()
        errors = Errors.of(block, *carried)
        flows = tuple(flows_in(block, self.through))
        smooth = {out.name: names for out, names in flows}
        shared = Shared(smooth, self.carries, errors, fixed, self.summaries)
        whole = Dependence(shared)
        whole.smooth.update(fixed)
        for p in carried:
            whole.moving[p.name] = _CALLS
        whole.block(block)
        places = dict[int, Op]()
        end = result.name if isinstance(result, Var) else ""
        if function is not None:
            self.summaries[function.name] = whole.compared[end]
        if function is None or again:
            alone = whole.compared[end] & ~whole.smooth[end]
            _add(places, alone, whole.places)
        read = useful(result, flows)
        for op in walk(block):
            if is_loop(op):
                self._loop(op, whole, read, places)
            elif isinstance(op, Apply) and isinstance(op.fn, Outlined):
                if op.out.name in read:
                    self._call(op, op.fn.name, whole, places)
        return places

    def _loop(
        self, op: For | While, whole: Dependence, read: set[str],
        places: dict[int, Op],
    ) -> None:  # fmt: skip
        """Add what a loop chooses by and does not compute with."""
        ends = [c for c in op.carries if c.out.name in read and self.carries(c.out)]
        if not any(whole.compared[c.out.name] for c in ends):
            return
        body = whole.within(op)
        chosen = sum_of(body.compared, ends) & ~sum_of(body.smooth, ends)
        _add(places, chosen, body.places)

    def _call(
        self, op: Apply, name: str, whole: Dependence, places: dict[int, Op]
    ) -> None:
        """Add the arguments of a call that the function chooses by."""
        for k, atom in enumerate(op.args):
            if self.alone.get(name, 0) >> k & 1 and isinstance(atom, Var):
                bits = whole.smooth[atom.name]
                _add(places, bits, dict.fromkeys(bits_of(bits), op))


def _add(places: dict[int, Op], bits: int, known: Mapping[int, Op]) -> None:
    for bit in bits_of(bits):
        places.setdefault(bit, known[bit])


def _recursive(functions: Mapping[str, Function]) -> frozenset[str]:
    """The functions that call themselves, perhaps through others."""
    calls = {name: {*outlined_in(f.block)} for name, f in functions.items()}
    for via, further in calls.items():
        for called in calls.values():
            if via in called:
                called |= further
    return frozenset(name for name, called in calls.items() if name in called)
