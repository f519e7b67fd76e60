"""What several parts of a reverse sweep share stands once; terms are added together."""

import math
import operator

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.adjoint.inplace.kept_views import Reads
from yota_ast.adjoint.rewrites.gathered_sums import terms_of
from yota_ast.analysis.last_reads import Following
from yota_ast.ir.abstract_values import array_fact
from yota_ast.ir.atoms import Var
from yota_ast.ir.builder import Builder, Names
from yota_ast.ir.nodes import Apply
from yota_ast.nesting.call_inference import infer

from ..golden.programs import smoothed, smoothstep
from .checking import check


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def text(fn, *args, **kwargs):
    return ya.simplegrad(fn, *args, **kwargs).source


def reverse(fn, *args):
    """The lines of the reverse sweep."""
    lines = text(fn, *args).partition("# reverse")[2].partition("\n    return")[0]
    return [s.strip() for s in lines.splitlines() if s.strip()]


def shared_in_arms(xs, c):
    s = 0.0
    for x in xs:
        y = c * x
        z = y * y
        if x > 0.5:
            s += math.sin(y) * z
        elif x > 0.2:
            s += y * z * c
        s += z * y
    return s


def kepler(m, e):
    E = m
    while True:
        d = (E - e * math.sin(E) - m) / (1 - e * math.cos(E))
        E = E - d
        if abs(d) < 1e-12:
            break
    return E


def only_minus(x, c, n):
    y = c
    for _ in range(n):
        y = y + (c - x) * (2.0 - x)
    return y


def of_arrays(A, x, n):
    y = x
    for _ in range(n):
        z = A @ y
        y = z * y - z + y * x
    return np.sum(y * x)


def trajectory(a, b, g, dt, n):
    y = np.array([a, b])
    out = np.zeros((n + 1, 2))
    out[0] = y
    for k in range(n):
        y = y + dt * np.array([y[1], -g * np.sin(y[0])])
        out[k + 1] = y
    return np.sum(out**2)


def written_twice(v, n):
    out = np.zeros((n, 2))
    y = v
    for k in range(n):
        y = y * np.sin(y)
        out[k] = y
        out[0] = y * v
    return np.sum(out**2)


def read_before(v, n):
    out = np.ones((n + 1, 2))
    y = v
    for k in range(n):
        y = y * np.sin(out[k] + y)
        out[k + 1] = y
    return np.sum(out[n] ** 2)


def backwards(v, n):
    out = np.ones((n + 1, 2))
    y = v
    for k in range(n, 0, -1):
        y = y * np.sin(y)
        out[k] = y
        if y[0] < 0.01:
            break
    return np.sum(out[1:] ** 2)


def cells(a, b, n):
    y = np.array([a, b])
    for _ in range(n):
        z = y * b
        y = np.array([z[1] * z[0], z[-1] + a * z[0]])
    return y[0] * y[1]


def cells_of_views(a, b):
    z = np.array([a, b]) * b
    u = z[1:]
    return z[1] * a + u[0] * z[0] + u[0] ** 2 + z[0] ** 3


V = np.array([0.7, 1.3])
ALL = [
    (smoothstep, (0.7, 0.1, 1.2)),
    (smoothstep, (0.3, 0.1, 1.2)),
    (smoothstep, (1.3, 0.1, 1.2)),
    (smoothed, (np.array([0.05, 0.4, 0.9, 1.4]), 0.1, 1.2)),
    (shared_in_arms, (np.array([0.1, 0.3, 0.9, -0.4]), 0.8)),
    (kepler, (1.0, 0.3)),
    (only_minus, (0.4, 0.7, 3)),
    (of_arrays, (np.array([[0.3, 0.2], [-0.4, 0.5]]), V, 3)),
    (trajectory, (0.3, 0.1, 9.8, 0.02, 5)),
    (written_twice, (V, 4)),
    (read_before, (V, 4)),
    (backwards, (V, 4)),
    (cells, (0.4, 0.7, 3)),
    (cells_of_views, (0.4, 0.7)),
]
IDS = [f"{fn.__name__}-{k}" for k, (fn, _) in enumerate(ALL)]


@pytest.mark.parametrize(("fn", "args"), ALL, ids=IDS)
def test_the_gradient(fn, args, passes):
    check(fn, args)


def test_what_an_arm_and_what_follows_read_is_computed_before(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-fused")
    lines = reverse(smoothed, *dict(ALL[3:4])[smoothed])
    made = [s for s in lines if s.startswith("y = ")]
    assert made == ["y = (x - low) / t2"]
    assert lines.index(made[0]) < lines.index("if x > high:")


def test_the_adjoints_of_a_return_have_the_names_of_the_others():
    lines = text(smoothstep, *ALL[0][1])
    assert lines.count("    dx = ") == 3
    assert "_2" not in lines


def test_a_variable_of_the_users_keeps_its_name_before_an_adjoint():
    def with_dx(x, y):
        dx = x * y
        if dx > 100.0:
            return x
        return dx * x

    assert "dx_2 = " in text(with_dx, 1.0, 2.0)


@pytest.mark.parametrize(
    ("fn", "args", "line"),
    [
        (smoothed, ALL[3][1], "dlow += t4 - t3"),
        (kepler, ALL[5][1], "de += t3 * t1 - t2 * t4"),
        (only_minus, ALL[6][1], "dx -= seed * (c - x) + t1"),
    ],
)
def test_the_line(fn, args, line, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-fused")
    assert line in reverse(fn, *args), "\n".join(reverse(fn, *args))


def test_what_others_refer_to_is_not_added_to():
    assert "dE = dE - t3 * e * t4 + t2 - t2 * e * t1" in reverse(kepler, *ALL[5][1])


def test_rows_as_long_as_what_is_stored_need_no_sum():
    assert "unbroadcast" not in text(trajectory, *ALL[8][1])


@pytest.mark.parametrize(
    ("fn", "args", "zeros"),
    [
        (trajectory, ALL[8][1], False),
        (written_twice, ALL[9][1], True),
        (read_before, ALL[10][1], False),
        (backwards, ALL[11][1], False),
    ],
)
def test_cells_are_cleared_where_they_are_read_again(fn, args, zeros):
    assert any(s.endswith("] = 0.0") for s in reverse(fn, *args)) is zeros


def test_what_is_added_first_is_assigned():
    lines = [s for s in reverse(cells, *ALL[12][1]) if s.startswith("dz[")]
    assert [s.split("=")[0] for s in lines] == [
        "dz[-1] ",
        "dz[0] +",
        "dz[1] +",
    ]


def sum_of_two(*, between=False, read=False, later=False):
    """The terms that are found in `dx - a + b`, where something stands in between."""
    vectors = array_fact(float, (None,))
    dx, a, b = (Var(name, vectors, name) for name in ("dx", "a", "b"))
    builder = Builder(infer, Names())
    inner = builder.apply(operator.sub, dx, a)
    if between:
        builder.apply(operator.add, a, b, form="augmented", hint="a")
    if read:
        builder.apply(operator.neg, inner)
    op = Apply(Var("dx.2", vectors, "dx"), operator.add, (inner, b))
    following = Following({inner.name: 0} if later else {})
    return terms_of(op, builder, following, Reads())


def test_the_terms_of_a_sum():
    found = sum_of_two()
    assert found is not None
    assert found.start.name == "dx"
    assert [(plus, a.name) for plus, a in found.terms] == [(False, "a"), (True, "b")]


@pytest.mark.parametrize("why", ["between", "read", "later"])
def test_terms_stay_where_others_read_or_write_them(why):
    assert sum_of_two(**{why: True}) is None
