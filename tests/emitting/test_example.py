"""The example project, cloned: its CI script, with no yota_ast where it runs."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "examples" / "project"
NEEDED = ("numpy", "numpy.libs", "pytest", "_pytest", "pluggy", "iniconfig",
          "packaging", "pygments", "py.py")  # fmt: skip


@pytest.fixture
def clone(tmp_path):
    """The files of the project that git knows."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("not a checkout")
    for name in filter(None, listed.stdout.split("\0")):
        target = tmp_path / "project" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / name, target)
    return tmp_path / "project"


@pytest.fixture
def python(tmp_path):
    """A virtual environment with NumPy and pytest, and without yota_ast."""
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    site = next((tmp_path / "venv").glob("[Ll]ib/**/site-packages"))
    for place in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for name in NEEDED:
            source = Path(place) / name
            if source.exists() and not (site / name).exists():
                (site / name).symlink_to(source)
    return next((tmp_path / "venv").glob("*/python"))


def ci(clone, python):
    environment = {
        **os.environ,
        "PYTHON": str(python),
        "YOTA_AST": f"env PYTHONPATH={ROOT} {sys.executable} -m yota_ast",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    environment.pop("PYTHONPATH", None)
    return subprocess.run(
        ["bash", "ci.sh"], cwd=clone, env=environment, check=False,
        capture_output=True, text=True,
    )  # fmt: skip


def test_it_works_from_a_clean_clone(clone, python):
    missing = subprocess.run(
        [python, "-c", "import yota_ast"], cwd=clone, check=False, capture_output=True
    )
    assert b"No module named 'yota_ast'" in missing.stderr
    done = ci(clone, python)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "shapes/curve_grad.py: fresh",
        "shapes/heat_grad.py: fresh",
        "2 files: 2 fresh",
    ]
    assert " passed" in lines[-1]


def test_its_ci_fails_where_a_helper_has_changed(clone, python):
    helper = clone / "shapes" / "smooth.py"
    helper.write_text(helper.read_text().replace("- 2 * u[1:-1]", "- 3 * u[1:-1]"))
    done = ci(clone, python)
    assert done.returncode == 1
    assert (
        "shapes/heat_grad.py: stale: shapes.smooth:neighbours has changed\n"
        in done.stdout
    )
    assert "\nRun: yota-ast emit shapes.heat:cooling --wrt u0,rate " in done.stdout
