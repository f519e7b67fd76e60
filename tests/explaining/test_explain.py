"""The listing of `explain`, whole; what it takes; the command."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import MAX_LINES, YotaError
from yota_ast.tools.cli.main import main
from yota_ast.tools.explain.explained_lines import WIDTH

from . import programs

HERE = Path(__file__).parent
TEXTS = HERE.parent / "golden" / "explain"
NAMES = ("supported", "refused", "inner_loop", "generator", "long")


def text_of(found):
    """The listing; lines of rules left out, for they move."""
    return re.sub(r"(yota_ast/rules/[\w/]+\.py):\d+", r"\1:N", str(found)) + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_the_whole_listing(name, golden, monkeypatch):
    monkeypatch.chdir(HERE)
    text = text_of(ya.explain(getattr(programs, name)))
    assert all(len(line) <= WIDTH for line in text.splitlines())
    golden(TEXTS / f"{name}.txt", text)


def test_what_is_said_of_loops_with_few_states_and_of_batches(golden, monkeypatch):
    monkeypatch.chdir(HERE)
    args = np.ones(3), np.ones((2, 3)), np.ones(2)
    golden(TEXTS / "features.txt", text_of(ya.explain(programs.features, *args)))


def test_where_the_rules_stand():
    found = ya.explain(programs.supported)
    assert found
    for place in found.rules.values():
        path, _, line = place.split()[0].rpartition(":")
        home = Path(ya.__file__).parents[1]
        text = (home / path if (home / path).exists() else HERE / path).read_text()
        assert "def " in text.splitlines()[int(line) - 1] or "rule" in text


def test_all_refusals_are_found_and_the_first_is_that_of_the_compiler():
    found = ya.explain(programs.refused)
    assert not found
    assert found.whole
    with pytest.raises(YotaError) as caught:
        ya.simplegrad(programs.refused)
    assert str(found.refusals[0]) == str(caught.value)
    reasons = sorted(error.reason for error in found.refusals)
    assert len(reasons) == 5
    for part in ("busday_count", "the global `SCALE`", "`unknown` is not", "`eval`"):
        assert any(part in reason for reason in reasons), reasons


def test_what_needs_what_is_refused_is_not_said_to_be_refused():
    def chained(x):
        y = unknown(x)
        z = y.method()
        w = z[0].other
        return w * x

    found = ya.explain(chained)
    assert [error.reason for error in found.refusals] == [
        "the name `unknown` is not defined"
    ]
    assert str(found).count("depends on a refused line") == 2


def test_example_arguments_and_wrt():
    def f(m, x):
        return m.at(x)

    assert not ya.explain(f)
    assert ya.explain(f, programs.Rate(1.0), 2.0)
    assert ya.explain(f, programs.Rate(1.0), x=2.0, wrt="x")
    with pytest.raises(YotaError, match="no argument 'q'"):
        ya.explain(f, wrt="q")

    def g(x, y):
        return np.sum(x) + float(hash(str(y)))

    assert ya.explain(g, np.ones(3), 1.0, wrt="x")


def test_what_a_back_end_refuses():
    pytest.importorskip("jax")
    x = np.ones(4)

    def stored(x):
        z = 2 * x
        rows = z.reshape(2, -1)
        rows[0] += 1.0
        return np.sum(z**2)

    assert ya.explain(stored, x)
    found = ya.explain(stored, x, backend="jax")
    assert not found
    with pytest.raises(YotaError) as caught:
        ya.simplegrad(stored, x, backend="jax")
    assert [str(e) for e in found.refusals] == [str(caught.value)]
    assert "REFUSED" in next(t for t in str(found).splitlines() if "rows[0]" in t)
    with pytest.raises(YotaError, match="are available"):
        ya.explain(stored, x, backend="other")


def test_records_are_explained():
    _, tape = ya.trace(eval("lambda x: x * x"), np.ones(3), tracer="values")
    assert ya.explain(ya.compile(tape), np.ones(3))


def test_functions_without_source():
    found = ya.explain(np.exp)
    assert found
    nothing = ya.explain(eval("lambda x: x"))
    assert not nothing
    assert nothing.nowhere
    assert "SourceUnavailable" in str(nothing)
    assert "ya.from_source" in str(nothing)
    assert 'tracer="values"' in str(nothing)


def test_methods_partials_and_objects():
    import functools

    assert ya.explain(programs.Rate(1.0).at, 2.0)
    assert ya.explain(functools.partial(programs.dense, np.ones((2, 3))))


# ---------------------------------------------------------------- the command


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    text = (HERE / "programs.py").read_text(encoding="utf-8")
    (tmp_path / "explained_model.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    path = list(sys.path)

    def command(*arguments):
        code = main(["explain", *arguments])
        said = capsys.readouterr()
        assert len(said.err.splitlines()) <= MAX_LINES
        return code, said.out, said.err

    yield command
    sys.path[:] = path
    sys.modules.pop("explained_model", None)


def test_exit_codes(run):
    code, out, err = run("explained_model:dense")
    assert (code, err) == (0, "")
    assert out.startswith("dense (explained_model.py): supported\n")
    code, out, err = run("explained_model:refused")
    assert (code, err) == (2, "")
    assert out.startswith("refused (explained_model.py): refused in 5 places\n")


def test_options(run):
    like = "self=Rate, k=float"
    assert run("explained_model:Rate.at", "--like", like)[0] == 0
    code, out, err = run("explained_model:dense", "--wrt", "q")
    assert (code, out) == (2, "")
    assert "no argument 'q'" in err


SQUARES, STRANGE = (lambda x: np.sum(x * x)), (lambda x: np.sum(x) + x.strange())


def test_what_a_lambda_gives():
    found = ya.explain(SQUARES)
    assert found
    assert "np.sum(x * x)  " in str(found)
    assert "np.sum" in found.rules
    refused = ya.explain(STRANGE)
    assert not refused
    assert len(refused.refusals) == 1
    assert refused.whole
    assert "  np.sum(x) + x.strange()  " in str(refused)
    assert "REFUSED" in str(refused)


def test_a_loop_with_a_schedule():
    text = "def f(u, n):\n    for k in STEPS:\n        u = u * u\n    return u @ u\n"
    told = {}
    for steps in ("range(n)", "ya.checkpoint(range(n))"):
        source = text.replace("STEPS", steps)
        f = ya.from_source(source, {"np": np, "ya": ya})["f"]
        told[steps] = str(ya.explain(f))
    assert "in segments that run twice" in " ".join(
        told["ya.checkpoint(range(n))"].split()
    )
    assert "segments" not in told["range(n)"]
