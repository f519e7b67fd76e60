"""Where functions warn and where they are steep, against what NumPy does."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.ops import info

VALUES = (0.0, -1.0, 1.0, 2.0, -2.0, 1000.0, -1000.0, np.inf, -np.inf, np.nan, 0.5, 1.5)
EXTREME = {
    "add",
    "subtract",
    "multiply",
    "divide",
    "logaddexp",
    "logaddexp2",
    "nextafter",
}
"""Functions that warn of infinite numbers alone, or overflow."""
SMOOTH = [
    name
    for name in sorted(dir(np))
    if isinstance(fn := getattr(np, name), np.ufunc)
    and fn.__name__ == name
    and fn.nout == 1
    and fn.nin <= 2
    and fn.signature is None
    and "dd->d"[2 - fn.nin :] in fn.types
]


def warns(fn, *values):
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        try:
            fn(*map(np.float64, values))
        except RuntimeWarning:
            return True
    return False


@pytest.mark.parametrize("name", sorted({*SMOOTH} - EXTREME))
def test_what_warns_of_an_operand(name):
    fn, known = getattr(np, name), info(getattr(np, name))
    safe = 1.0 if known.safe is None else known.safe
    for k in range(fn.nin):
        others = [safe] * fn.nin
        found = [v for v in VALUES if warns(fn, *others[:k], v, *others[k + 1 :])]
        assert not found or k in known.warns
    assert not warns(fn, *([safe] * fn.nin))


@pytest.mark.parametrize("name", SMOOTH)
def test_a_safe_number_has_a_finite_value_and_slope(name):
    fn, safe = getattr(np, name), info(getattr(np, name)).safe
    if safe is None:
        return
    near = [fn(*([v] * fn.nin)) for v in (safe - 1e-3, safe, safe + 1e-3)]
    assert np.all(np.isfinite(near))
    assert abs(near[2] - near[0]) < 0.1


SOURCE = """
def inner(x, ok):
    out = np.zeros(np.shape(x))
    np.{name}({operands}, out=out, where=ok)
    return np.sum(out)
"""


@pytest.mark.parametrize("name", "arctanh cosh sinh exp2 sin cos tan arcsin".split())
def test_what_is_not_wanted_gives_no_warning(name, tmp_path, monkeypatch):
    text = "import numpy as np\n" + SOURCE.format(name=name, operands="x")
    (tmp_path / f"of_{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    inner = __import__(f"of_{name}").inner
    x, ok = np.array([0.5, 1e5, np.inf]), np.array([True, False, False])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, g = ya.grad(inner, x, ok, wrt="x")
    assert value == getattr(np, name)(0.5)
    assert np.array_equal(g["x"][1:], [0.0, 0.0])
    assert np.isfinite(g["x"][0])
