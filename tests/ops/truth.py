"""An operation of the table, variants of its arguments -> what its calls really do.

Each operation is lowered, and its tape played, so that a call is looked at as the
compiler knows it: an op with the facts of its arguments. The gradient is played, too,
before any pass, for the calls of helpers.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from yota_ast.ir import interpreter
from yota_ast.ir.abstract_values import fact_of
from yota_ast.ir.atoms import fact_of_atom
from yota_ast.ir.nodes import Apply, Outlined
from yota_ast.pipeline import Request, gradient_program, lowered


@dataclass(frozen=True)
class Observed:
    """One call of a function: the op, the arguments and the result."""

    op: Apply
    args: tuple[Any, ...]
    before: tuple[Any, ...]  # copies of the arguments, from before the call
    result: Any

    def is_as_known(self) -> bool:
        """Whether no array stands where a number is known: a seed may be one."""
        atoms = (*self.op.args, *(a for _, a in self.op.kwargs))
        pairs = zip(atoms, self.args, strict=True)
        return not any(
            isinstance(value, np.ndarray) and fact_of_atom(atom).is_number
            for atom, value in pairs
        )

    def changed(self) -> list[int]:
        """The positions of the arguments whose arrays the call has changed."""
        pairs = zip(self.args, self.before, strict=True)
        return [k for k, (a, b) in enumerate(pairs) if not _alike(a, b)]

    def memory(self) -> str:
        """The truth: "fresh", "view" of the first argument, "same", else "maybe"."""
        made = arrays(self.result)
        given = [arrays(a) for a in self.args]
        shared = [
            k
            for k, each in enumerate(given)
            if any(a is r or np.shares_memory(a, r) for a in each for r in made)
        ]
        if not shared:
            return "fresh"
        if self.result is self.args[0]:
            return "same"
        whole = isinstance(self.result, np.ndarray)
        return "view" if shared == [0] and whole else "maybe"

    def is_empty(self) -> bool:
        """Whether the result holds no element: of no memory nothing can be said."""
        return not any(a.size for a in arrays(self.result))


def arrays(value: Any) -> list[np.ndarray]:
    """The arrays that a value is or holds."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [a for item in value for a in arrays(item)]
    return []


def _alike(one: Any, other: Any) -> bool:
    pairs = zip(arrays(one), arrays(other), strict=True)
    return all(a.tobytes() == b.tobytes() for a, b in pairs)


# ---------------------------------------------------------------- variants

LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": lambda a: np.array(a, order="C"),
    "F": lambda a: np.array(a, order="F"),
    "transposed": lambda a: np.array(a.T, order="C").T,
    "strided": lambda a: np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim else a.copy(),
    "reversed": lambda a: a[..., ::-1].copy()[..., ::-1] if a.ndim else a.copy(),
    "read-only": lambda a: _read_only(a),
}
DTYPES = ("f8", "f4", "i8", "c16", "?")
RANKS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "as it is": lambda a: a,
    "empty": lambda a: a[:0],
    "0-d": lambda a: np.array(a.ravel()[0]),
    "raised": lambda a: a[None],
    "of one": lambda a: a[..., :1],
}


def _read_only(a: np.ndarray) -> np.ndarray:
    a = a.copy()
    a.flags.writeable = False
    return a


def mapped(value: Any, fn: Callable[[np.ndarray], np.ndarray]) -> Any:
    """A value with its float arrays exchanged."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return fn(value)
    if type(value) in (list, tuple):
        return type(value)(mapped(v, fn) for v in value)
    return value


def variants(values: dict[str, Any], swapped: bool) -> Iterator[list[dict[str, Any]]]:
    """The arguments in other types and ranks, and with bytes swapped; for each the
    layouts of it, which have the same facts."""
    kinds = [(d, "as it is") for d in DTYPES] + [("f8", r) for r in list(RANKS)[1:]]
    if swapped:
        kinds.append((">f8", "as it is"))
    for dtype, rank in kinds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                kind = {
                    k: mapped(v, lambda a: _cast(RANKS[rank](a), dtype))
                    for k, v in values.items()
                }
            except (IndexError, ValueError):
                continue
        if (dtype, rank) != ("f8", "as it is") and not _differs(kind, values):
            continue
        layouts = tuple(LAYOUTS.values())
        every = layouts if rank == "as it is" and dtype == "f8" else layouts[::2]
        yield [{k: mapped(v, layout) for k, v in kind.items()} for layout in every]


def _cast(a: np.ndarray, dtype: str) -> np.ndarray:
    if dtype in ("i8", "?"):
        return np.rint(a.real * 2).astype(dtype)
    return a if dtype == "f8" else a.astype(dtype)


def _differs(one: dict[str, Any], other: dict[str, Any]) -> bool:
    def kinds(values: dict[str, Any]) -> list[Any]:
        return [(a.dtype, a.shape) for v in values.values() for a in arrays(v)]

    return kinds(one) != kinds(other)


# ---------------------------------------------------------------- playing


@contextmanager
def watching(found: list[Observed]) -> Iterator[None]:
    """Note each call that a player makes."""
    plain = interpreter._apply

    def watched(op: Apply, env: Any) -> Any:
        if isinstance(op.fn, Outlined):
            return plain(op, env)
        atoms = (*op.args, *(a for _, a in op.kwargs))
        args = tuple(interpreter._raw(a, env) for a in atoms)
        before = tuple(_kept(a) for a in args)
        result = plain(op, env)
        found.append(Observed(op, args, before, result))
        return result

    interpreter._apply = watched
    try:
        yield
    finally:
        interpreter._apply = plain


def _kept(value: Any) -> Any:
    return copy.deepcopy(value) if arrays(value) else value


def observed(
    fn: Callable[..., Any], values: dict[str, Any], *, swapped: bool = True
) -> list[Observed]:
    """The calls of a function, and those of its gradient, for all variants."""
    found: list[Observed] = []
    for kind in variants(values, swapped):
        facts = {k: fact_of(v, k) for k, v in kind[0].items()}
        tape = _tried(lowered, Request(fn, facts, examples=kind[0]))
        if tape is None:  # it takes no such argument
            continue
        with watching(found):
            results = [
                _tried(interpreter.play, tape, *given.values()) for given in kind
            ]
        program = _tried(gradient_program, tape, None, kind[0])
        if program is None:  # nor is it differentiated there
            continue
        for given, result in zip(kind[:3], results[:3], strict=True):
            seeds = {program.seed: _ones(result)} if program.seed else {}
            with watching(found):
                _tried(interpreter.play_program, program, *given.values(), **seeds)
    return found


def _ones(value: Any) -> Any:
    ones = mapped(value, np.ones_like)
    return ones if arrays(value) else 1.0


def _tried(run: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The result, None where it does not work, which says nothing."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return run(*args, **kwargs)
        except Exception:
            return None
