"""What each rewrite of the reverse sweep prints, and where it leaves things alone.

One golden file a chapter: the expression, the shapes, the lines of the reverse sweep.
Small loops likewise: what an iteration saves, and what adds up in place.
"""

from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya
from tests.operations import INDEX, op, positive
from tests.operations import real as R

from . import loops

HERE = Path(__file__).parent
CHAPTERS = {
    "algebra": [
        ("np.sum(x * 1.0)", {"x": R(3)}),
        ("np.sum(x + 0)", {"x": R(3)}),
        ("np.sum(-(-x))", {"x": R(3)}),
        ("np.sum(x - w)", {"x": R(3), "w": R(3)}),
        ("np.sum(2 * (3 * x))", {"x": R(3)}),
        ("np.sum(a * x / 4)", {"a": R, "x": R(3)}),
        ("np.sum(x / w)", {"x": R(3), "w": R(3)}),  # not by a scalar
        ("np.sum(x ** 2)", {"x": R(3)}),
        ("np.sum(x ** 3)", {"x": R(3)}),
        ("np.sum(x ** n)", {"x": positive(3), "n": 2}),  # no literal
        ("np.sum(x + x)", {"x": R(3)}),
    ],
    "broadcasting": [
        ("np.sum(x * b)", {"x": R(2, 3), "b": R(3)}),
        ("np.sum(x * b)", {"x": R(2, 3), "b": R(2, 1)}),
        ("np.sum(x * b)", {"x": R(2, 3), "b": R(1, 1)}),
        ("np.sum(x * a)", {"x": R(2, 3), "a": R}),
        ("np.sum(x * w)", {"x": R(2, 3), "w": R(2, 3)}),
        ("np.sum(x + b)", {"x": R(2, 3), "b": R(3)}),
        ("np.sum(x + b)", {"x": R(2, 3), "b": R(2, 1)}),
        ("np.sum(np.sum(x + b, axis=1) * w)", {"x": R(2, 3), "b": R(3), "w": R(2)}),
        ("np.mean(x)", {"x": R(2, 3)}),
        ("np.mean(x, axis=0) @ w", {"x": R(2, 3), "w": R(3)}),
        ("np.sum(np.sum(x, axis=1) * w)", {"x": R(2, 3), "w": R(2)}),
        ("np.sum(np.sum(x, axis=0) * w)", {"x": R(2, 3), "w": R(3)}),
        ("np.sum(np.sum(x, axis=k) * w)", {"x": R(2, 3), "w": R(3), "k": 0}),
        ("np.sum(np.sum(x, axis=1, keepdims=True) * x)", {"x": R(2, 3)}),
        ("np.var(x, ddof=1)", {"x": R(5)}),
    ],
    "products": [
        ("np.sum(x @ w)", {"x": R(2, 3), "w": R(3, 2)}),
        ("np.sum(x @ w)", {"x": R(2, 3), "w": R(3)}),
        ("np.sum(x @ w)", {"x": R(3), "w": R(3, 2)}),
        ("x @ w", {"x": R(3), "w": R(3)}),
        ("np.sum(x @ w)", {"x": R(4, 2, 3), "w": R(3, 2)}),
        ("np.sum(x @ w)", {"x": R(4, 2, 3), "w": R(1, 3, 2)}),
        ("np.sum(x @ w)", {"x": R(3), "w": R(4, 3, 2)}),  # the helper stays
        ("np.dot(x, w)", {"x": R(3), "w": R(3)}),
        ("np.sum(np.dot(x, a))", {"x": R(3), "a": R}),
        ("np.sum(np.dot(x, w))", {"x": R(2, 4, 3), "w": R(3)}),  # likewise
        ("np.sum(np.inner(x, w))", {"x": R(2, 3), "w": R(4, 3)}),
    ],
    "words": [
        ("np.max(x)", {"x": R(3)}),
        ("np.sum(np.max(x, axis=1) * w)", {"x": R(2, 3), "w": R(2)}),
        ("np.nanmax(x)", {"x": R(3)}),  # no nan where x is
        ("np.linalg.norm(x)", {"x": R(3)}),
        ("np.linalg.norm(x, 1)", {"x": R(3)}),  # another norm
        ("np.sum(np.concatenate((x, w)) ** 2)", {"x": R(3), "w": R(2)}),
        ("np.sum(np.concatenate((x, w), axis=1))", {"x": R(2, 3), "w": R(2, 1)}),
        ("np.sum(np.concatenate(x))", {"x": (R(3), R(2))}),  # of the user's making
        ("np.sum(np.stack([x, w]) ** 2)", {"x": R(3), "w": R(3)}),
        ("np.sum(np.vstack((x, w)) ** 2)", {"x": R(3), "w": R(3)}),
        ("np.sum(np.hstack((x, w)) ** 2)", {"x": R(3), "w": R(2)}),
        ("np.sum(np.tile(x, 2) ** 2)", {"x": R(3)}),
        ("np.sum(np.tile(x, (2, 1)) ** 2)", {"x": R(3)}),  # not end to end
        ("np.sum(np.repeat(x, 2) ** 2)", {"x": R(3)}),
        ("np.sum(np.repeat(x, 2, axis=1) ** 2)", {"x": R(2, 3)}),  # of a matrix
        ("np.sum(np.pad(x, 1) ** 2)", {"x": R(2, 3)}),
        ("np.sum(np.diag(x) ** 2)", {"x": R(3)}),
        ("np.trace(x)", {"x": R(3, 3)}),
        ("np.sum(np.tensordot(x, w, 1) ** 2)", {"x": R(2, 3), "w": R(3)}),
        ("np.sum(np.cumsum(x) * w)", {"x": R(3), "w": R(3)}),
        ("np.sum(np.cumsum(x) * w)", {"x": R(2, 3), "w": R(6)}),  # of all
        ("np.sum(np.transpose(x, (1, 2, 0)) * w)", {"x": R(2, 3, 4), "w": R(3, 4, 2)}),
        ("np.sum(np.array(x) * w)", {"x": R(3), "w": R(3)}),
        ("np.sum(x[:, None] * w)", {"x": R(2), "w": R(2, 3)}),
        ("np.sum(x[1:] * w)", {"x": R(3), "w": R(2)}),
        ("np.sum(x[i] * w)", {"x": R(4), "w": R(3), "i": INDEX}),
    ],
}
A = np.array([0.9, 0.5, 0.7])
LOOPS = {
    loops.nothing: (1.5, 3),
    loops.entering: (0.9, 3),
    loops.result: (A, 2),
    loops.index: (A, A),
    loops.both: (A, A),
    loops.costly: (A, np.outer(A, A), 2),
    loops.inner: (1.2, 3),
    loops.counted: (2.0, 0.1),
    loops.overwritten: (A, 2),
    loops.branch: (1.1, 3),
}
IN_PLACE = {
    loops.adds_up: (A, A, 2),
    loops.shared: (A, A, 2),
    loops.passed_on: (A, A),
    loops.read_later: (A, A),
    loops.through_an_index: (A, 1),
    loops.of_the_seed: (A,),
}


def reverse_of(text, entry):
    """The lines of the reverse sweep, without comments and helpers."""
    body = text.split(f"def {entry}(")[1].split("\ndef ")[0]
    _, _, after = body.rpartition("# reverse\n")
    lines = [line[4:] for line in after.splitlines() if line.strip()]
    start = 0
    if "# reverse\n" not in body:
        start = next(k for k, line in enumerate(lines) if line.startswith("val ="))
    kept = [line for line in lines[start:] if not line.strip().startswith("#")]
    return "\n".join(f"    {line}" for line in kept)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_rewrites(chapter, golden):
    parts = []
    for text, specs in CHAPTERS[chapter]:
        case = op(text, **specs)
        values = case.sample()
        source = ya.simplegrad(case.fn, *values.values()).source
        shapes = ", ".join(f"{k} {np.shape(v)}" for k, v in specs_of(values))
        parts.append(f"{text}    {shapes}\n{reverse_of(source, 'op_grad')}\n")
    golden(HERE / f"tidied_{chapter}.txt", "\n".join(parts))


def specs_of(values):
    return [(k, v) for k, v in values.items() if not isinstance(v, (list, tuple))]


def whole(fns):
    parts = []
    for fn, args in fns.items():
        text = ya.simplegrad(fn, *args).source
        body = text.split('"""\n', 1)[1].split("\ndef ")[0].rstrip()
        parts.append(f"{fn.__name__}\n{body}\n")
    return "\n".join(parts)


def test_what_loops_save(golden):
    golden(HERE / "loops_save.txt", whole(LOOPS))


def test_what_adds_up_in_place(golden):
    golden(HERE / "adds_up_in_place.txt", whole(IN_PLACE))
