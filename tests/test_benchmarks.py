"""The benchmark's ways to a gradient agree; nothing is timed here."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


LONGEST, IN_SUM = 1.81, 1.33
"""How many statements generated gradients have at most for each of those by hand."""


def run(name, option="--quick"):
    """What a benchmark prints that times nothing."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / name, option],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_all_ways_agree_on_every_workload():
    agreeing = [line for line in run("run.py") if line.endswith("agree")]
    assert len(agreeing) == 9
    assert all("by hand, generated, fast" in line for line in agreeing)


def test_every_call_of_the_benchmark_runs():
    assert run("calls.py") == ["12 calls run"]


def test_every_kernel_agrees_with_differences_and_what_is_written_by_hand():
    lines = run("kernel_table.py")
    assert len(lines) == 45
    assert all(line.endswith(": agrees") for line in lines)


def test_models_of_the_table_of_peak_memory_agree():
    assert [line.endswith(": agree") for line in run("peaks.py")] == [True] * 12


def test_generated_gradients_are_those_by_hand_and_not_much_longer():
    _, *rows, total = run("expert/compare.py", "--rounds=0")
    assert len(rows) == 21
    ratios = {row.split()[0]: float(row.split()[-2]) for row in rows}
    assert max(ratios.values()) <= LONGEST, ratios
    assert float(total.split()[-2]) <= IN_SUM


def test_what_is_timed_on_a_device_agrees_on_the_host():
    lines = run("gpu.py")
    assert len(lines) == 3
    assert all("yota_ast, jax" in line and line.endswith("agree") for line in lines)
