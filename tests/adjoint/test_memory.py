"""What the gradients of twelve loops keep: these values, so many bytes, no more."""

import re
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya
from benchmarks.keeping import kept, saved_names
from benchmarks.loops import arguments
from yota_ast.syntax.saved_names import before_write

LOOPS = arguments()
FLOAT = 8
KEPT = {
    "linear stencil": ([], 0),
    "stencil": (["t1"], 500 * 98 * FLOAT),  # the factor of c
    "Burgers": ([before_write("u")], 500 * 100 * FLOAT),  # all of it is read
    "recurrence": ([], 0),  # the filled array is at hand
    "logistic map": (["x"], 100 * 100 * FLOAT),
    "recurrent network": ([], 0),
    # h, c and the gates of a step; the first h and c are one array
    "LSTM": (["(h_in, c_in, t, f, t1, h)"], (50 * 4 + 1) * 4 * 8 * FLOAT),
    "Newton": (["x"], 14 * FLOAT),
    "orbit": (["(x, y)"], (2 * 1000 + 1) * FLOAT),
    "elimination": (["(i, f)", "(k, p, saved_2)"], 191 * FLOAT),
    "Thomas": ([], 0),
    "Cholesky": ([], 0),
}


@pytest.mark.parametrize("name", KEPT)
def test_loop_keeps_no_more(name):
    fn, args, wrt = LOOPS[name]
    gradient = ya.simplegrad(fn, *args, wrt=wrt)
    names, size = KEPT[name]
    assert saved_names(gradient.source) == names
    assert kept(gradient, fn, args) == size


@pytest.mark.parametrize("name", KEPT)
def test_gradient_of_the_loop_is_right(name):
    fn, args, wrt = LOOPS[name]
    value, g = ya.grad(fn, *args, wrt=wrt)
    assert value == fn(*args)
    rng = np.random.default_rng(1)
    names = fn.__code__.co_varnames
    for place, x in enumerate(args):
        if isinstance(x, int) or (wrt is not None and names[place] not in wrt):
            continue
        v = rng.normal(size=np.shape(x))
        ends = []
        for h in (2e-5, -2e-5):
            moved = list(args)
            moved[place] = x + h * v
            ends.append(fn(*moved))
        slope = (ends[0] - ends[1]) / 4e-5
        np.testing.assert_allclose(np.sum(g[place] * v), slope, rtol=5e-4, atol=1e-9)


def test_documented_table_is_that_of_the_tests():
    text = (Path(__file__).parents[2] / "docs" / "memory.md").read_text("utf-8")
    text = text.split("## Peak memory")[0]
    rows = re.findall(r"^\| ([\w ]+) \|.*\| ([\d,]+) \| [\d,]+ \|$", text, re.MULTILINE)
    found = {name.strip(): int(size.replace(",", "")) for name, size in rows}
    assert found == {name: size for name, (_, size) in KEPT.items()}
