"""Text of `fast=True` against readable text, with blocks of a few elements."""

import copy
import functools
import inspect
import math
import warnings

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.adjoint.fast import block_loops, cheaper_functions, fitting_operands
from yota_ast.api.call_target import callee_of
from yota_ast.api.requests import request_for
from yota_ast.pipeline import compiled, differentiated
from yota_ast.support.kept_functions import form_of
from yota_ast.support.passes import FAST_PASSES

from .checking import leaves, mapped
from .programs import CASES

TRIED = (
    *("all", "none", "fast-blocks,tidy"),
    *(pytest.param(f"-{k}", marks=pytest.mark.part(3)) for k in FAST_PASSES),
)
PASSES_OF_READABLE = {"none": "none", "fast-blocks,tidy": "tidy"}
"""Of these, those that make readable text; all where it is only those of fast text."""


@pytest.fixture(autouse=True)
def _short_blocks(monkeypatch):
    monkeypatch.setattr(block_loops, "LENGTH", 2)
    monkeypatch.setattr(block_loops, "FEWEST", 2)
    monkeypatch.setattr(fitting_operands, "FEWEST", 1)


def given_seed(gradient, fn, args):
    """A cotangent, where one must be given."""
    slot = inspect.signature(gradient).parameters.get("seed")
    if slot is None or slot.default is not slot.empty:
        return {}
    value = fn(*copy.deepcopy(args))
    return {"seed": mapped(lambda x: x * 0 + 0.75, value)}


def numbers_of(gradient, fn, args):
    """What a gradient gives, leaf by leaf."""
    seed = given_seed(gradient, fn, args)
    return list(leaves(gradient(*copy.deepcopy(args), **seed)))


def readable_numbers(fn, args, options):
    """What the readable text gives; None where there is none."""
    try:
        readable = ya.simplegrad(fn, *args, **options)
    except ya.YotaError:
        return None
    return numbers_of(readable, fn, args)


def compare(fn, args, options):
    """Hold the fast text against the readable one."""
    return compare_with(readable_numbers(fn, args, options), fn, args, options)


def compare_with(wanted, fn, args, options):
    if wanted is None:
        return None
    fast = ya.simplegrad(fn, *args, **options, fast=True)
    found = numbers_of(fast, fn, args)
    assert len(wanted) == len(found)
    for one, other in zip(wanted, found, strict=True):
        assert type(one) is type(other), fast.source
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype
            assert one.shape == other.shape
            assert other.flags.writeable
        single = getattr(one, "dtype", None) == np.float32
        np.testing.assert_allclose(other, one, rtol=1e-4 if single else 1e-9, atol=1e-9)
    return fast


@functools.cache
def readable_case(number, passes):
    """The numbers of a case, made once for all passes of fast code alone."""
    case = CASES[number]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("YOTA_AST_PASSES", passes)
        return readable_numbers(case.fn, case.args, case.options)


@pytest.mark.parametrize("passes", TRIED)
@pytest.mark.parametrize("number", range(len(CASES)), ids=map(str, CASES))
def test_fast_is_readable(number, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    monkeypatch.setattr(cheaper_functions, "FEWEST", 1)
    case, readable = CASES[number], PASSES_OF_READABLE.get(passes, "all")
    wanted = readable_case(number, readable)
    compare_with(wanted, case.fn, case.args, case.options)


# ---------------------------------------------------------------- the texts


def bent(x, y):
    t = np.sin(x) * y
    return np.sum(t * t)


X, Y = np.linspace(0.1, 1.0, 7), np.linspace(1.0, 2.0, 7)

BLOCKS = """\
    # reverse
    dy = np.empty(x.shape, np.result_type(x, y))
    dx = np.empty(x.shape, np.result_type(x, y))
    total = 0.0
    for lo in range(0, max(len(x), 1), 2):
        part = slice(lo, lo + 2)
        x_part = x[part]
        y_part = y[part]
        t1 = np.sin(x_part)
        t = t1 * y_part
        # return np.sum(t * t)
        dt = 2.0 * t
        # t = np.sin(x) * y
        dy[part] = dt * t1
        dx[part] = dt * y_part * np.cos(x_part)
        total += np.vdot(t, t)

    return total, dx, dy
"""
NO_BLOCKS = """\
    # forward
    t1 = np.sin(x)
    t = t1 * y
    val = np.vdot(t, t)

    # reverse
    # return np.sum(t * t)
    dt = 2.0 * t
    # t = np.sin(x) * y
    dy = dt * t1
    dx = dt * y * np.cos(x)

    return val, dx, dy
"""


def body(source):
    """What stands below the tests of the arguments."""
    return source[source.index("    # ") :]


@pytest.mark.parametrize(
    ("passes", "text"),
    [("-fast-memory", BLOCKS), ("-fast-memory,-fast-blocks", NO_BLOCKS)],
)
def test_elements_in_blocks(passes, text, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    source = compare(bent, (X, Y), {}).source
    assert body(source) == text
    assert "def bent_grad(x, y):" in source
    assert "Made for speed: numbers may be rounded differently." in source


def test_a_seed_stays_where_the_pass_is_off(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-fast-seed")
    fast = compare(bent, (X, Y), {})
    assert "seed=1.0" in fast.source
    assert fast(X, Y, seed=2.0)[1] == pytest.approx(2 * fast(X, Y)[1])


def halves(A, m, x):
    total = 0.0
    for row in x:
        m = A @ m - row
        total = total + 0.5 * (m @ m)
    return total


def test_a_seed_leaves_no_factor_in_a_loop():
    fn = ya.simplegrad(halves, np.eye(2), X[:2], X[:4].reshape(2, 2)).fn
    source = inspect.getsource(form_of(fn, "at_one"))
    assert "1.0" not in source.partition("# reverse")[2]


def squared(x):
    return x * x


@pytest.mark.parametrize("args", [(), (X,)])
def test_a_seed_stays_where_the_value_may_be_an_array(args):
    fast = ya.simplegrad(squared, *args, fast=True)
    assert "seed" in inspect.signature(fast).parameters


def complex_value(x):
    return np.sum(np.exp(1j * x))


def test_a_seed_stays_where_the_value_is_complex():
    fast = ya.simplegrad(complex_value, X, fast=True)
    assert "seed" in inspect.signature(fast).parameters


def means(x, w, b):
    h = np.tanh(x * w + b)
    return np.mean(h * h * np.where(x > 0, x, 0.1 * x))


WIDE = (
    np.linspace(-1, 1, 35).reshape(7, 5), np.linspace(1, 2, 5), np.ones((7, 1)),
)  # fmt: skip


def test_arrays_of_several_axes_are_cut_along_the_first():
    source = compare(means, WIDE, {"wrt": "x"}).source
    assert "rows = max(2 // max(x.shape[1], 1), 1)" in source
    assert "b_part = b[part]" in source
    assert "h = x_part * w" in source
    assert "h += b_part" in source
    assert "dx[part] = np.where(" in source


def centred(x):
    e = x - np.mean(x)
    z = np.tanh(e) * e
    return np.sum(z * z)


def test_what_needs_a_sum_is_in_another_loop():
    source = compare(centred, (X,), {}).source
    loop = source.index("for lo")
    assert "x.sum()" in source[:loop]


def few(x):
    return np.sum(x * x)


def overwritten(x):
    y = np.sin(x) * x
    x[0] = 0.0
    return np.sum(y * np.cos(y) * x)


def of_sorted(x):
    return np.sum(np.sort(x) * np.cumsum(x))


def of_whole_numbers(x, n):
    t = n * np.exp(np.sqrt(n))
    return np.sum(t * x * t)


@pytest.mark.parametrize(
    ("fn", "args", "blocks"),
    [
        (few, (X,), False),
        (overwritten, (X,), True),
        (of_sorted, (X,), False),
        (of_whole_numbers, (X, np.arange(7)), False),
    ],
)
def test_where_there_are_blocks(fn, args, blocks, monkeypatch):
    monkeypatch.setattr(block_loops, "FEWEST", 4)
    source = compare(fn, args, {}).source
    assert ("part = slice" in source) == blocks


def test_small_arrays_of_the_example_are_not_cut(monkeypatch):
    monkeypatch.setattr(block_loops, "LENGTH", 8192)
    monkeypatch.setenv("YOTA_AST_PASSES", "-fast-memory")
    assert body(compare(bent, (X, Y), {}).source) == NO_BLOCKS


def test_blocks_of_narrow_elements_have_twice_as_many(monkeypatch):
    monkeypatch.setattr(block_loops, "LENGTH", 8192)
    x = np.linspace(0, 1, 40_000)
    for given, rows in ((x, 8192), (x.astype("f4"), 16384)):
        assert f"slice(lo, lo + {rows})" in compare(bent, (given, given), {}).source
    small = x[:20_000].astype("f4")
    assert "part = slice" not in compare(bent, (small, small), {}).source


def narrow(x, w):
    t = np.tanh(np.exp(x) @ w)
    e = np.sin(t) * t - t
    return np.sum(e * e)


def test_runs_on_small_arrays_are_not_cut(monkeypatch):
    monkeypatch.setattr(block_loops, "LENGTH", 8192)
    monkeypatch.setattr(block_loops, "FEWEST", 4)
    x = np.linspace(0, 1, 40_000).reshape(100, 400)
    source = compare(narrow, (x, np.linspace(0, 1, 800).reshape(400, 2)), {}).source
    assert "part = slice" not in source


def variants(*args):
    """Arguments in other types, orders and lengths."""

    def each(change):
        return tuple(change(x) if isinstance(x, np.ndarray) else x for x in args)

    yield each(lambda x: x.astype(np.float32))
    yield each(lambda x: x.astype(">f8"))
    yield each(lambda x: x[::-1])
    yield each(lambda x: np.repeat(x, 2, axis=0)[::2])
    yield each(np.asfortranarray)
    yield each(lambda x: x[:4])
    yield each(lambda x: x[:0])


@pytest.mark.parametrize(
    ("fn", "args"), [(bent, (X, Y)), (means, (*WIDE[:1], 0.5, 2.0))]
)
def test_other_arrays(fn, args):
    readable, fast = ya.simplegrad(fn, *args), ya.simplegrad(fn, *args, fast=True)
    assert "part = slice" in fast.source
    for given in variants(*args):
        kept = copy.deepcopy(given)
        with np.errstate(invalid="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            wanted, found = readable(*given), fast(*given)
        for one, other in zip(leaves(wanted), leaves(found), strict=True):
            assert type(one) is type(other)
            assert getattr(one, "dtype", float) == getattr(other, "dtype", float)
            np.testing.assert_allclose(other, one, rtol=1e-4)
        np.testing.assert_equal(given, kept)


@pytest.mark.parametrize("other", [Y[:6], Y[:1], Y.reshape(7, 1)])
def test_arrays_that_do_not_fit_are_refused(other):
    fast = ya.simplegrad(bent, X, Y, fast=True)
    with pytest.raises(ValueError, match="made for x"):
        fast(X, other)


def test_results_have_memory_of_their_own():
    fast = ya.simplegrad(bent, X, Y, fast=True)
    _, dx, dy = fast(X, Y)
    assert not np.shares_memory(dx, dy)
    assert not any(np.shares_memory(d, x) for d in (dx, dy) for x in (X, Y))


def test_a_none_is_refused_as_before():
    def scaled(x, c):
        return np.sum(np.sin(c * x) * np.cos(x))

    fast = ya.simplegrad(scaled, X, 2.0, wrt="x", fast=True)
    assert "None" not in fast.source
    with pytest.raises(TypeError):
        fast(X, None)


def test_a_fast_gradient_has_a_derivative():
    fast = ya.simplegrad(bent, X, Y, fast=True)
    readable = ya.simplegrad(bent, X, Y)

    def slope_of(gradient):
        return ya.grad(lambda x: np.sum(gradient(x, Y)[1] * Y), X)[1][0]

    assert slope_of(fast) == pytest.approx(slope_of(readable))


# ---------------------------------------------------------------- rows


def mixture(x, mean):
    z = x[:, None] - mean
    e = -0.5 * z * z
    top = e.max(axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(e - top), axis=1)) + top[:, 0])


def test_rows_are_reduced_in_blocks(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-fast-sums,-fast-columns")
    source = compare(mixture, (X, np.array([0.1, 0.5, 0.7])), {}).source
    loop = source[source.index("    for lo") :]
    assert "top = e.max(axis=1, keepdims=True)" in loop
    assert "rows = max(2 // max(mean.shape[0], 1), 1)" in source
    assert ".sum(axis=0)" in loop


def by_columns(x, w):
    z = np.tanh(x * w)
    return np.sum(z * np.max(z, axis=0))


def of_square(x, v):
    u = np.sin(v) * v
    return np.sum(np.tanh(x * u) * x + u)


def views(x):
    v = x[:, 0]
    z = np.sin(v) * v
    return np.sum(z * z) + np.sum(np.exp(x) * x)


SQUARE = np.linspace(-1, 1, 49).reshape(7, 7)


@pytest.mark.parametrize(
    ("fn", "args"),
    [(by_columns, WIDE[:2]), (of_square, (SQUARE, X)), (views, (SQUARE,))],
)
def test_what_reads_all_rows_is_right(fn, args):
    assert "part = slice" in compare(fn, args, {}).source


def written_view(x):
    y = np.sin(x) * x
    y[:, 0] *= 2.0
    v = y[:, 1]
    v += np.cos(x[:, 0]) * v
    return np.sum(y * y * x)


def test_views_that_are_written_are_no_part_of_a_run():
    compare(written_view, (SQUARE,), {})


def scaled_in_place(x, y):
    v = np.arctan(x)
    v *= y
    return np.sum(v)


def test_an_adjoint_that_is_an_overwritten_array_is_what_stood_there():
    compare(scaled_in_place, (X, Y), {})


def test_a_unit_seed_reads_an_array_before_it_is_overwritten():
    request, names = request_for(callee_of(scaled_in_place), (X, Y), {}, None)
    _, program = differentiated(request, names)
    at_one = compiled(program.forms["at_one"]())
    assert at_one(X, Y)[2] == pytest.approx(np.arctan(X))


def update(A, u, v, y):
    B = A + np.outer(u, v) + np.outer(v, u)
    return np.sum(((2.0 * B) @ (3.0 * B.T @ y)) ** 2)


def gaps(x, centres):
    gap = x[:, None, :] - centres[None, :, :]
    return np.sum(np.log(np.sum(np.exp(-np.sum(gap * gap, axis=-1)), axis=1)))


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (update, (np.outer(X, Y), X, Y, Y)),
        (gaps, (np.outer(X, Y[:3]), np.outer(Y, X[:3]))),
    ],
)
def test_what_blocks_do_not_spare_is_computed_at_once(fn, args, monkeypatch):
    monkeypatch.setattr(block_loops, "FEWEST", 4)
    assert "for lo" not in compare(fn, args, {}).source


def unset(x, n):
    if n > 2:
        a = np.sin(x) * x
        y = np.tanh(a) * a + x
    elif n > 1:
        y = x
    u = np.sin(x) * x
    z = np.tanh(u) * u + x
    return np.sum(y * z + u)


def test_a_name_without_a_value_raises_as_it_does():
    made = compare(unset, (X, 3), {})
    with pytest.raises(UnboundLocalError, match="'y'"):
        made(X, 0)


def a_loop_that_is_left(x, p):
    for _ in range(2):
        if len(x):
            break
        x = np.zeros(3) + p
    t = np.zeros((3, 2)) * p[2]
    return np.sum(np.stack([p, p], axis=1) - np.mean(t, axis=0) + t + t)


def test_no_length_is_asked_of_what_a_loop_makes():
    compare(a_loop_that_is_left, (np.ones(2), np.ones(3)), {})


def spiral(x, y):
    r = math.sqrt(x * x + y * y)
    return math.exp(-r) / r + math.log(r)


def test_numbers_that_are_read_twice_are_computed_once():
    assert "= dr / r\n" in compare(spiral, (0.7, 1.9), {}).source
    assert "dy = dr / r * y" in ya.simplegrad(spiral, 0.7, 1.9).source
