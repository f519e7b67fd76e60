"""A cotangent to which many ways lead is looked at once, and not once for each way."""

import numpy as np

import yota_ast as ya

TERMS = 60


SOURCE = "def chain(x, a):\n    y = x\n" + "".join(
    f"    y{k} = a * y + y * {k + 1.5}\n    y = y{k} / (1.0 + y{k} * y{k})\n"
    for k in range(TERMS)
) + "    return y\n"  # fmt: skip


def test_sums_of_sums_are_walked_once(tmp_path, monkeypatch):
    """Each term doubled the ways: 2 ** 60 of them."""
    (tmp_path / "chained.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    import chained

    text = ya.simplegrad(chained.chain)
    x = 0.3
    value, dx, _ = text(x, 0.7)
    h = 1e-6
    slope = (chained.chain(x + h, 0.7) - chained.chain(x - h, 0.7)) / (2 * h)
    assert value == chained.chain(x, 0.7)
    np.testing.assert_allclose(dx, slope, rtol=1e-5, atol=1e-9)
