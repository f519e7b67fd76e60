"""Every operation of the table, twice: forward over reverse, and reverse over reverse,
against differences of the gradient."""

import copy
import inspect

import hypothesis
import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import still
from tests.adjoint.test_operations import REAL

from .test_tangent import direction, dot, moved, seed_like

LONG = hypothesis.settings.get_current_profile_name() == "fuzz"  # `make fuzz-tests`

OF_LISTS = "einsum_of_lists has no tangent"
OF_LEVELS = (
    "the rules of unquantile give no derivative with respect to q: the slope of a"
    " quantile changes with its level by jumps"
)
OF_ITEMS = "the number of items is not known here"
FORWARD = {  # by operation, what forward mode says of its gradient
    "min(u, v, w, z)": "min_of_many has no tangent",
    "np.einsum(u, [0, 1], v, [1, 2], [0, 2])": OF_LISTS,
    "np.einsum(u, [0, 1], v, [1, 2])": OF_LISTS,
    "np.quantile(x, q)": OF_LEVELS,
    "np.percentile(x, q, axis=0)": OF_LEVELS,
    "rt.unquantile(d, x, 0.3, 0)": OF_ITEMS,
    "rt.unquantile(d, x, [0.3, 0.5], 1)": OF_ITEMS,
}


class Twice:
    """The gradient of an operation, along a direction."""

    def __init__(self, o):
        self.args = list(o.sample().values())
        self.along = [direction(a) for a in self.args]
        self.asked = [k for k, d in enumerate(self.along) if d is not None]
        with np.errstate(all="ignore"):
            self.seed = seed_like(o.fn(*copy.deepcopy(self.args)))
        self.slope = ya.simplegrad(o.fn, *self.args, wrt=self.asked)

    def at(self, h):
        """The value and the gradients, so far along the direction."""
        args = [moved(a, d, h) for a, d in zip(self.args, self.along, strict=True)]
        return self.slope(*copy.deepcopy(args), self.seed)

    def weights(self):
        """Weights for the gradients, none for the value."""
        value, *slopes = self.at(0.0)
        none = seed_like(value)
        return (none, *map(seed_like, slopes))

    def difference(self, weights, h=1e-5):
        """How the weighted sum changes."""
        ends = [
            sum(dot(w, x) for w, x in zip(weights[1:], self.at(s)[1:], strict=True))
            for s in (h, -h)
        ]
        return (ends[0] - ends[1]) / (2 * h)


def close(a, b):
    return abs(a - b) <= 1e-4 * max(1.0, abs(a), abs(b))


@pytest.mark.parametrize("o", REAL if LONG else REAL[::5], ids=str)
def test_forward_over_reverse(o):
    twice = Twice(o)
    call = [*copy.deepcopy(twice.args), twice.seed, *twice.along, None]
    if str(o) in FORWARD:
        with pytest.raises(ya.YotaError) as caught:
            ya.jvp(twice.slope)(*call)
        assert caught.value.reason == FORWARD[str(o)]
        return
    _, change = ya.jvp(twice.slope)(*call)
    weights = twice.weights()
    got = sum(dot(w, d) for w, d in zip(weights[1:], change[1:], strict=True))
    assert close(got, twice.difference(weights))


REVERSE = {k: v for k, v in FORWARD.items() if v in (OF_LEVELS, OF_ITEMS)}
ROUNDED = ("x.astype(np.float32)", "np.astype(x, np.float32)")


@pytest.mark.parametrize("o", REAL if LONG else REAL[2::5], ids=str)
def test_reverse_over_reverse(o):
    if str(o) in ROUNDED:
        return  # differences see the steps of single precision
    twice = Twice(o)
    (*_, first) = inspect.signature(twice.slope).parameters
    given = {first: twice.seed}
    if str(o) in REVERSE:
        with pytest.raises(ya.YotaError) as caught:
            ya.simplegrad(twice.slope, *twice.args, wrt=twice.asked, **given)
        assert caught.value.reason == REVERSE[str(o)]
        return
    second = ya.simplegrad(twice.slope, *twice.args, wrt=twice.asked, **given)
    (*_, last) = inspect.signature(second).parameters
    none, *weights = twice.weights()
    seed = (still(none), *weights)
    _, *slopes = second(*copy.deepcopy(twice.args), **given, **{last: seed})
    got = sum(dot(d, twice.along[k]) for k, d in zip(twice.asked, slopes, strict=True))
    assert close(got, twice.difference(seed))


@pytest.mark.parametrize("o", [o for o in REAL if str(o) in FORWARD], ids=str)
def test_what_is_refused(o):
    test_forward_over_reverse(o)
    test_reverse_over_reverse(o)


def test_how_many_are_refused():
    assert len([o for o in REAL if str(o) in FORWARD]) == len(FORWARD)
    assert len(FORWARD) <= 7
    assert len(REAL) >= 1060
