"""The work of compiling a function grows as its lines do."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np

import yota_ast as ya

PACKAGE = str(Path(ya.__file__).parent)
HELPERS = "".join(
    f"def h{k}(a, b):\n    c = a * b + {k}.5\n    return np.tanh(c) * a\n"
    for k in range(3)
)


def made(lines):
    """A function of so many lines, which reads each of seven items again and again."""
    body = "".join(
        f"    y = h{i % 3}(y, x[{i % 7}]) + {i}.0 * np.sin(y)\n" for i in range(lines)
    )
    text = f"{HELPERS}def f(x):\n    y = x[0]\n{body}    return y\n"
    return ya.from_source(text, {"np": np})["f"]


def calls(lines):
    """How often functions of each module are called to compile it."""
    f, found, before = made(lines), Counter(), sys.getprofile()

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            found[frame.f_code.co_filename] += 1

    sys.setprofile(note)
    try:
        ya.simplegrad(f, np.ones(7))
    finally:
        sys.setprofile(before)
    return found


def test_few_calls_are_more_than_grow_with_the_lines():
    calls(5)  # what is done once
    few, many = calls(40), calls(160)
    beyond = {Path(name).name: many[name] - 4.5 * few[name] for name in many}
    most = 0.02 * many.total()  # variables of one name ask each other
    assert not {name: n for name, n in beyond.items() if n > most}
