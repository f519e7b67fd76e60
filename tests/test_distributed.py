"""The examples of many machines end with the bits of one process, whatever dies."""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from yota_ast.files.header import parse

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "examples" / "distributed"
STEPS = "12"
LONGEST = 240
"""Seconds after which a run counts as hung."""
WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "yota_ast":
            raise ImportError(name)
sys.meta_path.insert(0, Missing())
"""


def run(*words, before=(), code=0):
    """What a script prints."""
    done = subprocess.run(
        [*before, sys.executable, *words], cwd=FOLDER, timeout=LONGEST, check=False,
        capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": "", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return done.stdout


def bits(printed):
    """The hash of the parameters that a run ends with."""
    return re.findall(r"bits (\w+)", printed)


@pytest.fixture(scope="module")
def serial():
    return bits(run("training.py", "--steps", STEPS))


def needs(*modules):
    """Skip where a library is missing, and say what is not proved then."""
    for name in modules:
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"without {name} its example is not run")


def test_dask_ends_with_the_bits_of_one_process(serial):
    needs("distributed")
    assert bits(run("on_dask.py", "--steps", STEPS)) == serial


def test_dask_loses_nothing_when_a_worker_is_killed(serial):
    needs("distributed")
    printed = run("on_dask.py", "--steps", STEPS, "--kill", "5")
    assert "killed a worker" in printed
    assert bits(printed) == serial


def test_joblib_ends_with_the_bits_of_one_process(serial):
    needs("joblib")
    assert bits(run("on_joblib.py", "--steps", STEPS)) == serial


def test_ray_ends_with_the_bits_of_one_process(serial):
    needs("ray")
    assert bits(run("on_ray.py", "--steps", STEPS)) == serial


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_mpi_ends_with_the_bits_of_one_process(serial, ranks):
    needs("mpi4py")
    beside = Path(sys.executable).with_name("mpiexec")
    start = str(beside) if beside.exists() else shutil.which("mpiexec")
    if start is None:
        pytest.skip("without mpiexec the example of MPI is not run")
    printed = run("on_mpi.py", "--steps", STEPS, before=[start, "-n", str(ranks)])
    assert bits(printed) == serial


def test_a_killed_training_goes_on_from_its_last_parameters(serial, tmp_path):
    saved = ["--steps", STEPS, "--saved", str(tmp_path / "run.npz")]
    assert run("training.py", *saved, "--die", "7", code=-9) == ""
    assert bits(run("training.py", *saved)) == serial


def test_a_shard_of_other_data_gives_other_bits(serial):
    changed = "import spiral, training as t; spiral.SIZES = (399, *spiral.SIZES[1:]);"
    changed += "shards = [spiral.points(k) for k in range(6)];"
    changed += "t.train(lambda p, _: [t.part_of(p, s) for s in shards], 12)"
    assert bits(run("-c", changed)) != serial


def test_the_training_needs_no_compiler(serial):
    text = f"{WITHOUT}import runpy; sys.argv[1:] = ['--steps', '{STEPS}']\n"
    text += "runpy.run_path('training.py', run_name='__main__')"
    assert bits(run("-c", text)) == serial


def test_the_mean_is_weighted_by_the_sizes_of_the_shards():
    found = run(
        "-c",
        "import numpy as np, training as t, spiral\n"
        "params = spiral.first_parameters()\n"
        "shards = [spiral.points(k) for k in range(6)]\n"
        "parts = [t.part_of(params, s) for s in shards]\n"
        "x = np.concatenate([s[0] for s in shards])\n"
        "arm = np.concatenate([s[1] for s in shards])\n"
        "whole = t.part_of(params, (x, arm))\n"
        "mean = t.mean_of(parts, spiral.SIZES)\n"
        "print(all(np.allclose(a, b) for a, b in zip(mean, whole)))\n",
    )
    assert found == "True\n"


def test_the_file_of_the_gradient_is_fresh():
    found = parse((FOLDER / "loss_grad.py").read_text(encoding="utf-8"))
    words = shlex.split(found.header.command)[1:]
    done = subprocess.run(
        [sys.executable, "-m", "yota_ast", *words, "--check"], cwd=ROOT, text=True,
        capture_output=True, check=False, timeout=LONGEST,
    )  # fmt: skip
    assert done.stdout == "examples/distributed/loss_grad.py: fresh\n"
