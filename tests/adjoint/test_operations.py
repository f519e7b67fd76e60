"""The table of operations through the whole pipeline, against finite differences."""

import hypothesis
import numpy as np
import pytest

from tests.operations import BINARY, OPERATIONS, PAIRS, _texts, op

from .checking import PASSES, check, leaves

FLAT = {
    "np.float32(x)",  # rounds by more than differences bear
    "np.empty_like(x)",  # whatever the memory holds
    "print(x)", "complex(x)", "complex(u, v)",  # no real result
    "x[i]",  # of a list
    "np.result_type(x)", "'%.1f' % x",  # no number
    "np.pad(x, 2, 'empty')",
}  # fmt: skip
LONG = hypothesis.settings.get_current_profile_name() == "fuzz"  # `make fuzz-tests`
CONTAINERS = (list, tuple, dict)


def is_real(o):
    values = o.sample().values()
    if any(np.iscomplexobj(v) for v in values if isinstance(v, np.ndarray)):
        return False
    return any(list(leaves(v)) for v in values)


REAL = [o for o in OPERATIONS if is_real(o) and not o.symmetric and str(o) not in FLAT]
PLAIN = [
    o
    for o in REAL
    if str(o) != "np.full_like(x, v, shape=(4,))"  # of whole numbers: a fact decides
    and not any(isinstance(v, CONTAINERS) for v in o.sample().values())
    # Of the structure of a value the general text knows nothing.
    and not isinstance(o.fn(*o.sample().values()), CONTAINERS)
]


def single(value):
    doubles = isinstance(value, np.ndarray) and value.dtype == np.float64
    return value.astype(np.float32) if doubles else value


@pytest.mark.parametrize("o", REAL, ids=str)
def test_operation(o):
    check(o.fn, list(o.sample().values()))


@pytest.mark.part(4)
@pytest.mark.parametrize("o", PLAIN, ids=str)
def test_operation_by_the_general_text(o):
    check(o.fn, list(o.sample().values()), general=True)


@pytest.mark.part(2)
@pytest.mark.parametrize("o", PLAIN if LONG else PLAIN[::2], ids=str)
def test_operation_in_single_precision(o):
    check(o.fn, [single(v) for v in o.sample().values()])


@pytest.mark.part(2)
@pytest.mark.parametrize("o", REAL if LONG else REAL[::3], ids=str)
def test_operation_without_passes(o, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "none")
    check(o.fn, list(o.sample().values()))


@pytest.mark.part(4)
@pytest.mark.fuzz
@pytest.mark.parametrize("passes", PASSES[2:])
@pytest.mark.parametrize("o", REAL if LONG else REAL[1::8], ids=str)
def test_operation_with_a_pass_left_out(o, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(o.fn, list(o.sample().values()))


DOMAINS = [(d, t) for d, block in BINARY.items() for t in _texts(block)]
SMOOTH = [(d, t) for d, t in DOMAINS if t not in FLAT]
# Of these, so many differences at once may step over a jump.
JUMPING = ("//", "%", "mod(", "floor_divide", "remainder")
STEADY = [(d, t) for d, t in SMOOTH if not any(j in t for j in JUMPING)]


@pytest.mark.parametrize("general", [False, True], ids=["specific", "general"])
@pytest.mark.parametrize("shapes", PAIRS, ids=str)
@pytest.mark.parametrize(("domains", "text"), SMOOTH[:6] + SMOOTH[-8:-4], ids=str)
def test_operation_that_broadcasts(domains, text, shapes, general):
    (a, b), (p, q) = domains, shapes
    o = op(text, u=a(*p), v=b(*q))
    check(o.fn, list(o.sample().values()), general=general)


@pytest.mark.fuzz
@pytest.mark.parametrize("shapes", PAIRS if LONG else PAIRS[::6], ids=str)
@pytest.mark.parametrize(("domains", "text"), STEADY, ids=str)
def test_every_operation_that_broadcasts(domains, text, shapes):
    (a, b), (p, q) = domains, shapes
    o = op(text, u=a(*p), v=b(*q))
    check(o.fn, list(o.sample().values()))


KINDS = {
    "float": float,
    "float64": np.float64,
    "float32": np.float32,
    "0-d": np.array,
    "0-d float32": lambda x: np.array(x, np.float32),
    "array": lambda x: np.full((2, 3), x),
    "array float32": lambda x: np.full(3, x, np.float32),
}


@pytest.mark.part(2)
@pytest.mark.parametrize("general", [False, True], ids=["specific", "general"])
@pytest.mark.parametrize("left", KINDS)
@pytest.mark.parametrize("right", KINDS)
@pytest.mark.parametrize(
    "text", ["u * v", "u / v + u", "u ** v", "np.maximum(u, v) - u"]
)
def test_kinds(text, left, right, general):
    o = op(text, u=1.5, v=0.7)
    check(o.fn, [KINDS[left](1.5), KINDS[right](0.7)], general=general)
