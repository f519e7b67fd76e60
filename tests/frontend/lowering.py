"""Stand-ins for the rule book; the check that a tape does what its function does."""

import inspect
import math
import operator
from collections.abc import Callable, Sequence

import numpy as np

from yota_ast.frontend.interpret.lower import lower
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import FLOAT, INT, UNKNOWN, Fact, fact_of
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.interpreter import play
from yota_ast.ir.tape import Tape
from yota_ast.ir.verify import verify

_BUILTINS = {abs, float, int, bool, round, max, min, sum, len, pow, str, format, repr}
_MODULES = ("numpy", "math", "_operator", "scipy")


def is_primitive(fn: object) -> bool:
    """NumPy, math, the operators and some builtins."""
    if isinstance(fn, np.ufunc | np.vectorize) or any(fn is b for b in _BUILTINS):
        return True
    if isinstance(fn, type):
        return issubclass(fn, np.generic | np.ndarray)
    module = getattr(fn, "__module__", "") or ""
    return module.partition(".")[0] in _MODULES


def infer(
    fn: Callable[..., object],
    args: Sequence[Atom],
    kwargs: Sequence[tuple[str, Atom]],
) -> Fact:
    """The fact of the result for values that are like the arguments."""
    numeric = isinstance(fn, np.ufunc) or getattr(fn, "__module__", "") == "_operator"
    if numeric and any(isinstance(a, Var) and a.fact.kind == "real" for a in args):
        if fn is not operator.getitem:
            return Fact("real")
    try:
        values = [_sample(a) for a in args]
        named = {k: _sample(a) for k, a in kwargs}
        with np.errstate(all="ignore"):
            fact = fact_of(fn(*values, **named))
    except Exception:
        return UNKNOWN
    if fact.kind == "array":
        return Fact("array", fact.dtype, (None,) * (fact.rank or 0))
    return fact


def _sample(atom: Atom) -> object:
    if isinstance(atom, Const):
        return atom.value
    fact = atom.fact
    if fact == FLOAT:
        return 0.5
    if fact == INT:
        return 1
    if fact.kind == "bool":
        return True
    if fact.kind == "array" and fact.rank is not None:
        return np.ones((2,) * fact.rank, fact.dtype or float)
    if fact.kind == "scalar" and fact.dtype is not None:
        return fact.dtype.type(0.5)
    raise LookupError


def tape_of(fn: Callable[..., object], *args: object, known: bool = True) -> Tape:
    """The tape of a function, from example arguments or (not known) from nothing."""
    facts, examples = {}, {}
    if known:
        bound = inspect.signature(fn).bind(*args)
        bound.apply_defaults()
        examples = dict(bound.arguments)
        facts = {name: fact_of(value, name) for name, value in examples.items()}
    tape = lower(fn, facts, Settings(is_primitive, infer), examples=examples)
    verify(tape)
    return tape


def same(a: object, b: object) -> bool:
    """Whether two values are the same, bit for bit and of one type."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray | np.generic):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, float):
        return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (
            a != a and b != b
        )
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return a == b


def outcome(fn: Callable[..., object], *args: object) -> object:
    """What a call gives or raises."""
    try:
        return fn(*args)
    except Exception as error:
        # pytest adds lines to the message of an assert.
        return type(error), str(error).partition("\n")[0]


def copied(value: object) -> object:
    """A copy of an argument's arrays and containers."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) in (list, tuple):
        return type(value)(copied(v) for v in value)
    if type(value) is dict:
        return {k: copied(v) for k, v in value.items()}
    return value


def check(fn: Callable[..., object], *cases: tuple[object, ...], known=(True, False)):
    """The tape of `fn` gives what `fn` gives, with facts and without, in every case."""
    tape = None
    for case in cases:
        for facts in known:
            tape = tape_of(fn, *map(copied, case), known=facts)
            for other in cases:
                if facts and other is not case:
                    continue
                expected = outcome(fn, *map(copied, other))
                found = outcome(lambda *a: play(tape, *a), *map(copied, other))
                assert same(found, expected), (found, expected, str(tape))
    return tape


__all__ = ["check", "operator", "same", "tape_of"]
