"""Rotations of `scipy.spatial.transform`."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.rules.inference.infer import as_array_fact
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import ungetitem
from yota_ast.runtime.scipy.rotation_adjoints import (
    unapplied,
    unas_euler,
    unas_matrix,
    unas_quat,
    unas_rotvec,
    uneuler,
    uninverse,
    unmagnitude,
    unproduct,
    unquat,
    unrotvec,
    unvectors,
)


def _rotation(rank: int | None) -> Fact:
    """What is known of rotations; rank: of their rotation vectors."""
    shape = None if rank is None else (None,) * rank
    return Fact("model", cls=Rotation, element=array_fact(np.float64, shape))


def _rank(f: Atom) -> int | None:
    """The rank of the rotation vectors."""
    if isinstance(f, Const) and isinstance(f.value, Rotation):
        return int(f.value.as_rotvec().ndim)
    element = fact_of_atom(f).element
    return None if element is None else element.rank


def _of_vectors(r: Atom) -> Fact:
    return _rotation(as_array_fact(fact_of_atom(r)).rank)


def _of_quaternions(q: Atom) -> Fact:
    return _of_vectors(q)


def _of_matrices(matrix: Atom) -> Fact:
    rank = as_array_fact(fact_of_atom(matrix)).rank
    return _rotation(None if rank is None else rank - 1)


def _of_angles(seq: Atom, angles: Atom) -> Fact:
    rank = as_array_fact(fact_of_atom(angles)).rank
    if not isinstance(seq, Const) or rank is None:
        return _rotation(None)
    return _rotation(rank if len(str(seq.value)) > 1 else rank + (rank == 1) or 1)


def _same(f: Atom) -> Fact:
    return _rotation(_rank(f))


def _picked(f: Atom, index: Atom) -> Fact:
    """One of several rotations, or a part of them."""
    rank, given = _rank(f), fact_of_atom(index)
    if rank is None or not (given.cls is slice or given.kind in ("int", "array")):
        return _rotation(None)
    return _rotation(rank - 1 if given.kind == "int" else rank)


def _of_two(f: Atom, g: Atom) -> Fact:
    ranks = _rank(f), _rank(g)
    return _rotation(None if None in ranks else max(r or 0 for r in ranks))


def _array(rank: int | None) -> Fact:
    return array_fact(np.float64, None if rank is None else (None,) * rank)


def _vectors(f: Atom) -> Fact:
    return _array(_rank(f))


def _matrices(f: Atom) -> Fact:
    rank = _rank(f)
    return _array(None if rank is None else rank + 1)


def _applied(f: Atom, v: Atom) -> Fact:
    ranks = _rank(f), as_array_fact(fact_of_atom(v)).rank
    return _array(None if None in ranks else max(r or 0 for r in ranks))


def _sizes(f: Atom) -> Fact:
    rank = _rank(f)
    if rank == 1:
        return Fact("scalar", np.dtype(np.float64), ())
    return _array(None if rank is None else rank - 1)


FALSE = (False,)
MATRIX = "a matrix that is no rotation is made one first"


@rule(alias="fresh", zero=["scalar_first"], fact=_of_quaternions)
def of_quaternions(q, *, scalar_first=False, df):
    f = Rotation.from_quat(q, scalar_first=scalar_first)
    dq = unquat(df, q, scalar_first)


@rule(alias="fresh", zero=["degrees"], fact=_of_vectors)
def of_vectors(r, degrees=False, *, df):
    f = Rotation.from_rotvec(r, degrees)
    dr = unrotvec(df, r, degrees)


@rule(alias="fresh", zero=["seq", "degrees"], fact=_of_angles)
def of_angles(seq, angles, degrees=False, *, df):
    f = Rotation.from_euler(seq, angles, degrees)
    dangles = uneuler(df, seq, angles, degrees)


@rule(alias="fresh", refused={"matrix": MATRIX}, fact=_of_matrices)
def of_matrices(matrix):
    f = Rotation.from_matrix(matrix)


@rule(sequences=["f"], only={"canonical": FALSE}, zero=["scalar_first"], fact=_vectors)
def as_quaternions(f, canonical=False, *, scalar_first=False, dy):
    y = Rotation.as_quat(f, canonical, scalar_first=scalar_first)
    df = unas_quat(dy, f, scalar_first)


@rule(sequences=["f"], zero=["degrees"], fact=_vectors)
def as_vectors(f, degrees=False, *, dy):
    y = Rotation.as_rotvec(f, degrees)
    df = unas_rotvec(dy, f, degrees)


@rule(sequences=["f"], fact=_matrices)
def as_matrices(f, *, dy):
    y = Rotation.as_matrix(f)
    df = unas_matrix(dy, f)


@rule(sequences=["f"], zero=["seq", "degrees"], fact=_vectors)
def as_angles(f, seq, degrees=False, *, dy):
    y = Rotation.as_euler(f, seq, degrees)
    df = unas_euler(dy, f, seq, degrees)


@rule(sequences=["f"], only={"inverse": FALSE}, fact=_applied)
def applied(f, v, inverse=False, *, dy):
    y = Rotation.apply(f, v, inverse)
    df = unapplied(dy, f, v)
    dv = unvectors(dy, f, v)


@rule(alias="maybe", sequences=["f"], fact=_same)
def inverse(f, *, dy):
    y = Rotation.inv(f)
    df = uninverse(dy, f)


@rule(alias="maybe", sequences=["f", "g"], fact=_of_two)
def product(f, g, *, dy):
    y = Rotation.__mul__(f, g)
    both = unproduct(dy, f, g)
    df = both[0]
    dg = both[1]


@rule(alias="maybe", sequences=["f"], fact=_same)
def power(f, n, *, dy):
    """The rotation vector is multiplied."""
    y = Rotation.__pow__(f, n)
    back = unrotvec(dy, n * Rotation.as_rotvec(f))
    df = unas_rotvec(n * back, f)
    dn = np.sum(back * Rotation.as_rotvec(f))


@rule(alias="maybe", sequences=["f"], zero=["index"], fact=_picked)
def item(f, index, *, dy):
    y = Rotation.__getitem__(f, index)
    df = ungetitem(dy, Rotation.as_rotvec(f), index)


@rule(sequences=["f"], fact=_sizes)
def magnitude(f, *, dy):
    y = Rotation.magnitude(f)
    df = unmagnitude(dy, f)
