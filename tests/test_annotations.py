"""What annotations say of lengths: those of jaxtyping are read without it."""

import numpy as np
import pytest

from yota_ast.api.traced_tapes import gradient_source
from yota_ast.ir.facts.annotations import facts_of_signature


class Floats:
    """Like jaxtyping's `Float[np.ndarray, "n d"]`."""

    dtypes = ("float64",)

    def __init__(self, dim_str):
        self.dim_str = dim_str
        self.dims = tuple(dim_str.split())


def weighted(x: Floats("n d"), w: Floats("n"), b: Floats("d"), c: Floats("3")):
    return np.sum(w @ (x + b)) + np.sum(c)


def test_one_name_is_one_length():
    facts = facts_of_signature(weighted)
    (n, d), (also_n,), (also_d,) = (facts[name].shape for name in "xwb")
    assert n.size == also_n.size is not None
    assert d.size == also_d.size not in {None, n.size}
    assert facts["c"].rank is None


def test_the_text_checks_it():
    text = gradient_source(weighted)
    assert "unbroadcast" not in text
    names = {"np": np}
    exec(text, names)
    x, w, b = np.ones((2, 3)), np.array([1.0, 2.0]), np.zeros(3)
    val, _dx, dw, db, _dc = names["weighted_grad"](x, w, b, np.ones(3))
    assert (val, dw.tolist(), db.tolist()) == (12.0, [3.0, 3.0], [3.0, 3.0, 3.0])
    with pytest.raises(ValueError, match="made for"):
        names["weighted_grad"](x, w, np.zeros(1), np.ones(3))
