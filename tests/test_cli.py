"""The command line: what it calls, prints and refuses."""

import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

import yota_ast
import yota_ast.api
from tests.tapes import iterative
from yota_ast.errors import MAX_LINES, InternalError, Location, NoRule
from yota_ast.ir.abstract_values import Fact
from yota_ast.tools.cli.main import main

ROOT = Path(__file__).resolve().parents[1]
WHERE_FALSE = 8 if sys.version_info >= (3, 13) else 1
"""The column of a failed `assert False`, as Python says it."""

MODEL = '''\
"""A model."""
print("imported")
SCALE = 2.0

class Linear:
    def forward(self, x):
        return self.W @ x

    @staticmethod
    def of(W):
        return W

def loss(W, b, x=1.0):
    return SCALE * W + b

def nothing():
    return 1.0
'''


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty current directory; what is imported from it is forgotten again."""
    known, path = set(sys.modules), list(sys.path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cli_model.py").write_text(MODEL, encoding="utf-8")
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - known:
        if name.startswith("cli_"):
            del sys.modules[name]


@pytest.fixture
def api(monkeypatch):
    """An `api` that notes how it is called."""
    module = types.ModuleType("yota_ast.api.traced_tapes")
    module.calls = []

    def gradient_source(fn, *, wrt, facts):
        module.calls.append((fn, wrt, facts))
        return f"def {fn.__name__}_grad():\n    return 1  # é\n"

    def tape_of(fn, *, facts):
        module.calls.append((fn, facts))
        return iterative()

    module.gradient_source, module.tape_of = gradient_source, tape_of
    monkeypatch.setitem(sys.modules, "yota_ast.api.traced_tapes", module)
    monkeypatch.setattr(yota_ast.api, "traced_tapes", module, raising=False)
    return module


def run(*arguments):
    return main(arguments)


def refusal(capsys, *arguments):
    assert main(arguments) == 2
    found = capsys.readouterr()
    assert found.out == ""
    return found.err


# ---------------------------------------------------------------- show-grad


def test_show_grad(home, api, capsys):
    assert run("show-grad", "cli_model:loss") == 0
    found = capsys.readouterr()
    assert found.out == "def loss_grad():\n    return 1  # é\n"
    assert found.err == "imported\n"
    [(fn, wrt, facts)] = api.calls
    assert (fn.__module__, fn.__name__, wrt, facts) == ("cli_model", "loss", None, {})


def test_wrt_and_like(home, api):
    like = "W=float[3,4], b=cli_model.Linear, x=Linear"
    assert run("show-grad", "cli_model:loss", "--wrt", "W, b", "--like", like) == 0
    [(_, wrt, facts)] = api.calls
    assert wrt == ("W", "b")
    Linear = sys.modules["cli_model"].Linear
    assert facts["b"] == facts["x"] == Fact("object", cls=Linear)
    assert str(facts["W"]) == "ndarray[float64, 2]"


@pytest.mark.parametrize("name", ["Linear.forward", "Linear.of"])
def test_methods(home, api, name):
    assert run("show-grad", f"cli_model:{name}") == 0
    assert api.calls[0][0].__qualname__ == name


def test_files(home, api):
    (home / "cli_scripts").mkdir()
    (home / "cli_scripts" / "cli_helper.py").write_text("RATE = 3.0\n")
    script = "import cli_helper\ndef f(x):\n    return cli_helper.RATE * x\n"
    (home / "cli_scripts" / "cli_script.py").write_text(script)
    path = home / "cli_scripts" / "cli_script.py"
    assert run("show-grad", "cli_scripts/cli_script.py:f") == 0
    assert run("show-grad", f"{path}:f") == 0
    first, second = (call[0] for call in api.calls)
    assert first is second
    assert first(2.0) == 6.0
    assert sys.path[0] == str(home)


def test_files_in_packages(home, api):
    inner = home / "src" / "cli_package" / "inner"
    inner.mkdir(parents=True)
    for directory in (inner, inner.parent):
        (directory / "__init__.py").write_text("RATE = 3.0\n")
    text = "from .. import RATE\ndef f(x):\n    return RATE * x\n"
    (inner / "model.py").write_text(text)
    assert run("show-grad", "src/cli_package/inner/model.py:f") == 0
    fn = api.calls[0][0]
    assert fn(2.0) == 6.0
    assert fn.__module__ == "cli_package.inner.model"


def test_files_called_as_modules_of_the_standard_library(home, api):
    (home / "json.py").write_text("def f(x):\n    return x\n")
    assert run("show-grad", "json.py:f") == 0
    assert api.calls[0][0].__module__ == "json_file"
    assert hasattr(sys.modules["json"], "dumps")
    del sys.modules["json_file"]


# ---------------------------------------------------------------- the other commands


def test_show_tape(home, api, capsys):
    assert run("show-tape", "cli_model:loss", "--like", "W=float") == 0
    assert capsys.readouterr().out == f"{iterative()}\n"
    assert str(api.calls[0][1]["W"]) == "float"


def test_version_and_help(capsys):
    for arguments, beginning in (
        (["--version"], f"yota-ast {yota_ast.__version__}\n"),
        (["--help"], "usage: yota-ast [-h] [--version] command ...\n"),
        (["show-grad", "--help"], "usage: yota-ast show-grad [-h] [--wrt NAMES]"),
    ):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 0
        assert capsys.readouterr().out.startswith(beginning)


def test_help_has_examples(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "\nexamples:\n  yota-ast show-grad mypkg.model:loss\n" in (
        capsys.readouterr().out
    )


# ---------------------------------------------------------------- colour


@pytest.fixture
def terminal(monkeypatch, home, api):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)


def coloured(capsys, *arguments, isatty=True):
    sys.stdout.isatty = lambda: isatty  # of the stream that capsys put there
    assert run("show-grad", "cli_model:loss", *arguments) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 2
    return "\x1b[" in out  # what begins a colour


def test_colour_on_a_terminal(terminal, capsys):
    pytest.importorskip("pygments")
    assert coloured(capsys)


def test_no_colour_if_asked(terminal, capsys, monkeypatch):
    assert not coloured(capsys, "--no-color")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not coloured(capsys)


@pytest.mark.parametrize(
    ("options", "environment", "isatty", "colour"),
    [
        ("", {}, True, True),
        ("", {}, False, False),
        ("", {"FORCE_COLOR": "1"}, False, True),
        ("", {"FORCE_COLOR": ""}, False, False),
        ("", {"NO_COLOR": "", "TERM": "xterm"}, True, True),
        ("", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ("", {"TERM": "dumb"}, True, False),
        ("", {"TERM": "dumb", "FORCE_COLOR": "1"}, False, True),
        ("--color=auto", {}, False, False),
        ("--color always", {"NO_COLOR": "1"}, False, True),
        ("--color=never", {"FORCE_COLOR": "1"}, True, False),
        ("--no-color", {"FORCE_COLOR": "1"}, True, False),
        ("--no-color --color=always", {}, False, True),
    ],
)
def test_colour_is_as_the_option_says_then_the_environment(
    terminal, capsys, monkeypatch, options, environment, isatty, colour
):
    pytest.importorskip("pygments")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert coloured(capsys, *options.split(), isatty=isatty) is colour


@pytest.mark.parametrize(
    "command", ["show-grad", "show-tape", "explain", "emit", "gradcheck", "rules"]
)
def test_every_command_takes_the_option(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert "--color {auto,always,never}" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--color=always", command, "--help"])


def test_no_colour_without_pygments(terminal, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygments", None)
    assert not coloured(capsys)


def test_no_colour_in_a_pipe(terminal, capsys):
    assert not coloured(capsys, isatty=False)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["cli_none:f"], "there is no module 'cli_none'"),
        (["cli_model.sub:f"], "there is no module 'cli_model.sub'"),
        (["cli_model:los"], "cli_model has no 'los' (is it 'loss'?)"),
        (["cli_model:forward"], "cli_model has no 'forward' (is it 'Linear.forward'?)"),
        (["cli_model:zzz"], "cli_model has no 'zzz'"),
        (["cli_model:Linear.forwar"], "cli_model:Linear has no 'forwar'"),
        (["cli_model:SCALE"], "cli_model:SCALE is not a function but a float"),
        (["cli_model:Linear"], "cli_model:Linear is not a function but a class"),
        (["cli_model"], "expected module:function or path/to/file.py:function, got"),
        (["cli_model:"], "expected module:function or path/to/file.py:function, got"),
        ([":loss"], "expected module:function or path/to/file.py:function, got"),
        (["cli_none.py:f"], "there is no file cli_none.py"),
        (["no/cli_none.py:f"], "there is no file no/cli_none.py"),
        (["cli_model.py:los"], "cli_model.py has no 'los' (is it 'loss'?)"),
        (
            ["cli_model:loss", "--wrt", "W,Z"],
            "--wrt: loss has no argument 'Z'; its arguments are W, b, x",
        ),
        (
            ["cli_model:nothing", "--wrt", "W"],
            "--wrt: nothing has no argument 'W'; it has none",
        ),
        (["cli_model:loss", "--wrt", "W,W"], "--wrt: 'W' is named twice"),
        (
            ["cli_model:loss", "--wrt", "W,"],
            "--wrt: expected names with commas between, got 'W,'",
        ),
        (
            ["cli_model:loss", "--wrt", ""],
            "--wrt: expected names with commas between, got ''",
        ),
        (
            ["cli_model:loss", "--like", "Z=float"],
            "--like: loss has no argument 'Z'; its arguments are W, b, x",
        ),
        (
            ["cli_model:loss", "--like", "W=float["],
            "cannot read --like 'W=float[': expected a length or a name for it, found",
        ),
        (
            ["cli_model:loss", "--like", "W=Nothing"],
            "cli_model has no class 'Nothing'",
        ),
        (
            ["cli_model:loss", "--like", "W=cli_none.Linear"],
            "there is no module 'cli_none'",
        ),
        (
            ["cli_model:loss", "--like", "W=loss"],
            "cannot read --like 'W=loss': loss is",
        ),
    ],
)
def test_what_is_wrong_and_what_to_do(home, api, capsys, arguments, reason):
    text = refusal(capsys, "show-grad", *arguments).removeprefix("imported\n")
    assert text.startswith(f"yota-ast: {reason}")
    assert 2 <= text.count("\n") <= MAX_LINES
    assert text.endswith("\n")
    assert api.calls == []


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("import cli_none", 1, "ModuleNotFoundError: No module named 'cli_none'\n"),
        ("def f(:", 7, "SyntaxError: "),
        ("raise ValueError('first\\nsecond')", 1, "ValueError: first\n"),
        ("assert False", WHERE_FALSE, "AssertionError\n"),
        ("import sys; sys.exit(3)", 13, "SystemExit: 3\n"),
    ],
)
def test_modules_that_fail(home, api, capsys, text, column, reason):
    (home / "cli_broken.py").write_text(text)
    for target in ("cli_broken", "cli_broken.py"):
        found = refusal(capsys, "show-grad", f"{target}:f")
        place = f"cli_broken.py:1:{column}: "
        assert found.startswith(f"{place}cannot import {target}: {reason}")
        assert f"\n    {text}\n    {' ' * (column - 1)}^" in found
        assert found.count("\n") == 4


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "yota-ast: a command is missing\n"),
        (["show-grad"], "yota-ast show-grad: the function is missing\n"),
        (
            ["show-tape", "a:b", "--x"],
            "yota-ast show-tape: unrecognized arguments: --x\n",
        ),
    ],
)
def test_arguments_are_refused_in_two_lines(capsys, arguments, text):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.startswith(text)
    assert found.err.count("\n") == 2


def test_refusals_of_the_compiler(home, api, capsys):
    at = Location("model.py", 4, 11, 18, "    return np.f(x)")

    def refuse(*_, **__):
        raise NoRule("np.f has no rule", at=at, remedy="Write one.")

    api.gradient_source = refuse
    run("show-grad", "cli_model:loss")
    capsys.readouterr()
    assert refusal(capsys, "show-grad", "cli_model:loss") == (
        "model.py:4:12: NoRule: np.f has no rule\n"
        "    return np.f(x)\n"
        "           ^^^^^^^\n"
        "Write one.\n"
    )


def test_defects_of_the_compiler_are_seen_whole(home, api):
    def fail(*_, **__):
        raise InternalError("a defect")

    api.gradient_source = fail
    with pytest.raises(InternalError):
        run("show-grad", "cli_model:loss")


# ---------------------------------------------------------------- as a process


def python(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        **options,
    )


def test_as_a_module(tmp_path):
    done = python("-m", "yota_ast", "--version", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"yota-ast {yota_ast.__version__}\n",
        "",
    )
    done = python("-m", "yota_ast", "show-grad", "none:f", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("yota-ast: there is no module 'none'\n")


def test_help_comes_without_numpy(tmp_path):
    text = (
        "import sys\n"
        "from yota_ast.tools.cli.main import main\n"
        "try:\n"
        "    main(['--help'])\n"
        "except SystemExit:\n"
        "    print(sorted({'numpy', 'gast', 'pygments'} & set(sys.modules)))\n"
    )
    done = python("-c", text, cwd=tmp_path)
    assert done.stdout.endswith("\n[]\n")


def test_the_current_directory_comes_first(tmp_path):
    (tmp_path / "gzip.py").write_text("x = 1.0\n")
    console_script = (
        "import sys\nsys.path[0] = '/nowhere'\n"
        "from yota_ast.tools.cli.main import main\nsys.exit(main())\n"
    )
    for start in (["-c", console_script], ["-m", "yota_ast"]):
        done = python(*start, "show-grad", "gzip:x", cwd=tmp_path)
        said = "yota-ast: gzip:x is not a function but a float\n"
        assert done.stderr.startswith(said)


def test_a_closed_pipe_is_no_error(tmp_path):
    text = (
        "import sys, types\nimport yota_ast.api\n"
        "api = types.ModuleType('yota_ast.api.traced_tapes')\n"
        "api.gradient_source = lambda fn, **kw: 'x = 1\\n' * 100_000\n"
        "sys.modules['yota_ast.api.traced_tapes'] = yota_ast.api.traced_tapes = api\n"
        "from yota_ast.tools.cli.main import main\n"
        "sys.exit(main(['show-grad', 'model.py:f']))\n"
    )
    (tmp_path / "model.py").write_text("def f(x):\n    return x\n")
    process = subprocess.Popen(
        [sys.executable, "-c", text],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"x = 1\n"
    process.stdout.close()
    with process.stderr as stderr:
        assert stderr.read() == b""
    assert process.wait() == 0
