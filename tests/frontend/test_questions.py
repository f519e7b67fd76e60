"""What facts tell of kinds and ranks is settled before the text runs."""

import functools

import numpy as np
import pytest

import yota_ast as ya


def by_rank(x):
    return np.sum(x[0] * x) if np.ndim(x) else x * x


def by_shape(x):
    if np.shape(x) == ():
        return x * x
    return np.sum(x[0] * x)


def by_length_of_shape(x):
    return x * x if len(np.shape(x)) == 0 else np.sum(x[0] * x)


def by_shape_of_array(x):
    y = np.asarray(x)
    return np.sum(x * x) if y.shape == () else np.sum(x[0] * y)


def by_isscalar(x):
    scalar = np.isscalar(x)
    y = np.atleast_1d(x)
    total = np.sum(y[0] * y)
    return total if scalar else 1.0 * total


def by_iscomplex(x):
    return np.sum(x * x) if np.iscomplexobj(x) else np.sum(np.atleast_1d(x)[0] * x)


def _scalars(f):
    """A decorator that makes arrays of numbers, and a number of the result."""

    @functools.wraps(f)
    def wrapper(*args):
        if np.array(args[0]).shape == ():
            new = ()
            for k in range(len(args)):
                new = (*new, np.array([args[k]]))
            return f(*new)[0]
        return np.sum(f(*args))

    return wrapper


def _arrays(indices):
    """A decorator that makes arrays of some of the arguments."""

    def decorator(f):
        @functools.wraps(f)
        def wrapper(*args):
            args = list(args)
            for k in indices:
                if k < len(args):
                    args[k] = np.atleast_1d(np.asarray(args[k], dtype=np.float64))
            return f(*args)

        return wrapper

    return decorator


@_arrays([0, 2])
def with_arrays(x, w, v):
    return np.sum(x[0] * x) * w * v[0]


def test_indices_that_a_closure_holds():
    for x in (3.0, np.array([3.0, 1.0])):
        val, g = ya.grad(with_arrays, x, 2.0, 5.0)
        assert val == with_arrays(x, 2.0, 5.0)
        wanted = [60.0] if np.ndim(x) == 0 else [70.0, 30.0]
        assert np.allclose(np.atleast_1d(g[0]), wanted)
        assert g[1] == g["w"] == val / 2.0
        assert g["v"] == val / 5.0


@_scalars
def decorated(x, w=2.0):
    return x[0] * x


ASKING = [
    by_rank, by_shape, by_length_of_shape, by_shape_of_array, by_isscalar,
    by_iscomplex, decorated,
]  # fmt: skip


@pytest.mark.parametrize("f", ASKING)
@pytest.mark.parametrize("x", [3.0, np.float64(3.0), np.array([3.0, 1.0, 2.0])])
def test_only_the_arm_that_runs_is_in_the_text(f, x):
    df = ya.simplegrad(f, x)
    body = df.source.partition("# forward")[2].partition("\n    return ")[0]
    lines = [line for line in body.splitlines() if not line.lstrip().startswith("#")]
    assert not [line for line in lines if "if " in line and "seed" not in line]
    val, dx = df(x)
    assert val == f(x)
    wanted = 6.0 if np.ndim(x) == 0 else np.array([9.0, 3.0, 3.0])
    assert np.allclose(dx, wanted)


@pytest.mark.parametrize("f", ASKING)
def test_the_text_refuses_other_kinds(f):
    number, several = 3.0, np.array([3.0, 1.0])
    with pytest.raises(ValueError, match=r"made for (a number|numbers)"):
        ya.simplegrad(f, number)(several)
    with pytest.raises((ValueError, AttributeError)):
        ya.simplegrad(f, several)(number)


def test_types_that_were_asked_for_are_checked():
    def f(x, y):
        return x * y if isinstance(x, float) else np.sum(x * x * y)

    df = ya.simplegrad(f, 2.0, 3.0)
    assert df(2.0, 5.0)[1] == 5.0
    with pytest.raises(ValueError, match="made for numbers x, y"):
        df(np.ones(2), 3.0)
    with pytest.raises(ValueError, match="made for a number x, float"):
        df(2, 3.0)
    with pytest.raises(ValueError, match=r"^f_grad: made for numbers x, y$"):
        df(2.0, np.ones(2))


def test_what_nothing_reads_is_not_checked():
    df = ya.simplegrad(lambda x, y: x * np.sin(x), 2.0, 3.0, wrt="x")
    assert 'hasattr(y, "__len__")' not in df.source
    assert df(2.0, "any") == df(2.0, 3.0)


def test_general_text_asks():
    df = ya.simplegrad(by_shape)
    assert "np.shape(x) == ()" in df.source
    assert df(3.0)[1] == 6.0
    assert np.allclose(df(np.array([3.0, 1.0]))[1], [7.0, 3.0])


def by_attribute(x):
    return np.sum(x**3) if hasattr(x, "shape") else 3 * x


def by_type(x):
    return np.sum(x * x) if type(x) is not float else x**4


def by_kind(x):
    return x * x if isinstance(x, int) else x**3


@pytest.mark.parametrize("f", [by_attribute, by_type, by_kind])
def test_types_of_numbers_that_decided_are_checked(f):
    numbers = (2.0, np.float64(2.0), np.float32(2.0), 2)
    for made_for in numbers[:2]:
        df = ya.simplegrad(f, made_for)
        assert df(made_for)[0] == f(made_for)
        for other in numbers:
            if f'"{type(other).__name__}"' in df.source:
                assert df(other)[0] == f(other)
            else:
                with pytest.raises(ValueError, match="made for a number x, "):
                    df(other)


def test_an_answer_that_is_the_same_for_all_numbers_lets_all_pass():
    df = ya.simplegrad(lambda x: x * x if not isinstance(x, np.ndarray) else 0.0, 2.0)
    assert df(np.float64(3.0)) == (9.0, 6.0)
    with pytest.raises(ValueError, match=r"made for a number x$"):
        df(np.ones(2))


@pytest.mark.parametrize("f", [by_rank, by_shape, by_isscalar, by_iscomplex])
def test_ranks_that_decided_are_checked(f):
    for made_for, other in (
        (np.float64(3.0), np.array([3.0, 1.0])),
        (np.array(3.0), np.array([3.0, 1.0])),
        (np.array([3.0, 1.0]), np.array(3.0)),
    ):
        df = ya.simplegrad(f, made_for)
        assert df(made_for)[0] == f(made_for)
        with pytest.raises(ValueError, match="made for"):
            df(other)


@pytest.mark.parametrize("made_for", [2.0, np.float64(2.0)])
@pytest.mark.parametrize(
    "f", [lambda x: np.sum(x) ** 2, lambda x: np.mean(x * x), lambda x: np.prod(x)]
)
def test_a_number_that_was_reduced_is_none_of_arrays(f, made_for, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "all")
    df = ya.simplegrad(f, made_for)
    assert df(made_for)[0] == f(made_for)
    with pytest.raises(ValueError, match="made for a number x"):
        df(np.array([3.0, 1.0]))


@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_mask_is_no_array_of_positions(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)

    def f(x, m):
        return x[m].sum() * x[0]

    x = np.array([0.5, 1.7, 2.6])
    df = ya.simplegrad(f, x, np.array([True, False, True]))
    assert np.allclose(df(x, np.array([False, True, True]))[1], [4.3, 0.5, 0.5])
    with pytest.raises(ValueError, match=r"; a mask m$"):
        df(x, np.array([0, 0]))


def _in_a_tuple(x, m):
    a = np.outer(x, x)
    a[..., m] += 1 * x[1]
    return np.sum(a * a)


def _under_a_name(x, m):
    place = (m, 0)
    a = np.outer(x, x)
    a[place] *= 3 * x[1]
    return np.sum(a * a)


def _turned_round(x, m):
    y = 1 * x
    y[~np.asarray(m)] *= 3 * x[1]
    return np.sum(y * y)


@pytest.mark.parametrize("f", [_in_a_tuple, _under_a_name, _turned_round])
def test_a_mask_within_an_index_is_no_array_of_positions(f):
    x = np.array([0.5, 1.7, 2.6])
    df = ya.simplegrad(f, x, np.array([True, False, True]))
    assert df(x, np.array([False, True, True]))[0] == f(x, np.array([0, 1, 1], bool))
    with pytest.raises(ValueError, match=r"; a mask m$"):
        df(x, np.array([0, 0]))


@pytest.mark.parametrize("f", [_in_a_tuple, _under_a_name])
def test_a_slice_within_an_index_is_no_array_of_positions(f):
    x = np.array([0.5, 1.7, 2.6])
    df = ya.simplegrad(f, x, slice(0, 2))
    assert df(x, slice(1, 3))[0] == f(x, slice(1, 3))
    with pytest.raises(ValueError, match="made for a slice m"):
        df(x, np.array([0, 0]))


@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_slice_is_no_array_of_positions(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)

    def f(x, part):
        y = 1 * x
        y[part] += 3 * x[1]
        return np.sum(y * x)

    x = np.array([0.5, 1.7, 2.6])
    df = ya.simplegrad(f, x, slice(0, 2))
    wanted = df(x, slice(0, 2))[1]
    assert np.allclose(wanted, [2 * 0.5 + 5.1, 6 * 1.7 + 1.5 + 3.4, 5.2])
    with pytest.raises(ValueError, match="made for a slice part"):
        df(x, np.array([0, 0]))


@pytest.mark.parametrize("passes", ["all", "none"])
def test_one_position_is_no_array_of_them(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)

    def f(x, k):
        y = 1 * x
        y[k] *= x[k]
        return np.sum(y * x)

    x = np.array([0.5, 1.7, 2.6])
    df = ya.simplegrad(f, x, 1)
    assert np.allclose(df(x, 0)[1], [3 * 0.25, 3.4, 5.2])
    assert np.allclose(df(x, np.int64(-1))[1], [1.0, 3.4, 3 * 2.6**2])
    for other in (np.array([0, 0]), [0, 2], slice(0, 2), np.array([1])):
        with pytest.raises(ValueError, match=r"x \(n,\), floats; a number k"):
            df(x, other)
    dg = ya.simplegrad(f, x, np.array([0, 0]))
    with pytest.raises((ValueError, AttributeError), match=r"made for|ndim"):
        dg(x, slice(0, 2))


def test_a_position_that_is_read_is_no_array_of_them():
    def f(x, k, n):
        return x[(k + 1) % n] * np.sum(x)

    x = np.array([0.5, 1.7, 2.6])
    df = ya.simplegrad(f, x, 1, 3)
    assert np.allclose(df(x, 2, 3)[1], [0.5 + 4.8, 0.5, 0.5])
    with pytest.raises(ValueError, match="floats; numbers k, n"):
        df(x, np.array([0, 0]), 3)


def test_what_decides_nothing_may_be_an_array():
    def set_to_zero(x, k):
        y = 1 * x
        y[k] = 0.0
        return np.sum(y * x)

    def looked_up(x, table, k):
        return np.sum(x * table[k])

    x, table = np.array([0.5, 1.7, 2.6]), np.array([2.0, 3.0])
    for df, args in (
        (ya.simplegrad(set_to_zero, x, 1), (np.array([0, 0]),)),
        (ya.simplegrad(looked_up, x, table, 1, wrt="x"), (table, np.array([0, 1, 1]))),
    ):
        assert "number" not in df.source
        df(x, *args)
    dk = ya.simplegrad(set_to_zero, x, 1)(x, np.array([0, 0]))[1]
    assert np.allclose(dk, [0.0, 3.4, 5.2])


@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_number_to_which_arrays_are_summed_is_no_array(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x = np.array([0.5, 1.7, 2.6])
    df = ya.simplegrad(lambda x, y: (x * y).sum(), x, 2.0)
    assert np.allclose(df(x, 3.0)[2], 4.8)
    with pytest.raises(ValueError, match=r"made for x \(n,\), floats; a number y$"):
        df(x, x)
    plain = ya.simplegrad(lambda x, y: x * y + y, 2.0, 3.0)
    with pytest.raises(ValueError, match="made for numbers x, y"):
        plain(2.0, x)


def test_an_array_without_axes_is_as_good_as_a_number():
    def either(x, z):
        return np.sum(x * z) if z > 0.9 else np.sum(x - z)

    for z in (np.array(1.5), np.array(0.5)):
        x = np.array([1.0, 2.0])
        text = ya.simplegrad(either, x, z)
        assert text(x, z)[2] == (3.0 if z > 0.9 else -2.0)
        with pytest.raises(ValueError, match="made for"):
            text(x, x)


def by_the_class_of_the_value(x):
    if x.__class__.__name__ == "Quantity":
        return 3.0 * x
    return x * x if x.__class__ is float else np.sum(x) ** 2


@pytest.mark.parametrize("x", [2.0, np.float64(2.0), np.array([1.0, 2.0])])
def test_the_class_of_a_number_is_its_type(x):
    assert ya.gradcheck(by_the_class_of_the_value, x)
    assert ya.grad(by_the_class_of_the_value, x)[0] == by_the_class_of_the_value(x)
