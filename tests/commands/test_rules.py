"""`yota-ast rules`: the table, and all about one function."""

import re

import pytest

from yota_ast.tools.cli.coverage import entries
from yota_ast.tools.cli.main import main

pytest.importorskip("scipy")


def printed(capsys, *arguments):
    assert main(["rules", *arguments]) == 0
    found = capsys.readouterr()
    assert found.err == ""
    return re.sub(r"(yota_ast/rules/[\w/]+\.py):\d+", r"\1:N", found.out)


def test_the_table(capsys):
    head, *lines = printed(capsys).splitlines()
    assert re.split(r"  +", head) == ["function", "gradient in", "none in"]
    column = head.index("gradient in"), head.index("none in")
    rows = {line[: column[0]].strip(): line for line in lines if line}
    assert rows["np.sum"][column[0] :].split()[:2] == ["x,", "initial"]
    assert rows["np.sum"][column[1] :] == "axis, dtype, keepdims, where"
    assert rows["np.argmax"][column[0] :].split() == ["-", "axis,", "keepdims"]
    assert "math.exp" in rows
    assert "scipy.special.gamma" in rows
    assert "scipy.stats.norm: cdf, logcdf, logpdf, logsf, pdf, sf" in rows
    titles = [line for line in lines if re.fullmatch(r".+: \d+ functions", line)]
    assert titles[0].startswith("NumPy: ")
    assert sum(int(t.split()[-2]) for t in titles) == len(entries())


@pytest.mark.parametrize("name", ["np.tanh", "numpy.tanh", "np.tanh()"])
def test_one_function(capsys, name):
    assert printed(capsys, name) == (
        "np.tanh  (NumPy)\n"
        "  gradient in  x\n"
        "  yota_ast/rules/numpy/ufuncs.py:N  (real and complex)\n"
        "      y = np.tanh(x)\n"
        "      dx = dy * (1 - y * y)\n"
    )


def test_settings_and_other_names(capsys):
    text = printed(capsys, "np.linalg.svd")
    assert text.startswith("np.linalg.svd  (numpy.linalg)\n  gradient in  ")
    assert "hermitian=False" in text
    assert "  also called  np.abs\n" in printed(capsys, "np.absolute")
    text = printed(capsys, "np.argmax")
    assert "  gradient in  nothing: its derivative is 0\n" in text
    assert "  none in      axis, keepdims\n" in text
    assert "a view" in printed(capsys, "np.diagonal")
    text = printed(capsys, "scipy.special.jv")
    assert "no derivative in v: there is no accurate formula" in text


def test_a_name_of_several(capsys):
    text = printed(capsys, "sum")
    assert text.startswith("sum  (Python)\n")
    assert "\n\nnp.sum  (NumPy)\n" in text


def test_what_solvers_find_and_what_is_followed(capsys):
    text = printed(capsys, "brentq")
    assert "finds a root: differentiated by what it finds" in text
    assert printed(capsys, "map") == (
        "map is followed by the compiler itself, without a rule\n"
    )
