"""What NumPy and JAX mean otherwise: the text gives NumPy's numbers, or is refused."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedCall

X = np.array([0.3, 0.6, 0.9])
TABLE = np.array([1.0, 2.0, 4.0])
PLACES = np.array([0, 2])


def made(f, *args, **how):
    return ya.simplegrad(f, *args, wrt="x", backend="jax", **how)


def compared(f, *rest, x=X):
    """The results on JAX, if they are those of NumPy."""
    wanted = ya.simplegrad(f, x, *rest, wrt="x")(x.copy(), *rest)
    found = made(f, x, *rest)(x, *rest)
    for one, other in zip(found, wanted, strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
    return found


# ---------------------------------------------------------------- stores and views


def product(x, other):
    out = np.zeros((len(x), 2))
    for i in range(len(x)):
        for j in range(2):
            for k in range(3):
                out[i, j] += x[i, k] * other[k, j]
    return np.sum(np.sin(out))


def test_loops_that_become_statements_on_arrays():
    compared(product, np.ones((3, 2)), x=np.arange(12.0).reshape(4, 3))


def changes_its_own(x):
    z = x.copy()
    z *= 2
    z += x
    z[x > 0.5] = 0.0
    np.multiply(z, x, out=z)
    z[1:] -= x[0]
    z[0] **= 3
    return np.sum(z**2)


def reads_a_view_later(x):
    A = np.outer(x, x)
    row = A[0]
    A[0] = 5.0 * x
    return np.sum(row**2) + np.sum(A)


def adds_at_places(x, places):
    z = np.zeros(3)
    np.add.at(z, places, x)
    return np.sum(z**2)


def stores_in_columns(x):
    z = np.zeros((3, 2))
    z[:, 0] = x
    z[1] = x[:2]
    z[..., -1] *= 2
    return np.sum(z**3)


@pytest.mark.parametrize("f", [changes_its_own, reads_a_view_later, stores_in_columns])
def test_stores_make_new_arrays(f):
    given = X.copy()
    compared(f, x=given)
    assert np.array_equal(given, X)


def test_places_that_repeat_add_up():
    compared(adds_at_places, np.array([0, 0, 2]))


def stores_at_places(x, places):
    z = np.zeros(3)
    z[places] = x
    return np.sum(z**2)


def changes_its_argument(x):
    x[0] = 2 * x[1]
    return np.sum(x**2)


def changes_a_view(x):
    z = x * 2
    v = z.reshape(3, 1)
    v[0, 0] = x[1] ** 2
    return np.sum(z**2)


def changes_a_part_of_its_argument(x):
    tail = x[1:]
    tail[0] = 2.0
    return np.sum(x**2)


@pytest.mark.parametrize(
    ("f", "rest", "reason"),
    [
        (stores_at_places, (np.array([0, 0, 2]),), "may name an element twice"),
        (changes_its_argument, (), "an argument is changed"),
        (changes_a_part_of_its_argument, (), "an argument is changed|into a view"),
        (changes_a_view, (), "a store into a view"),
    ],
)
def test_stores_that_mean_something_else_are_refused(f, rest, reason):
    with pytest.raises(
        UnsupportedCall, match=rf"test_meanings\.py:\d+:\d+: .*{reason}"
    ):
        made(f, X.copy(), *rest)


# ---------------------------------------------------------------- indices


def item(x, k):
    return x[k] ** 2 + np.sum(x)


def second_of_three(x):
    return x[-3] * x[1] * x[2]


def stored_at(x, k):
    z = np.zeros(3)
    z[k] = x[0]
    return np.sum(z**2)


def taken(x, places):
    return np.sum(x[places] ** 2)


@pytest.mark.parametrize("k", [0, 2, -1, -3, np.int64(1)])
def test_an_index_in_range(k):
    compared(item, k)
    compared(stored_at, k)


@pytest.mark.parametrize("f", [item, stored_at])
@pytest.mark.parametrize("k", [3, -4])
def test_an_index_out_of_range_raises(f, k):
    function = made(f, X, 0)
    with pytest.raises(IndexError):
        function(X, k)


def test_a_constant_index_out_of_range_raises():
    function = made(second_of_three, X)
    for short in (X[:2], X[:0]):
        with pytest.raises(IndexError):
            function(short)


def test_places_out_of_range_raise():
    compared(taken, np.array([2, 0, 2, -1]))
    function = made(taken, X, PLACES)
    with pytest.raises(IndexError):
        function(X, np.array([0, 3]))


def test_places_are_held_or_refused_under_jit():
    function = made(taken, X, PLACES)
    value, _ = jax.jit(lambda x: function.fn(x, PLACES))(X)
    assert np.isclose(value, taken(X, PLACES))
    with pytest.raises(TypeError, match=r"under jax\.jit an index that is an argument"):
        jax.jit(function.fn)(X, PLACES)


# ---------------------------------------------------------------- numbers


def of_python(x):
    total = float(np.sum(x))
    return total * math.exp(float(x[0])) * math.sqrt(len(x))


def with_tables(x):
    return np.sum(TABLE * x) + np.sum(x[PLACES] ** 3)


def scaled(x, c):
    return np.sum(x * c)


def halves(x, k):
    return np.sum(x * (k // 2))


def powers(x, p):
    return np.sum(x**p)


def of_numbers(x, y):
    return x * x * y


def test_numbers_of_python_are_traced():
    found = compared(of_python)
    again = jax.jit(made(of_python, X).fn)(X)
    assert np.allclose(again[0], found[0], rtol=1e-12)


def test_arrays_of_the_module_are_read():
    compared(with_tables)


@pytest.mark.parametrize("p", [2, -1, 2.5])
def test_powers(p):
    compared(powers, p)


def test_whole_numbers_that_jax_divides_otherwise_are_refused():
    compared(halves, 5)
    with pytest.raises(UnsupportedCall, match="floordiv"):
        made(halves, X, np.array([1, 5, 2]))


def reciprocals(x, k):
    return np.sum(x * np.reciprocal(k))


def test_reciprocals_of_whole_numbers_are_refused():
    """NumPy has 0 for 1 / 3 there, JAX a float."""
    compared(reciprocals, X)
    with pytest.raises(UnsupportedCall, match="reciprocal"):
        made(reciprocals, X, np.array([1, 5, 2]))


def counts_by_float(x):
    return (float(x[0] > 0) + float(x[1] > 0) - float(x[2] > 5)) * x[2]


def inverts_a_place(x):
    return float(np.argmax(x)) ** -1 * x[0]


@pytest.mark.parametrize("f", [counts_by_float, inverts_a_place])
def test_float_makes_floats_of_masks_and_whole_numbers(f):
    """Two masks were added as masks: 1 was returned for 1 + 1."""
    compared(f)


def mean_of_a_mask(x):
    return np.mean(x > 0.5) * x[0]


def variance_of_a_mask(x):
    return (x > 0.5).var() * x[0]


def ratio_of_masks(x):
    return np.sum((x > 0.5) / (x > 0) / 3 * x)


def root_of_a_mask(x):
    return math.sqrt(x[0] > 0) / 3 * x[0]


def thirds_of_few_bits(x):
    return np.sum(np.arange(3, dtype=np.int32) / 3 * x)


def triangle(x):
    return np.sum(np.tri(3) / 3 * x)


@pytest.mark.parametrize(
    "f",
    [
        mean_of_a_mask, variance_of_a_mask, ratio_of_masks, root_of_a_mask,
        thirds_of_few_bits, triangle,
    ],
)  # fmt: skip
def test_floats_of_32_bits_are_refused(f):
    """JAX makes them of masks and of int32, whatever jax_enable_x64 says."""
    with pytest.raises(UnsupportedCall, match="of 32 bits in JAX"):
        made(f, X)


def converts_masks(x):
    mask = x > 0.5
    mean = np.mean(mask.astype(float)) + np.mean(mask, dtype=float)
    return mean * x[0] + np.sum(mask / 3 * x)


def thirds_of_places(x):
    return np.sum(np.searchsorted(TABLE, x + 1) / 3 * x)


@pytest.mark.parametrize("f", [converts_masks, thirds_of_places])
def test_masks_and_places_that_have_64_bits(f):
    compared(f)


def test_whole_numbers_of_few_bits_are_refused():
    function = made(taken, X, PLACES)
    with pytest.raises(TypeError, match="whole numbers of int64"):
        function(X, PLACES.astype(np.int8))


@pytest.mark.parametrize(
    "widths", [2, (1, 2), ((1, 2),), ((0, 1), (2, 0)), [(0, 0), (1, 1)]]
)
@pytest.mark.parametrize("mode", ["constant", "edge"])
def test_widths_of_padding(widths, mode):
    def padded(x, n):
        return np.sum(np.pad(x * n, widths, mode=mode) ** 2)

    compared(padded, 2.0, x=np.arange(6.0).reshape(2, 3))


def rotates_a_list(x):
    return np.sum(np.cross([0, 0, x[1]], x) * (1, 2, 3))


def chooses_of_lists(x):
    kept = np.where([True, False, True], x, [0, 1, 2])
    return np.linalg.norm(np.dot([[1, 2, 3.5]], np.maximum(kept, (0.5, 0.5, 0.5))))


def multiplies_lists(x):
    return np.sum(([1, 2, 3] * x) ** 2) + np.sum(x @ [[1], [2], [3]])


def gives_lists_by_name(x):
    steps = np.diff(x, prepend=[1.0], append=[2.0])
    return np.sum(steps**2) + np.trapezoid(x * x, x=[0, 1, 3])


def compares_with_a_list(x):
    return np.sum(np.repeat(x * (x > [0, 1, 0.5]), [1, 2, 0]) ** 2)


LISTS = [
    rotates_a_list,
    chooses_of_lists,
    multiplies_lists,
    gives_lists_by_name,
    compares_with_a_list,
]


@pytest.mark.parametrize("f", LISTS)
def test_lists_are_arrays_where_numpy_takes_either(f):
    compared(f)


def splits_at_places(x):
    first, rest = np.split(x, [1])
    return np.sum(first * rest**2)


def test_places_to_split_at_stay_a_list_that_jit_knows():
    found = compared(splits_at_places)
    again = jax.jit(made(splits_at_places, X).fn)(X)
    assert np.allclose(again[1], found[1], rtol=1e-12)


def test_an_array_of_the_other_byte_order():
    function = made(with_tables, X)
    assert np.allclose(function(X.astype(">f8"))[0], with_tables(X), rtol=1e-12)


def test_arrays_that_compute_otherwise_are_refused():
    function = made(scaled, X, 2.0)
    for other in (np.ma.array(X, mask=[1, 0, 0]), X.tolist()):
        with pytest.raises((TypeError, ValueError, AttributeError)):
            function(other, 2.0)


def test_numbers_alone_in_32_bits_are_refused(narrow):
    function = ya.simplegrad(of_numbers, 2.0, 3.0, backend="jax")
    with pytest.raises(TypeError, match="jax_enable_x64"):
        function(2.0, 3.0)


def test_a_table_of_64_bits_is_not_rounded(narrow):
    short = X.astype(np.float32)
    function = made(with_tables, short)
    with pytest.raises(TypeError, match="64 bits to 32"):
        function(short)


def test_numbers_of_numpy_in_32_bits_are_refused(narrow):
    short = X.astype(np.float32)
    function = made(scaled, short, 2.0)
    assert function(short, 2.0)[0].dtype == np.float32
    with pytest.raises(TypeError, match="32 bits"):
        function(short, np.float64(2.0))


# ---------------------------------------------------------------- branches


def limited(x, limit):
    total = 0.0
    for i in range(len(x)):
        if x[i] < 0:
            continue
        total = total + np.sin(x[i])
        if total > limit:
            break
    return total


def by_length(x, n):
    if n > 2 and len(x) > 2:
        return np.sum(x**n)
    return np.sum(x)


def test_branches_on_values_run_eagerly():
    compared(limited, 0.5)
    compared(limited, 9.0)


def test_branches_on_values_are_refused_under_jit():
    function = made(limited, X, 0.5)
    with pytest.raises(TypeError, match=r"`if x\[i\] < 0` depends on values"):
        jax.jit(function.fn)(X, 0.5)


def test_branches_on_lengths_are_decided_under_jit():
    function = made(by_length, X, 3)
    value, _ = jax.jit(function.fn, static_argnames="n")(X, n=3)
    assert np.isclose(value, by_length(X, 3))


# ---------------------------------------------------------------- what has no twin


def prints(x):
    print(x)
    return np.sum(x)


def tries(x):
    try:
        return np.sum(np.log(x))
    except ValueError:
        return 0.0


def rounds(x):
    return np.sum(np.round(x, 1) * x)


def draws(x):
    return np.sum(x * np.random.rand(3))  # noqa: NPY002


@pytest.mark.parametrize("f", [prints, tries, rounds, draws])
def test_what_has_no_twin_is_refused_by_line(f):
    with pytest.raises(UnsupportedCall, match=r"test_meanings\.py:\d+:\d+") as caught:
        made(f, X)
    assert "backend='jax'" in str(caught.value)


def asymmetric(x):
    A = np.eye(3) * 4
    A[0, 2] = 100.0
    A[2, 0] = x[0]
    A[1, 1] += x[1]
    return np.sum(np.linalg.cholesky(A))


def test_cholesky_reads_the_lower_triangle():
    compared(asymmetric)


def test_arrays_of_jax_are_taken():
    function = made(scaled, X, 2.0)
    value, dx = function(jnp.asarray(X), jnp.asarray(2.0))
    assert isinstance(dx, jax.Array)
    assert np.isclose(value, 2 * X.sum())


def summed_by_labels(x, labels):
    sums = {}
    for i in range(len(x)):
        sums[labels[i]] = sums.get(labels[i], 0.0) + x[i] ** 2
    return sum(s**2 for s in sums.values())


def summed_by_numbers(x, labels):
    groups = {}
    for i in range(len(x)):
        groups.setdefault(int(labels[i]), []).append(x[i])
    return sum(sum(group) ** 2 for group in groups.values())


def test_elements_of_arrays_are_no_keys():
    compared(summed_by_numbers, np.array([4, 0, 4]))
    with pytest.raises(UnsupportedCall, match="JAX cannot hash"):
        made(summed_by_labels, X, np.array([4, 0, 4]))


def with_a_list_among_arrays(x):
    half = x[0] / 2
    turn = np.concatenate([[np.cos(half)], np.sin(half) * x])
    return np.sum(np.hstack(([half, 1.0], turn)) ** 2)


def test_lists_among_arrays_are_made_arrays():
    compared(with_a_list_among_arrays)


def counted(x, counts):
    logs = np.array([math.lgamma(k + 1) for k in counts])
    return np.sum(x * logs)


def test_what_a_comprehension_calls_is_refused_by_its_line():
    with pytest.raises(UnsupportedCall) as refused:
        made(counted, X, np.array([1, 2, 3]))
    assert "logs = np.array([math.lgamma(k + 1)" in str(refused.value)
