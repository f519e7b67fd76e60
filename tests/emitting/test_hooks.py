"""The hooks for pre-commit, as git runs them, in a repository with a `src` layout."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOOKS = ROOT / ".pre-commit-hooks.yaml"
MODEL = """\
from dataclasses import dataclass

import numpy as np

from heat.parts import flux


@dataclass
class Rod:
    u: np.ndarray
    dx: float


def cost(rod, k):
    return np.sum((rod.u[1:-1] + flux(rod, k)) ** 2)
"""
PARTS = """\
def flux(rod, k):
    return k / rod.dx**2 * (rod.u[2:] - 2 * rod.u[1:-1] + rod.u[:-2])
"""
PYPROJECT = """\
[project]
name = "heat"
version = "1"

[[tool.yota-ast.targets]]
function = "heat.model:cost"
wrt = ["k"]
like = "rod=Rod(u=float[n], dx=float), k=float"
output = "src/heat/cost_grad.py"
"""


class Repository:
    """A repository whose commits run a hook first, as pre-commit would."""

    def __init__(self, root: Path, hook: str) -> None:
        self.root = root
        for name, text in {
            "pyproject.toml": PYPROJECT,
            "src/heat/__init__.py": "",
            "src/heat/model.py": MODEL,
            "src/heat/parts.py": PARTS,
        }.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        self.run("git", "init", "--quiet")
        entry = hook.replace("yota-ast", f"{shlex.quote(sys.executable)} -m yota_ast")
        script = root / ".git" / "hooks" / "pre-commit"
        script.parent.mkdir(exist_ok=True)
        script.write_text(f"#!/bin/sh\nPYTHONPATH={ROOT} exec {entry}\n")
        script.chmod(0o755)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        return subprocess.run(
            words, cwd=self.root, env={**kept, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def commit(self) -> subprocess.CompletedProcess[str]:
        self.run("git", "add", "--all")
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        return self.run("git", *who, "commit", "--quiet", "--message", "change")


def entry(name: str) -> str:
    """What a hook runs."""
    found = re.search(
        rf"^- id: {name}\n(?:  .*\n)*?  entry: (.*)$", HOOKS.read_text(), re.MULTILINE
    )
    return found[1]


@pytest.fixture
def repository(tmp_path):
    if shutil.which("git") is None or not HOOKS.is_file():
        pytest.skip("no git, or not a checkout")
    return lambda name: Repository(tmp_path, entry(name))


def test_a_commit_needs_fresh_gradients(repository):
    made = repository("yota-ast-check")
    refused = made.commit()
    assert refused.returncode == 1
    assert "src/heat/cost_grad.py: not there\n" in refused.stdout + refused.stderr
    words = (sys.executable, "-m", "yota_ast", "emit")
    assert made.run("env", f"PYTHONPATH={ROOT}", *words).returncode == 0
    assert made.commit().returncode == 0
    parts = made.root / "src" / "heat" / "parts.py"
    parts.write_text(PARTS.replace("- 2 *", "- 2.5 *"))
    refused = made.commit()
    said = refused.stdout + refused.stderr
    assert refused.returncode == 1
    assert "src/heat/cost_grad.py: stale: heat.parts:flux has changed\n" in said
    assert "Run: yota-ast emit heat.model:cost --wrt k --like" in said


def test_a_commit_may_write_them(repository):
    made = repository("yota-ast-emit")
    assert made.commit().returncode == 0
    assert (made.root / "src" / "heat" / "cost_grad.py").is_file()
