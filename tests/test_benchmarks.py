"""The benchmark's ways to a gradient agree; nothing is timed here."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_all_ways_agree_on_every_workload():
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "run.py", "--quick"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    agreeing = [line for line in done.stdout.splitlines() if line.endswith("agree")]
    assert len(agreeing) == 5
    assert all("by hand, generated" in line for line in agreeing)
