"""Operations of the table on JAX give the numbers of the NumPy text, or are refused.

`make test` tries a part of them, `make fuzz-tests` all.
"""

import copy

import hypothesis
import jax
import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import YotaError

from ...table.cases import TABLE

LONG = hypothesis.settings.get_current_profile_name() == "fuzz"
STEP = 24
CASES = TABLE if LONG else TABLE[::STEP]
LOUD = (TypeError, ValueError, NotImplementedError, AttributeError, IndexError)
"""What JAX raises of what it does not take."""


def _seed(case):
    shape = np.shape(case.fn(*copy.deepcopy(case.args)))
    if not shape:
        return {}
    return {"seed": np.random.default_rng(1).standard_normal(shape)}


def _wanted(case):
    """The seed, and the results on NumPy; None where there are none."""
    try:
        seed = _seed(case)
        readable = ya.simplegrad(case.fn, *copy.deepcopy(case.args))
        return seed, readable(*copy.deepcopy(case.args), **seed)
    except (YotaError, *LOUD):
        return None


@pytest.mark.part(2)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_operation(case):
    with np.errstate(all="ignore"):
        wanted = _wanted(case)
    if wanted is None:
        return
    seed, wanted = wanted
    args = copy.deepcopy(case.args)
    try:
        function = ya.simplegrad(case.fn, *args, backend="jax")
        found = function(*args, **seed)
    except (YotaError, *LOUD):
        return
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10)


def test_adjoints_written_into_views_are_refused():
    """The view of zeros was written, and zeros were returned."""

    def trace(x):
        return np.trace(x) * np.trace(x, 1)

    with pytest.raises(YotaError, match="an argument or a view"):
        ya.simplegrad(trace, np.ones((3, 3)), backend="jax")
