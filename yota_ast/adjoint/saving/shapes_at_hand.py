"""A reverse sweep that reads shapes -> the same, which reads those that are at hand.

    for u_in in saved[::-1]:          for _ in range(n):
        t = du[1:]                        t = du[1:]
        du = np.zeros_like(u_in)          du = np.zeros_like(du)
        du[:-1] = t                       du[:-1] = t

The adjoint that a loop of the reverse hands on has the shape and the dtype of what the
loop of the forward hands on; others of the iteration may have them, too. A value that
is read for these alone need not be saved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.block_places import Places
from yota_ast.ir.abstract_values import same_dtype
from yota_ast.ir.atoms import Var
from yota_ast.ir.block_queries import bound_by, ends_of
from yota_ast.ir.nodes import Apply, Block, For, Op, atoms_of, map_blocks, of_ops, walk
from yota_ast.ops import info

Likes = Mapping[str, Var]
"""By the name of a value: another one of its shape and dtype."""


def with_likes(block: Block, likes: Likes) -> Block:
    """A block that reads others for their shape and dtype alone in the place of what is
    like them, so that this need not be saved."""

    def changed(inner: Block) -> Block:
        return with_likes(inner, likes)

    def read(op: Apply) -> Apply:
        at = info(op.fn).shape_only
        args = (likes.get(getattr(a, "name", ""), a) for a in op.args)
        new = tuple(
            b if k in at else a
            for k, (a, b) in enumerate(zip(op.args, args, strict=True))
        )
        return op if new == op.args else replace(op, args=new)

    ops = (
        read(op) if isinstance(op, Apply) else map_blocks(op, changed) for op in block
    )
    return of_ops(block, tuple(ops))


def with_shapes_at_hand(reverse: Block, places: Places) -> Block:
    """A reverse sweep whose loops read the shapes of adjoints that are at hand,
    where they read those of the forward's inner variables for nothing else."""

    def changed(block: Block) -> Block:
        return of_ops(block, tuple(_read(op, places, changed) for op in block))

    return changed(reverse)


def _read(op: Op, places: Places, changed: Callable[[Block], Block]) -> Op:
    if isinstance(op, For):
        likes = dict(_likes(op, places))
        op = replace(op, body=with_likes(op.body, likes)) if likes else op
    return map_blocks(op, changed)


def _likes(loop: For, places: Places) -> Iterator[tuple[str, Var]]:
    """What a loop reads for its shape alone, and what is like it: an adjoint that the
    loop hands on, or what it has made before."""
    shapes, values = dict[str, Var](), set[str]()
    handed, own = [c.inside for c in loop.carries], list[Var]()
    count: dict[str, int] = {}
    for op in loop.body:
        for each in walk(Block((op,))):
            at = info(each.fn).shape_only if isinstance(each, Apply) else ()
            for k, atom in enumerate((*atoms_of(each), *ends_of(each))):
                if isinstance(atom, Var) and k in at:
                    shapes[atom.name] = atom
                    count.setdefault(atom.name, len(own))
                elif isinstance(atom, Var):
                    values.add(atom.name)
        own += bound_by(op)
    for name, var in shapes.items():
        place = places.of.get(name)
        if name in values or place is None or not place.loops or not _is_shaped(var):
            continue
        for other in filter(_is_shaped, (*handed, *own[: count[name]][::-1])):
            if other.fact.shape == var.fact.shape and same_dtype(
                other.fact.dtype, var.fact.dtype
            ):
                yield name, other
                break


def _is_shaped(var: Var) -> bool:
    """Whether a value is an array of which the length of each axis is known."""
    fact = var.fact
    shape = fact.shape
    is_known = fact.kind == "array" and fact.dtype is not None and bool(shape)
    return is_known and isinstance(shape, tuple) and None not in shape
