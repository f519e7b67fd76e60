"""The examples run, and print what they promise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PRINTED = {
    "linear.py": ["def loss_grad(m, X, seed=1.0):", "Loss value in epoch 80: -"],
    "logistic.py": ["dx = seed * t1 * (1 - t1)", "by hand:"],
    "tape.py": ["Tape\n  inp %1::ndarray[float64, 1]", "n = 3: played 32.0"],
    "simplegrad.py": ["db = (2 * seed / max(b.size, 1)) * t1", "step 4: loss"],
    "linear_regression.py": ["Epoch: 80; loss = 0.0"],
}


def run(name, *arguments, cwd):
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / name), *arguments],
        capture_output=True, text=True, timeout=300, check=False, cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_example(name, tmp_path):
    printed = run(name, cwd=tmp_path)
    for text in PRINTED[name]:
        assert text in printed


def test_autoencoder(tmp_path):
    for library in ("sklearn", "matplotlib", "tqdm"):
        pytest.importorskip(library)
    printed = run("vae.py", "1", cwd=tmp_path)
    assert "reconstructions: out/vae.png" in printed


def test_every_example_is_run_by_make_demo():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    line = next(x for x in makefile.splitlines() if x.startswith("EXAMPLES"))
    there = {path.name for path in (ROOT / "examples").glob("*.py")}
    assert {*line.split()[2:]} == there - {"cu_vae.py"}
    assert "examples/cu_vae.py" in makefile
