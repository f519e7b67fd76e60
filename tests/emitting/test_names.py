"""What a file calls things where the names of the user's are its own."""

import importlib

import numpy as np
import pytest

LIKE = {
    "module": ("from shop import _like", "", "x", "_like.N * x**2"),
    "cell": ("", "_like = np.arange(4.0)", "x", "_like * x**2"),
    "parameter": ("", "", "_like", "_like**2"),
}


@pytest.mark.parametrize("name", LIKE)
def test_what_is_called_like_a_helper(shop, name):
    line, cell, parameter, value = LIKE[name]
    shop.write("shop/_like.py", "N = 2.0\n")
    shop.write(
        "shop/named.py",
        f"import numpy as np\n{line}\n\ndef make():\n    {cell}\n"
        f"    def f({parameter}):\n        return np.sum({value})\n    return f\n\n"
        "f = make()\n",
    )
    shop.emit("shop.named:f", "-o", "shop/f_grad.py")
    assert "def _like_2(d, x):\n" in shop.read("shop/f_grad.py")
    shop.forget()
    f = importlib.import_module("shop.named").f
    value, dx = importlib.import_module("shop.f_grad").f_grad(np.ones(4))
    assert value == f(np.ones(4))
    slope = (f(np.ones(4) + 1e-6) - f(np.ones(4) - 1e-6)) / 2e-6
    np.testing.assert_allclose(np.sum(dx), slope, rtol=1e-6)


def test_an_array_of_another_class_is_no_literal(shop):
    """`np.array([1.0, 2.0])` has no unit."""
    shop.write(
        "shop/named.py",
        "import numpy as np\n\nclass Length(np.ndarray):\n    unit = 'm'\n\n\n"
        "def f(x, m=np.ones(2).view(Length)):\n    return np.sum(m * x)\n",
    )
    assert shop.run("emit", "shop.named:f", "--wrt", "x") == 2
    assert "`m`, which the gradient reads, is neither a short literal" in shop.err


def test_a_function_of_c_comes_from_its_public_module(shop):
    """`bisect.bisect_left` says of itself that it is of `_bisect`."""
    shop.write(
        "shop/knots.py",
        "from bisect import bisect_left as find\n\nAT = [0.0, 1.0, 2.5]\n"
        "SLOPES = [3.0, 5.0]\n\n\ndef f(x: float):\n    i = find(AT, x) - 1\n"
        "    return SLOPES[i] * (x - AT[i])\n",
    )
    shop.emit("shop.knots:f", "-o", "shop/f_grad.py")
    text = shop.read("shop/f_grad.py")
    assert "import bisect\n" in text
    assert "import _bisect" not in text
    shop.forget()
    f_grad = importlib.import_module("shop.f_grad").f_grad
    assert f_grad(1.5) == (2.5, 5.0)
