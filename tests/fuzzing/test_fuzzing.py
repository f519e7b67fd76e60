"""Random programs: a slice of them in every run, and the tools around them."""

import json
import math
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import yota_ast as ya
from tests.adjoint.checking import same_bits

from . import trial
from .aliases import aliased
from .differences import is_closer
from .nested import nested
from .program import Drawn, draw
from .reducing import reduced
from .runner import read_log, run, run_seed, summary
from .test_found import VALUES
from .trial import try_program

SLICE = range(30)
LONG = settings.get_current_profile_name() == "fuzz"


@pytest.mark.parametrize("seed", SLICE)
def test_the_program_of_a_seed(seed):
    outcome = run_seed(seed)
    assert not outcome.failed, f"{outcome.source}\n{outcome.detail}"


@pytest.mark.part(2)
@pytest.mark.parametrize("seed", range(3000 if LONG else 60))
def test_ways_of_reading_a_nested_container(seed):
    outcome = try_program(nested(Random(seed)), seed)
    assert not outcome.failed, f"{outcome.source}\n{outcome.detail}"


@pytest.mark.part(2)
@pytest.mark.parametrize("seed", range(3000 if LONG else 60))
def test_names_of_containers(seed):
    outcome = try_program(aliased(Random(seed)), seed)
    assert not outcome.failed, outcome.detail


@pytest.mark.part(2)
@pytest.mark.parametrize("seed", range(1000 if LONG else 20))
def test_forward_mode_of_a_nested_container(seed):
    drawn = nested(Random(-seed))
    with trial.function_of(drawn.source) as f:
        try:
            found = ya.gradcheck(f, *drawn.args)
        except ya.YotaError:
            return  # not followed
    assert found, f"{drawn.source}\n{found}"


@pytest.mark.fuzz
@settings(
    max_examples=5_000 if LONG else 8,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(random=st.randoms(use_true_random=False), number=st.integers(0, 11))
def test_a_program_that_shrinks(random, number):
    outcome = try_program(draw(random), number)
    assert not outcome.failed, f"{outcome.source}\n{outcome.detail}"


def test_a_seed_gives_one_program():
    one, two = draw(Random(5)), draw(Random(5))
    assert one.source == two.source
    assert repr(one.args) == repr(two.args)


def case(text):
    source = f"import numpy as np\ndef program(x, a):\n{text}"
    args = (VALUES["x"].copy(), VALUES["a"])
    return Drawn(source, args, ("x", "a"), plain=True, holomorphic=True)


RIGHT = "    y = x * a\n    return np.sum(y * y)\n"


class Off:
    """A generated function whose results are changed."""

    def __init__(self, function, change):
        self.function, self.change = function, change
        self.source = function.source

    def __call__(self, *args, **kwargs):
        return self.change(args, *self.function(*args, **kwargs))


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("gradient", lambda args, val, dx, da: (val, dx * 1.0001, da)),
        ("gradient", lambda args, val, dx, da: (val, dx * math.nan, da)),
        ("primal", lambda args, val, dx, da: (val + 1e-15, dx, da)),
        ("primal", lambda args, val, dx, da: (float(val), dx, da)),
        ("kind", lambda args, val, dx, da: (val, dx.astype("f4"), da)),
        ("kind", lambda args, val, dx, da: (val, args[0], da)),
        ("arguments", lambda args, val, dx, da: (args[0].sort(), (val, dx, da))[1]),
    ],
)
def test_what_is_wrong_is_found(kind, change, monkeypatch):
    right = trial.compiled
    monkeypatch.setattr(trial, "compiled", lambda p: Off(right(p), change))
    found = try_program(case(RIGHT), 1)
    assert found.kind == kind, found.detail


def test_outcomes():
    assert try_program(case(RIGHT), 1).kind == "right"
    assert try_program(case("    return np.sum(x[7])\n"), 1).kind == "raises"
    assert (
        try_program(case("    return a if x[0] > 9 else None\n"), 1).kind == "useless"
    )
    kink = "    return abs(a + 0.35) * np.sum(x)\n"
    assert try_program(case(kink), 1).kind == "rough"
    unset = "    y = np.empty(3)\n    y[1:] = a\n    return np.sum(y) + 0.0 * x[0]\n"
    assert try_program(case(unset), 1).kind == "useless"
    refused = try_program(case("    yield a\n"), 1)
    assert refused.kind in ("refused", "useless")


def test_a_text_may_refuse_what_shares_memory_otherwise():
    apart = """    h = np.transpose([x, x])
    y = h.ravel()[:3]
    h[:] = y[:, None]
    return np.sum(y) * a
"""
    assert try_program(case(apart), 1).kind == "refused"


OVERFLOWS = """    b = np.exp(x * 1e4)
    if a > 5:
        x = x + b
    return np.sum(x * x) * a
"""


def test_where_a_number_overflows_no_gradient_is_promised_but_a_finite_one(monkeypatch):
    assert try_program(case(OVERFLOWS), 1).kind == "overflow"
    right = trial.compiled
    change = lambda args, val, dx, da: (val, 0 * args[0], da)
    monkeypatch.setattr(trial, "compiled", lambda p: Off(right(p), change))
    assert try_program(case(OVERFLOWS), 1).kind == "gradient"


def test_of_a_kink_that_is_near_short_steps_tell():
    """1.0 on this side of the kink, 2.0 beyond it, and wide steps see 1.5."""

    def at(step):
        return max(step, 2 * step - 5e-6)

    assert is_closer(at, 1.0, 1.5)
    assert not is_closer(at, 1.5, 1.0)
    assert not is_closer(at, 1.5, 2.0)


def test_a_nan_is_a_nan_whatever_its_sign():
    one, two = np.array([np.nan, 0.0]), np.array([-np.nan, 0.0])
    assert one.tobytes() != two.tobytes()
    assert same_bits(one, two)
    assert same_bits(one[0], two[0])
    assert same_bits(one * 1j, two * 1j)
    assert not same_bits(one, np.array([np.nan, -0.0]))
    assert not same_bits(one, np.array([0.0, np.nan]))


def test_a_failure_is_reduced():
    text = "def program(x):\n    y = 2\n    if x:\n        z = x\n    return z / 0\n"
    assert reduced(text, lambda source: "/ 0" in source).splitlines() == [
        "def program(x):",
        "    return z / 0",
    ]


def test_a_range_is_resumed(tmp_path):
    log, said = tmp_path / "log", []
    run(0, 3, jobs=1, log=log, say=said.append)
    assert len(said) == 1
    chunks = run(0, 3, jobs=1, log=log, say=said.append)
    assert len(said) == 1
    assert [(c.first, c.last) for c in read_log(log)] == [(0, 3)]
    assert sum(json.loads(log.read_text())["counts"].values()) == 3
    assert summary(chunks).startswith("3 programs")
