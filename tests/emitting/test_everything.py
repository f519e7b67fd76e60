"""Every program of the tests as a file: alone it gives what `grad` gives."""

import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint import loop_programs, programs, recursive_programs
from tests.golden.functions import GENERAL, GOLDEN
from tests.golden.test_gradients import equal as equal_numbers
from tests.tangent.programs import CASES as TANGENT
from yota_ast.files.header import parse
from yota_ast.ir.abstract_values import fact_of

ROOT = Path(__file__).resolve().parents[2]


def cases():
    """Name, function, arguments, wrt, whether without facts."""
    for case in GOLDEN:
        yield f"golden {case}", case.fn, case.args, case.wrt, False
    for case in GENERAL:
        yield f"general {case}", case.fn, case.args, case.wrt, True
    for case in programs.CASES:
        yield f"program {case}", case.fn, case.args, case.options.get("wrt"), False
    for fn, args in loop_programs.CASES:
        yield f"loop {fn.__name__}", fn, args, None, False
    for fn, args in (*recursive_programs.PROGRAMS, *recursive_programs.OBJECTS):
        yield f"recursive {fn.__name__}", fn, args, None, False
    for name, (fn, *args) in TANGENT.items():
        yield f"tangent {name}", fn, tuple(args), None, False


def expected(fn, args, wrt):
    """What grad gives, flat, and the seed it was given."""
    value = fn(*pickle.loads(pickle.dumps(args)))
    options = {} if is_number(value) else {"seed": ones_like(value)}
    val, g = ya.grad(fn, *pickle.loads(pickle.dumps(args)), wrt=wrt, **options)
    if wrt is None:
        bound = inspect.signature(fn).bind(*args)
        bound.apply_defaults()
        wrt = [n for n, a in bound.arguments.items() if fact_of(a).holds_floats]
    return (val, *(g[n] for n in wrt)), options


def equal(a, b):
    """The same numbers in the same structure; None where there is no gradient."""
    if isinstance(a, (list, tuple)):
        return (
            isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(equal, a, b))
        )
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[k], b[k]) for k in a)
    return a is b if a is None or b is None else equal_numbers(a, b)


def is_number(value):
    return not isinstance(value, (tuple, list, dict)) and np.shape(value) == ()


def ones_like(value):
    """A seed built like a value."""
    if isinstance(value, dict):
        return {k: ones_like(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(map(ones_like, value))
    return np.ones(np.shape(value))[()] if np.shape(value) else 1.0


def written(directory):
    """Every case as a file; what is expected of it."""
    jobs, wanted, texts = [], [], []
    for k, (name, fn, args, wrt, general) in enumerate(cases()):
        want, options = expected(fn, args, wrt)
        df = ya.simplegrad(fn, *(() if general else args), wrt=wrt)
        path = df.save(directory / f"case_{k}.py")
        text = path.read_text(encoding="utf-8")
        jobs.append((str(path), df.__name__, pickle.dumps((args, {})), options))
        wanted.append((name, want))
        texts.append((name, text))
    return jobs, wanted, texts


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    directory = tmp_path_factory.mktemp("everything")
    return directory, *written(directory)


def alone(path, jobs):
    """What the jobs give in an interpreter of their own."""
    done = subprocess.run(
        [sys.executable, "-I", str(Path(__file__).with_name("alone.py"))],
        input=pickle.dumps(([str(path)], jobs)), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return pickle.loads(done.stdout)


def test_alone_they_give_what_grad_gives(everything):
    _, jobs, wanted, _ = everything
    found = alone(ROOT, jobs)
    wrong = [
        (name, got if status == "failed" else "other numbers")
        for (name, want), (status, got) in zip(wanted, found)
        if status == "failed" or not equal(got, want)
    ]
    assert wrong == []
    assert len(found) > 150


def test_a_formatter_and_a_linter_change_nothing(everything):
    directory, *_ = everything
    ruff = pytest.importorskip("ruff.__main__").find_ruff_bin()
    for command in (
        ["format", "--isolated", "--diff"],
        [
            "check",
            "--isolated",
            "--select",
            "E4,E7,E9,F,I,W",
            "--ignore",
            "E741",
        ],  # l is a name of the user's
    ):
        done = subprocess.run(
            [ruff, *command, str(directory)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[:3000]


def test_headers_and_imports(everything):
    *_, texts = everything
    for name, text in texts:
        head = text.partition('"""')[0].splitlines()
        long = [line for line in head if len(line) > 88]
        assert all(max(map(len, line.split())) > 55 for line in long), long
        assert parse(text).intact
        assert parse(text).header.targets[0].startswith("tests.")
        lines = [s.strip() for s in text.splitlines()]
        imports = {s.split()[1].partition(".")[0] for s in lines
                   if s.startswith(("import ", "from "))}  # fmt: skip
        assert imports <= {"numpy", "math", "__future__", "typing", "tests",
                           "collections", "scipy"}, name  # fmt: skip
