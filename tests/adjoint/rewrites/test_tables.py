"""Every rewrite of the tables: it is done, and its two sides are the same numbers.

Operands are drawn for the names of the pattern: numbers and arrays of each rank, type
and length. The cotangent has the shape of what the helper is the adjoint of, `PRIMAL`.
Where the conditions hold the block is run with the rewrite off, on, and with all on.
"""

import ast
import random
import warnings

import numpy as np
import pytest

from yota_ast.adjoint.reverse.rule_statements import Template, names_read
from yota_ast.adjoint.rewrites.helper_values import with_helpers
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter
from yota_ast.adjoint.rewrites.rewrite_patterns import (
    NAMES,
    PatternRewrite,
)
from yota_ast.adjoint.rewrites.tidy import LAST_TABLES, TABLES, all_rules
from yota_ast.ir.abstract_values import fact_of
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.builder import Builder, Names
from yota_ast.ir.facts.joined_facts import list_of
from yota_ast.ir.functions import Parameter
from yota_ast.ir.helper_defaults import defaults
from yota_ast.ir.interpreter import play
from yota_ast.ir.nodes import Block
from yota_ast.ir.tape import Tape
from yota_ast.nesting.call_inference import infer

PATTERNS = [
    entry
    for table in (*TABLES, *LAST_TABLES)
    for entry in table
    if isinstance(entry, PatternRewrite)
]
PRIMAL = {
    "unmatmul_left": "y = u @ v",
    "unmatmul_right": "y = u @ v",
    "undot_left": "y = np.dot(u, v)",
    "undot_right": "y = np.dot(u, v)",
    "uninner_left": "y = np.inner(u, v)",
    "uninner_right": "y = np.inner(u, v)",
    "untensordot_left": "y = np.tensordot(u, v, 1)",
    "untensordot_right": "y = np.tensordot(u, v, 1)",
    "unsolve": "y = np.linalg.solve(a, b)",
    "undiag": "y = np.diag(x, k)",
    "undiagonal": "y = np.diagonal(x)",
    "uneigh": "w, v = np.linalg.eigh(x)",
    "unsvd": "u, s, v = np.linalg.svd(x, full_matrices=False)",
    "untile": "y = np.tile(x, n)",
    "unrepeat": "y = np.repeat(x, n, axis)",
    "unpad": "y = np.pad(x, n)",
    "unvstack": "y = np.vstack(arrays)",
    "unhstack": "y = np.hstack(arrays)",
    "unstack": "y = np.stack(arrays)",
    "uncolumn_stack": "y = np.column_stack(arrays)",
    "untrace": "y = np.trace(x)",
    "unconvolve_left": "y = np.convolve(u, v, mode)",
    "unconvolve_right": "y = np.convolve(u, v, mode)",
    "unpolyval": "y = np.polyval(p, x)",
    "unnorm": "y = np.linalg.norm(x, order, axis, keepdims=keepdims)",
    "unmax": "y = np.max(x, axis, keepdims=keepdims)",
    "ties": "y = np.max(x, axis, keepdims=keepdims)",
    "unsum": "y = np.sum(x, axis, keepdims=keepdims)",
    "untranspose": "y = np.transpose(x, axes)",
    "uncov": "y = np.cov(x, None, rowvar, bias, ddof)",
    "uncumsum": "y = np.cumsum(x, axis)",
    "expand": "y = x + 0",
    "along_curve": "slope = x + 1",
    "along_solve": "y = np.linalg.solve(a, b)",
    "ungetitem": "y = x[index]",
    "quotient_or_zero": "y = 1 + x * x",
    "real_like": "y = x + 0",
    "unbroadcast(expand": "y = x + z",
    "unfft": "y = np.fft.fft(x, None, axis, norm)",
    "unifft": "y = np.fft.ifft(x, None, axis, norm)",
    "unfftn": "y = np.fft.fftn(x, taken, axes, norm)",
    "unifftn": "y = np.fft.ifftn(x, taken, axes, norm)",
}
"""What a helper, or what begins so, is the adjoint of, by the names of its pattern."""
OF_COMPLEX = {"np.full(x.shape, d)": "y = x + 0j"}
"""The same by what it becomes, where a cotangent is complex beside a real operand."""
ALL = slice(None)
TURN = slice(None, None, -1)
SETTINGS = {
    "axis": [None, 0, 1, -1, (0,), (0, 1), (1, 2)],
    "keepdims": [False, True],
    "rowvar": [False, True],
    "bias": [False, True],
    "ddof": [None, 0, 1],
    "axes": [None, (0, 1), (1, 0), (0,), (1, 2, 0), 0, 1],
    "order": [None, 2],
    "uplo": ["L", "U"],
    "mode": ["full", "valid"],
    "norm": [None, "backward", "ortho", "forward"],
    "taken": [None],
    "shape": [(-1,), (3,), (3, 3)],
    "index": [
        None,
        ALL,
        0,
        (ALL, None),
        (None, ALL),
        (ALL, ALL, None),
        (ALL, 0),
        TURN,
        (ALL, TURN),
    ],
    "n": [0, 1, 2],
    "k": [0, 1, -1],
    "m": [0, 1],
}
TRUTHS = {"p", "q"}
"""The names that stand for truth values where a pattern has both."""
TYPES = [np.float64, np.float64, np.float32, np.int64, np.complex128]
UNFIT = (ValueError, TypeError, IndexError, ZeroDivisionError, np.linalg.LinAlgError)
DRAWS, ENOUGH = 2000, 12


def parsed(text):
    """The tree of an expression."""
    return ast.parse(text, mode="eval").body


def primal_of(entry):
    """What the expression of a pattern is the adjoint of."""
    if entry.after in OF_COMPLEX:
        return OF_COMPLEX[entry.after]
    text = entry.before
    begins = (start for start in PRIMAL if "(" in start and text.startswith(start))
    return PRIMAL.get(next(begins, text.partition("(")[0]), "_ = 0")


def operand(rng, size, kind):
    """A number or an array of a type, its axes all of one length."""
    shape = (size,) * rng.randrange(4)
    values = np.random.default_rng(rng.randrange(2**32)).normal(size=shape) * 3
    if kind is np.complex128:
        values = values + 1j * np.flip(values)
    made = np.asarray(values).astype(kind)
    return rng.choice([made] if made.ndim else [made, made[()], made.item()])


def like(value, rng):
    """Random floats of the shape and type of a value; a number for a number."""
    noise = np.random.default_rng(rng.randrange(2**32)).normal(size=np.shape(value))
    made = np.asarray(noise).astype(np.result_type(value, np.float32))
    return made if isinstance(value, np.ndarray) else made[()]


class Example:
    """The ops of a pattern on operands that are drawn for its names."""

    def __init__(self, entry, rng):
        self.rng, self.values, self.params, self.bound = rng, {}, [], {}
        self.names = Names()
        self.forward = Builder(with_helpers(infer), self.names)
        self.size, self.kind = rng.choice([3, 3, 3, 1, 0]), rng.choice(TYPES)
        primal = primal_of(entry)
        target, _, value = primal.partition(" = ")
        self.places = entry.pattern.places
        wanted = names_read(parsed(value)) - {"np"} | self.places - {"d", "y"}
        settings = defaults(entry.head)
        for name in sorted(wanted - set(target.split(", "))):
            if name in SETTINGS and name not in self.places:
                self.bound[name] = Const(settings.get(name, 1))
            else:
                self.bound[name] = self.drawn(name)
        if primal != "_ = 0":
            self.differentiate(target.split(", "), value)
        for name in sorted(self.places - self.bound.keys()):
            self.bound[name] = self.drawn(name)
        self.reverse = self.forward.nested()
        self.out = self.built(entry.before, self.reverse)

    def built(self, text, builder):
        """The value of an expression, its ops in a builder."""
        return Template(self.bound, NAMES.__getitem__, builder).atom(parsed(text))

    def drawn(self, name):
        """The operand that a name stands for."""
        if name in SETTINGS:
            return Const(self.rng.choice(SETTINGS[name]))
        made = operand(self.rng, self.size, self.kind)
        if name in TRUTHS <= self.places:
            made = np.asarray(made).real > 0
        return self.sequence(made) if name == "arrays" else self.given(name, made)

    def sequence(self, first):
        """Two arrays in a tuple, or in a list of unknown length."""
        values = [first, like(first, self.rng)]
        if self.rng.random() < 0.5:
            known = list_of(fact_of(first))
            return Var(self.given("arrays", values).name, known, "arrays")
        self.bound["p"], self.bound["q"] = (self.given("p", v) for v in values)
        return self.built("(p, q)", self.forward)

    def given(self, name, value):
        """A parameter that has a value."""
        var = Var(f"{name}_{len(self.params)}", fact_of(value), name)
        self.values[var.name] = value
        self.params.append(var)
        return var

    def differentiate(self, targets, value):
        """Add what the helper is the adjoint of, and draw its cotangent."""
        self.bound[targets[0]] = end = self.built(value, self.forward)
        if len(targets) > 1:
            self.bound["whole"] = end
            for k, name in enumerate(targets):
                self.bound[name] = self.built(f"whole[{k}]", self.forward)
            end = self.bound["s" if "s" in targets else "w"]
        if "d" in self.places:
            self.bound["d"] = self.given("d", like(self.run([], end), self.rng))

    def run(self, ops, end):
        """What ops compute after those of the forward sweep."""
        block = Block((*self.forward.ops, *ops))
        tape = Tape("f", tuple(map(Parameter, self.params)), block, end)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the mean of nothing
            return play(tape, *self.values.values())

    def rewritten(self, rules):
        """The value of the ops once they are rewritten."""
        r = Rewriter(rules, with_helpers(infer), self.names)
        at_hand = r.register(Block(tuple(self.forward.ops)))
        made = r.block(self.reverse.block(), at_hand)
        return self.run(made, r.atom(self.out))


def agree(one, other):
    """Whether two values are the same numbers of the same shape."""
    if isinstance(other, list):
        return all(agree(*pair) for pair in zip(one, other, strict=True))
    types = str(np.result_type(one)) + str(np.result_type(other))
    tolerance = 1e-3 if "32" in types or "complex64" in types else 1e-8
    return np.shape(one) == np.shape(other) and np.allclose(
        one, other, rtol=tolerance, atol=tolerance, equal_nan=True
    )


@pytest.mark.parametrize("entry", PATTERNS, ids=lambda e: f"{e.before} -> {e.after}")
def test_the_two_sides_of_a_rewrite_agree(entry):
    rng, done = random.Random(entry.before + entry.after), 0

    def counted(r, op):
        nonlocal done
        value = entry(r, op)
        done += value is not None
        return value

    for _ in range(DRAWS):
        try:
            example = Example(entry, rng)
            wanted = example.run(example.reverse.ops, example.out)
        except UNFIT:
            continue  # these operands do not fit one another
        before = done
        found = example.rewritten({entry.head: (counted,)})
        if done == before:
            continue
        assert agree(found, wanted), (example.values, example.bound, found, wanted)
        every = example.rewritten(all_rules())
        assert agree(every, wanted), (example.values, example.bound, every, wanted)
        if done >= ENOUGH:
            break
    assert done
