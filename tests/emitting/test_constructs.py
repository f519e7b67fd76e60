"""Every construct of Python in the table, as a module and the file of its gradient."""

import copy
import importlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import tests.constructs.test_constructs  # noqa: F401  the sections fill the table
import yota_ast as ya
from tests.adjoint.checking import seed_for
from tests.constructs.running import arguments, refusal
from tests.constructs.table import TABLE, functions

from .test_everything import alone, equal


def forms():
    for construct in TABLE:
        for one in construct.forms:
            plain = next(functions(one))
            if plain.context == "plain" and refusal(one, plain, general=False) is None:
                yield construct.name, plain


@pytest.fixture(scope="module")
def constructs(tmp_path_factory):
    """The directory, what is to be run there, and what is to come of it."""
    directory = tmp_path_factory.mktemp("constructs")
    sys.path.insert(0, str(directory))
    jobs, wanted, names = [], [], []
    for k, (name, function) in enumerate(forms()):
        module_name = f"construct_{k}"
        (directory / f"{module_name}.py").write_text(function.text, encoding="utf-8")
        module = importlib.import_module(module_name)
        args = arguments(module, function.args[0])
        names.append(module_name)
        seed = seed_for(module.f(*copy.deepcopy(args)), np.random.default_rng(0))
        df = ya.simplegrad(module.f, *copy.deepcopy(args))
        try:
            packed = pickle.dumps((args, {}))
        except (pickle.PicklingError, AttributeError, TypeError):
            continue  # an argument that no process can give another
        path = df.save(directory / f"gradient_{k}.py")
        jobs.append((str(path), df.__name__, packed, {"seed": seed}))
        wanted.append((name, df(*copy.deepcopy(args), seed=seed)))
    yield directory, jobs, wanted
    sys.path.remove(str(directory))
    for name in names:
        del sys.modules[name]


def test_alone_they_give_what_simplegrad_gives(constructs):
    directory, jobs, wanted = constructs
    wrong = [
        (name, job[0], got if status == "failed" else (got, want))
        for job, (name, want), (status, got) in zip(
            jobs, wanted, alone(directory, jobs)
        )
        if status == "failed" or not equal(got, want)
    ]
    assert wrong == []
    assert len(jobs) > 100


def test_they_are_formatted(constructs):
    directory, *_ = constructs
    ruff = pytest.importorskip("ruff.__main__").find_ruff_bin()
    command = [ruff, "format", "--isolated", "--diff", *directory.glob("gradient_*.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[:3000]
