"""What would be published: its metadata, its files; the groups of contributors."""

import datetime as dt
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import yota_ast

ROOT = Path(yota_ast.__file__).resolve().parents[1]
pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").is_file(), reason="not a checkout"
)


@pytest.fixture(scope="module")
def whole():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def group(name):
    ran = subprocess.run(
        [sys.executable, ROOT / ".ci" / "group.py", name],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return ran.stdout.splitlines()


def test_groups_are_what_pip_would_install(whole):
    for name, listed in whole["dependency-groups"].items():
        assert group(name) == listed


def test_groups_may_include_others(tmp_path):
    (tmp_path / ".ci").mkdir()
    script = tmp_path / ".ci" / "group.py"
    script.write_text((ROOT / ".ci" / "group.py").read_text())
    (tmp_path / "pyproject.toml").write_text(
        '[dependency-groups]\ntest = ["a>=1"]\nall = [{include-group = "test"}, "b"]\n'
    )
    ran = subprocess.run(
        [sys.executable, script, "all"], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "a>=1\nb\n"


def test_each_group_that_make_asks_for_is_there(whole):
    makefile = (ROOT / "Makefile").read_text()
    asked = set(re.findall(r"\.stamp-([a-z]+)", makefile))
    assert asked == set(whole["dependency-groups"])


def test_no_extra_is_for_contributors(whole):
    lists = whole["project"]["optional-dependencies"].values()
    extras = " ".join(" ".join(listed) for listed in lists)
    for tool in ("pytest", "mypy", "ruff", "hypothesis", "mkdocs", "twine"):
        assert tool not in extras


def test_the_changelog_dates_the_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\S+)$", text, re.MULTILINE)
    assert dated[0][0] == yota_ast.__version__
    for _, date in dated:
        dt.date.fromisoformat(date)


def test_no_address_is_made_up(whole):
    assert "urls" not in whole["project"]


def test_pythons_are_those_that_are_required(whole):
    named = [
        line.rpartition(" :: ")[2]
        for line in whole["project"]["classifiers"]
        if re.search(r"Python :: 3\.\d+$", line)
    ]
    assert f">={named[0]}" == whole["project"]["requires-python"]
    assert named == [f"3.{11 + k}" for k in range(len(named))]


def test_no_file_at_the_top_is_empty():
    texts = (*ROOT.glob("*.txt"), *ROOT.glob("*.md"), *ROOT.glob("*.toml"))
    assert [p.name for p in texts if not p.stat().st_size] == []
