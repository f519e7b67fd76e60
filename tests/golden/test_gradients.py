"""Texts of gradients: golden, well laid out, and right in a clean interpreter."""

import ast
import functools
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya

from .functions import GENERAL, GOLDEN, Dense, Net

HERE = Path(__file__).parent / "gradients"
RUNNER = """
import pickle, sys
from types import SimpleNamespace


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "yota_ast":
            raise ImportError("the text must not need the compiler")


sys.meta_path.insert(0, Finder())



def built(value):
    if not isinstance(value, SimpleNamespace):
        return value
    fields = dict(vars(value))
    made = type(fields.pop("class_name"), (), {})()
    vars(made).update({k: built(v) for k, v in fields.items()})
    return made


text, entry, args = pickle.load(sys.stdin.buffer)
namespace = {}
exec(compile(text, "text.py", "exec"), namespace)
pickle.dump(namespace[entry](*map(built, args)), sys.stdout.buffer)
"""


@functools.cache
def text_of(case, general=False):
    args = () if general else case.args
    return ya.simplegrad(case.fn, *args, wrt=case.wrt).source


def plain(value):
    """Objects as a clean interpreter can unpickle them."""
    from types import SimpleNamespace

    if isinstance(value, (Dense, Net)):
        fields = {k: plain(v) for k, v in vars(value).items()}
        return SimpleNamespace(class_name=type(value).__name__, **fields)
    return value


def in_a_clean_interpreter(text, entry, args):
    """What the function of a text gives where there is no compiler."""
    given = pickle.dumps((text, entry, [plain(a) for a in args]))
    done = subprocess.run(
        [sys.executable, "-I", "-W", "error", "-c", RUNNER],
        input=given, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return pickle.loads(done.stdout)


def equal(a, b):
    """The same numbers in the same structure."""
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[k], b[k]) for k in a)
    return type(a) is type(b) and np.allclose(a, b, rtol=1e-12, atol=0, equal_nan=True)


@pytest.mark.parametrize("case", GOLDEN, ids=str)
def test_the_text_with_facts(case, golden):
    golden(HERE / f"{case}.txt", text_of(case))


@pytest.mark.parametrize("case", GENERAL, ids=str)
def test_the_text_without_facts(case, golden):
    golden(HERE / f"{case}_general.txt", text_of(case, general=True))


@pytest.mark.parametrize("case", GOLDEN, ids=str)
def test_which_helpers_a_text_with_facts_calls(case):
    tree = ast.parse(text_of(case))
    functions = [n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    functions = [f for f in functions if f != "are_floats"]  # which looks at arguments
    outlined = [f for f in functions if f.startswith("_")]
    assert functions == [f"{case.fn.__name__}_grad", *outlined, *case.helpers]


@pytest.mark.parametrize("general", [False, True], ids=["specific", "general"])
@pytest.mark.parametrize("case", GENERAL, ids=str)
def test_both_texts_run_alone(case, general):
    text = text_of(case, general=general)
    value, g = ya.grad(case.fn, *case.args, wrt=case.wrt)
    got = in_a_clean_interpreter(text, f"{case.fn.__name__}_grad", case.args)
    assert equal(got, (value, *gradients(g)))


@pytest.mark.parametrize("case", GOLDEN, ids=str)
def test_the_text_runs_alone(case):
    value, g = ya.grad(case.fn, *case.args, wrt=case.wrt)
    got = in_a_clean_interpreter(g.source, f"{case.fn.__name__}_grad", case.args)
    assert got[0] == value
    assert equal(list(got[1:]), [d for d in gradients(g) if d is not None])


def gradients(g):
    """The gradients in order, those of arguments outside `wrt` left out."""
    found = []
    for k in range(len(g)):
        try:
            found.append(g[k])
        except KeyError:
            continue
    return found


def test_a_formatter_changes_nothing(tmp_path):
    ruff = pytest.importorskip("ruff.__main__")
    texts = [text_of(c) for c in GOLDEN] + [text_of(c, general=True) for c in GENERAL]
    for k, text in enumerate(texts):
        (tmp_path / f"text_{k}.py").write_text(text)
    command = [ruff.find_ruff_bin(), "format", "--line-length", "88", "--isolated",
               "--diff", tmp_path]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
