"""What ten small loops save, beside the least that an expert would; and whole texts."""

import re
from pathlib import Path

import pytest

import yota_ast as ya

from .checking import check
from .loop_programs import CASES, X, rounded

ARGS = {fn.__name__: (fn, args) for fn, args in reversed(CASES)}
ARGS["rounded"] = (rounded, (X, 0.7))
GOLDEN = Path(__file__).parent / "golden"

SAVED = {
    "logistic_map": ["x"],
    "recurrence": [],
    "heat": ["t1"],  # the factor of c: a fresh array, no copy
    "scaled": ["t1"],  # a view of what is overwritten: its copy
    "backwards": ["(t, t1)"],  # the sine, which is not stored
    "rows": [],
    "thomas": [],
    "table": [],
    "solve": ["(i, f)", "(k, p, saved_2)"],
    "root": ["x"],
    "passage": ["x"],
    "march": ["(decay, i)"],
    "linear_steps": [],
    "wraps": ["(t, t1, t2)"],  # s[-1] is read before it is written
    "rounded": ["(t, t1)"],  # the array is float32, and holds another number
    "twice_stored": ["(t, t1, t2)"],
}


def text_of(name, wrt=None):
    fn, args = ARGS[name]
    options = {} if name != "solve" else {"seed": args[1]}
    return ya.grad(fn, *args, wrt=wrt, **options)[1].source


@pytest.mark.parametrize("name", SAVED)
def test_saved(name):
    wrt = {"linear_steps": ["u0"]}.get(name)
    found = re.findall(r"saved\w*\.append\((.*)\)\n", text_of(name, wrt))
    assert found == SAVED[name]


def test_a_linear_stencil_keeps_nothing():
    text = text_of("heat", ["u0"])
    assert "saved" not in text
    assert "copy" not in text.replace("u = u0.copy()", "")
    assert "for _ in range(n):" in text


@pytest.mark.parametrize("name", ["recurrence", "heat", "solve", "table"])
def test_text(name, golden):
    golden(GOLDEN / f"{name}.txt", text_of(name))


def moved(x, steps):
    for step in steps:
        x = x + step
    return x**2


def moved_while(x, steps):
    k = 0
    while k < len(steps):
        x = x - steps[k]
        k += 1
    return x**2


@pytest.mark.parametrize("fn", [moved, moved_while])
@pytest.mark.parametrize("steps", [(1, 2), (0.5,)])
def test_a_loop_of_which_nothing_is_to_be_undone(fn, steps):
    """Its trips are not counted either."""
    source = ya.grad(fn, 0.7, steps, wrt=["x"])[1].source
    reverse = source.partition("# reverse\n")[2]
    assert "trips" not in source
    assert "for " not in reverse
    assert "while " not in reverse
    check(fn, (0.7, steps), wrt=[0])
