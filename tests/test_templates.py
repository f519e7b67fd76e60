"""Templates: what `fill` does to a text, and where `render` finds its files.

The three kinds of install are made for real, without the network, and each is asked
from a bare virtual environment outside the repository.
"""

import doctest
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yota_ast.codegen.printers import templates
from yota_ast.codegen.printers.templates import fill, load, render

REPOSITORY = Path(__file__).resolve().parents[1]
SHIPPED = sorted((REPOSITORY / "codegen_templates").glob("*.tmpl"))
DISTRIBUTED = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "yota_ast",
    "codegen_templates",
)


def test_doctests():
    result = doctest.testmod(templates)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize(
    ("text", "holes", "filled"),
    [
        ("$a + ${b}c\n", {"a": "1", "b": "2"}, "1 + 2c\n"),
        ("costs $$5\n", {}, "costs $5\n"),
        ("if $a:\n    ${b}\n", {"a": "x", "b": "y\n\nz"}, "if x:\n    y\n\n    z\n"),
        ("a\n    $gone\nb\n", {"gone": ""}, "a\nb\n"),
        ("$last", {"last": "a\nb"}, "a\nb"),
        ("f($a)\n", {"a": ""}, "f()\n"),
        ("$a\n", {"a": "$b"}, "$b\n"),
        ("", {}, ""),
    ],
)
def test_fill(text, holes, filled):
    assert fill(text, **holes) == filled


@pytest.mark.parametrize(
    ("text", "holes", "reason"),
    [
        ("$a $b\n", {"a": ""}, "no text for the holes b"),
        ("$a\n", {"a": "", "c": ""}, "the template has no holes c"),
        ("5 $\n", {}, r"a plain one is \$\$"),
        ("${a\n", {"a": ""}, r"a plain one is \$\$"),
    ],
)
def test_fill_refuses(text, holes, reason):
    with pytest.raises(ValueError, match=reason):
        fill(text, **holes)


@pytest.mark.fuzz
@given(st.text())
def test_text_without_holes_comes_back(text):
    assert fill(text.replace("$", "$$")) == text


@pytest.mark.fuzz
@given(st.text(), st.text())
def test_fill_within_a_line_is_the_substitution_of_string_template(before, value):
    text = before.replace("$", "$$") + "(${a})"
    assert fill(text, a=value) == f"{before}({value})"


def test_a_missing_template_is_named():
    with pytest.raises(FileNotFoundError, match=r"no template nowhere\.tmpl in "):
        render("nowhere")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_template_is_well_formed(path):
    text = load(path.name.removesuffix(".tmpl"))
    assert text == path.read_text(encoding="utf-8")
    assert text.endswith("\n")
    assert "\t" not in text
    assert templates.Template(text).is_valid()


@dataclass(frozen=True, slots=True)
class Bare:
    """A virtual environment that sees the libraries here but not our package."""

    root: Path

    @property
    def python(self) -> Path:
        scripts = "Scripts" if sys.platform == "win32" else "bin"
        return self.root / scripts / "python"

    def install(self, wheel: Path) -> None:
        pip("--python", self.python, "install", "--no-index", "--no-deps", wheel)

    def found(self, directory: Path, *before: str) -> tuple[Path, list[str]]:
        """Return where the package is and the templates, seen from `directory`.

        before: what is searched for modules before that.
        """
        names = [path.name.removesuffix(".tmpl") for path in SHIPPED]
        program = (
            f"import sys; sys.path[:0] = {before}\n"
            "import yota_ast; from yota_ast.codegen.printers.templates import load\n"
            f"print(yota_ast.__file__, *map(load, {names}), sep='\\0', end='')"
        )
        home, *texts = output(self.python, "-c", program, cwd=directory).split("\0")
        return Path(home).parent, texts


def output(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def pip(*arguments):
    output(sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments)


@pytest.fixture
def checkout(tmp_path):
    copy = tmp_path / "checkout"
    copy.mkdir()
    ignore = shutil.ignore_patterns("__pycache__")
    for name in DISTRIBUTED:
        path = REPOSITORY / name
        if path.is_dir():
            shutil.copytree(path, copy / name, ignore=ignore)
        else:
            shutil.copy(path, copy / name)
    return copy


@pytest.fixture
def bare(tmp_path):
    root = tmp_path / "bare"
    venv.create(root, symlinks=sys.platform != "win32", with_pip=False)
    bases = {"base": str(root), "platbase": str(root)}
    site = Path(sysconfig.get_path("purelib", scheme="venv", vars=bases))
    # A directory that a .pth file adds is searched, but its own .pth files are not
    # read: an editable install of the package in it stays out of sight.
    (site / "zz_libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Bare(root)


@pytest.fixture
def expected():
    return [path.read_text(encoding="utf-8") for path in SHIPPED]


def test_found_from_a_checkout(bare, checkout, expected):
    assert bare.found(checkout) == (checkout / "yota_ast", expected)


def test_found_from_a_wheel(bare, checkout, tmp_path, expected):
    pytest.importorskip("hatchling", reason="the extra `test` has it")
    pip("wheel", "--no-build-isolation", "--no-deps", "-w", tmp_path, checkout)
    [wheel] = tmp_path.glob("yota_ast-*.whl")
    bare.install(wheel)
    shutil.rmtree(checkout)
    home, texts = bare.found(tmp_path)
    assert texts == expected
    assert home.is_relative_to(bare.root)
    names = ZipFile(wheel).namelist()
    inside = {name for name in names if "dist-info" not in name}
    assert all(name.startswith("yota_ast/") for name in inside)
    assert "yota_ast/py.typed" in inside
    assert len(names) == len(set(names))


def test_found_in_an_archive(bare, checkout, tmp_path, expected):
    # What a zipapp holds: the package, the templates inside, nothing unpacked.
    shutil.move(checkout / "codegen_templates", checkout / "yota_ast")
    archive = shutil.make_archive(str(tmp_path / "app"), "zip", checkout, "yota_ast")
    shutil.rmtree(checkout)
    assert bare.found(tmp_path, archive) == (Path(archive) / "yota_ast", expected)


def test_found_from_an_editable_install(
    bare, checkout, tmp_path, expected, monkeypatch
):
    build = pytest.importorskip("hatchling.build", reason="the extra `test` has it")
    monkeypatch.chdir(checkout)
    bare.install(tmp_path / build.build_editable(str(tmp_path)))
    assert bare.found(tmp_path) == (checkout / "yota_ast", expected)
    # Edited in the checkout, the templates are read as edited.
    edited = checkout / "codegen_templates" / SHIPPED[0].name
    edited.write_text("edited\n", encoding="utf-8")
    assert bare.found(tmp_path)[1] == ["edited\n", *expected[1:]]
