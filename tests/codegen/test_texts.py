"""Texts an expert would write: their programs print as exactly these texts."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.codegen.facts_of import FACTS
from tests.codegen.reading import program
from tests.codegen.running import compiled, emitted, played, reformatted
from yota_ast.codegen.printers.function_source import emit

TEXTS = sorted(Path(__file__).with_name("texts").glob("*.txt"))
ROOT = Path(__file__).resolve().parents[2]
A = np.linspace(0.3, 1.9, 12)
STATES = np.sin(np.arange(24.0)).reshape(3, 2, 4)
LAYERS = [np.cos(np.arange(4.0 * 4 * k)).reshape(4, -1) / 3 for k in (2, 2, 2, 2)]


class Dense:
    def __init__(self, W, b):
        self.W, self.b = W, b


class Net:
    first = Dense(A.reshape(3, 4), A[:4])
    last = Dense(A[:8].reshape(4, 2), A[:2])
    scale = 1.5


ARGUMENTS = {
    "distance_grad": [(A.reshape(4, 3), A[:4])],
    "heat_grad": [(A, 0.1, 3), (A, 0.1, 0)],
    "heat_grad_u0": [(A, 0.1, 3)],
    "logistic_map_grad": [(A, 2.5, 4), (A, 2.5, 0)],
    "loss_grad": [(Net(), A.reshape(4, 3), A[:8].reshape(4, 2))],
    "lstm_grad": [(STATES, *LAYERS), (STATES[:0], *LAYERS)],
    "march_grad": [(A - 0.6, 0.9, 0.1), (A - 0.6, 0.9, 50.0), (A[:0], 0.9, 1.0)],
    "mlp_grad": [(A.reshape(4, 3), A.reshape(3, 4), A[:4], A[:8].reshape(4, 2), A[:2], 1.0)],
    "passage_grad": [(0.5, 0.7, 9), (0.5, 0.1, 2), (0.5, 0.1, 0)],
    "predator_prey_grad": [(1.0, 0.5, 1.1, 0.4, 0.01, 6)],
    "price_grad": [(2.0, 3.0, "bulk"), (2.0, 3.0, "member"), (2.0, 3.0, ""), (0.0, 1.0, "")],
    "recurrence_grad": [(A, 0.3, 0.4)],
    "rnn_grad": [(A.reshape(4, 3), np.eye(2), A[:6].reshape(2, 3))],
    "root_grad": [(2.0, 1.0, 1e-9)],
    "scatter_grad": [(A, np.array([0, 1, 1]), 2.0, np.array([0, 0]), A[:2])],
    "solve_grad": [(np.sin(A[:9] * 9).reshape(3, 3), A[:3], np.ones(3))],
}  # fmt: skip


@pytest.fixture(params=TEXTS, ids=lambda path: path.stem)
def text(request):
    return request.param.read_text(encoding="utf-8")


def read(text):
    name = text.removeprefix("def ").partition("(")[0]
    return program(text, FACTS.get(name, {}))


def test_prints_the_text(text):
    assert emitted(read(text)) == text


def test_formatter_changes_nothing(text):
    module = emit(read(text)).module
    assert reformatted(module) == module


def equal(a, b):
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[k], b[k]) for k in a)
    return type(a) is type(b) and np.array_equal(a, b, equal_nan=True)


def test_text_runs_as_its_ops_do(text):
    made = read(text)
    function = compiled(emit(made))
    for args in ARGUMENTS[made.name]:
        expected = played(
            made,
            *args,
            *([] if "seed" not in text or len(args) > len(made.params) - 1 else [1.0]),
        )
        found = function(*args)
        assert len(found) == len(expected)
        assert all(map(equal, found, expected))


PRINTING = """
from pathlib import Path
from tests.codegen.test_texts import TEXTS, emitted, read
from tests.codegen.random_programs import Draw
from random import Random
for path in TEXTS:
    print(emitted(read(path.read_text())))
for seed in range(40):
    print(emitted(Draw(Random(seed)).program()))
"""


def test_same_bytes_under_every_hash_seed():
    printed = {
        subprocess.run(
            [sys.executable, "-c", PRINTING],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
            cwd=ROOT,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(printed) == 1
    assert math.isfinite(len(printed.pop()))
