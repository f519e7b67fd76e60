"""Generated code that is given other arguments than its example: it is right, raises a
ValueError that tells what it was made for, or the error of the function itself."""

import importlib.util
import random
import re
import sys

import numpy as np
import pytest

import yota_ast as ya
from tests.arguments.functions import CASES, KEYWORDS, Layer, M, U, V
from tests.arguments.judge import verdict
from tests.arguments.others import ALONE, others

SLICE = 10
"""How many other things are tried in the place of each argument; all by `__main__`."""
EVERY = [*[(f, args, {}) for f, args in CASES], *KEYWORDS]


def wrt_of(fn):
    found = re.search(r"with respect to ([^.\n]*(?:\n +[^.\n]*)*)\.", fn.__doc__)
    return tuple(re.split(r",\s+", found[1])) if found else ()


def tried(f, fn, args, kwargs, most=None, seed=0, *, bare=True):
    """What is wrong with the function that is given other things."""
    drawn = random.Random(seed)
    wrong = []
    places = [*enumerate(args), *kwargs.items()]
    for place, value in places:
        found = [o for o in others(value) if not (bare and ALONE.match(o[0]))]
        for kind, other in drawn.sample(found, min(most or len(found), len(found))):
            new, named = list(args), dict(kwargs)
            (named if isinstance(place, str) else new)[place] = other
            said = verdict(f, fn, tuple(new), named, wrt_of(fn))
            if said:
                wrong.append((place, kind, said))
    return wrong


@pytest.mark.parametrize("at", range(len(EVERY)))
@pytest.mark.parametrize("road", ["bare", "called"])
def test_right_or_refused(at, road):
    f, args, kwargs = EVERY[at]
    made = ya.simplegrad(f, *args, **kwargs)
    fn = made.fn if road == "bare" else made
    assert not verdict(f, made.fn, args, kwargs, wrt_of(made.fn))
    assert tried(f, fn, args, kwargs, SLICE, at, bare=road == "bare") == []


GENERAL = [case for case in EVERY if case[0].__name__ not in {
    "in_place", "every", "perceptron",  # which need to know their arguments
}]  # fmt: skip


@pytest.mark.parametrize("at", range(len(GENERAL)))
def test_without_an_example(at):
    f, args, kwargs = GENERAL[at]
    made = ya.simplegrad(f)
    made.fn.__doc__ = made.fn.__doc__ or ""
    assert tried(f, made.fn, args, kwargs, SLICE // 2, at) == []


@pytest.mark.parametrize("at", range(0, len(EVERY), 9))
def test_in_a_file(at, tmp_path):
    f, args, kwargs = EVERY[at]
    made = ya.simplegrad(f, *args, **kwargs)
    made.save(tmp_path / "saved.py")
    spec = importlib.util.spec_from_file_location("saved", tmp_path / "saved.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    fn = getattr(module, f"{f.__name__}_grad")
    fn.__doc__ = made.fn.__doc__
    assert tried(f, fn, args, kwargs, SLICE, at) == []


# ---------------------------------------------------------------- what is said


def loss(W, b, x, y):
    return np.sum((W @ x + b - y) ** 2)


def force(m, a):
    return m * a


def mixed(x, k):
    return np.sum(x * k)


def of_three(a, b, c):
    return a * b + c


def of_list(p, x):
    return p[0] * x + p[1]


def of_dict(p, x):
    return p["gain"] * x


def of_layer(layer, x):
    return np.sum(layer.W @ x)


def unread(x, a):
    a *= a
    return np.sum(x)


def unread_and_returned(x, a):
    a * 2.0
    value = a
    for e in x:
        if e > 0:
            value = np.sum(x)
    return value


def unread_and_selected(x, a):
    a * 2.0
    return np.sum(np.where(x > 0, x, a))


def unread_in_one_arm(x, a):
    b = 1.0
    for e in x:
        if e > 0:
            b, a = a, b * a
            b, a = e, 1.0
            break
        b -= a
        break
    return b


def by_index(x, i):
    return x[i] ** 2


def of_phases(z):
    return np.abs(z[0]) ** 2 + np.abs(z[1]) ** 2


ARRAYS = "loss_grad: made for W (n, m), b (n,), x (m,), y (n,), floats"
TEXTS = {
    "list": (loss, (M, U[:2], V, U[:2]), 1, [1.0, 2.0], ARRAYS),
    "number": (loss, (M, U[:2], V, U[:2]), 0, 2.0, ARRAYS),
    "None": (
        loss,
        (M, U[:2], V, U[:2]),
        2,
        None,
        ARRAYS,
    ),
    "integers": (loss, (M, U[:2], V, U[:2]), 3, np.array([1, 2]), ARRAYS),
    "complex": (loss, (M, U[:2], V, U[:2]), 2, V + 1j, ARRAYS),
    "longer": (loss, (M, U[:2], V, U[:2]), 3, V, ARRAYS),
    "deeper": (loss, (M, U[:2], V, U[:2]), 3, U[:2, None], ARRAYS),
    "array": (force, (2.0, 3.0), 1, V, "force_grad: made for numbers m, a"),
    "0-d": (force, (2.0, 3.0), 1, np.array(2.0), "force_grad: made for numbers m, a"),
    "array for one": (
        mixed,
        (V, 2.0),
        1,
        V,
        "mixed_grad: made for x (n,), floats; a number k",
    ),
    "item": (
        of_list,
        ([1.0, 2.0], 3.0),
        0,
        [1.0, V],
        "of_list_grad: made for p of 2 items; numbers x, *p",
    ),
    "items": (
        of_list,
        ([1.0, 2.0], 3.0),
        0,
        [1.0],
        "of_list_grad: made for p of 2 items; numbers x, *p",
    ),
    "no list": (
        of_list,
        ([1.0, 2.0], 3.0),
        0,
        V[:2],
        "of_list_grad: made for p of 2 items; numbers x, *p",
    ),
    "value": (
        of_dict,
        ({"gain": 1.0}, 3.0),
        0,
        {"gain": V},
        "of_dict_grad: made for p of 1 item; numbers x, p['gain']",
    ),
    "no dict": (
        of_dict,
        ({"gain": 1.0}, 3.0),
        0,
        [1.0],
        "of_dict_grad: made for p of 1 item; numbers x, p['gain']",
    ),
    "field": (
        of_layer,
        (Layer(M, U), V),
        0,
        Layer(M.tolist(), U),
        "of_layer_grad: made for layer: Layer; x (n,), layer.W (m, n), floats",
    ),
    "mask": (
        by_index,
        (V, 1),
        1,
        True,
        "by_index_grad: made for x (n,), floats; a number i",
    ),
    "left out": (
        unread,
        (V, 2.0),
        1,
        None,
        "unread_grad: made for a that is not None",
    ),
    "left out, and read in another arm": (
        unread_in_one_arm,
        (V, 2.0),
        1,
        None,
        "unread_in_one_arm_grad: made for a that is not None",
    ),
    "left out, and handed on": (
        unread_and_returned,
        (V, 2.0),
        1,
        None,
        "unread_and_returned_grad: made for a that is not None",
    ),
    "left out, and selected": (
        unread_and_selected,
        (V, 2.0),
        1,
        None,
        "unread_and_selected_grad: made for a that is not None",
    ),
    "real": (
        of_phases,
        (np.array([1j, 2.0]),),
        0,
        V[:2],
        "of_phases_grad: made for z (n,), complex numbers in z",
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_said(name):
    f, args, place, other, message = TEXTS[name]
    made = ya.simplegrad(f, *args)
    seed = {"seed": 1.0} if name == "real" else {}
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        made.fn(*args[:place], other, *args[place + 1 :], **seed)


def test_a_value_that_is_a_number_for_its_arguments_alone():
    """x[0] is one of an array with one axis, and a row of a table."""

    def first(x):
        return x[0] * 2.0

    made = ya.simplegrad(first, V)
    with pytest.raises(ValueError, match=r"^first_grad: made for x \(n,\), floats$"):
        made.fn(M)


def test_arrays_as_other_libraries_and_files_have_them(tmp_path):
    held = np.memmap(tmp_path / "held", dtype=float, mode="w+", shape=(3,))
    held[:] = V
    made = ya.simplegrad(mixed, V, 2.0)
    for x in (held, V.astype(">f8"), V.astype("f4"), V[::-1]):
        assert np.allclose(made.fn(x, 2.0)[1], 2.0)


def test_names_that_the_helper_has():
    def f(are_floats, x):
        return np.sum(x) * are_floats

    made = ya.simplegrad(f)
    assert "are_floats_2(" in made.source
    assert made.fn(2.0, V)[1] == np.sum(V)


@pytest.mark.parametrize("dtype", [">f8", ">f4"])
def test_big_endian_arrays(dtype):
    x = V.astype(dtype)
    for f in (np.max, np.median, np.prod, np.nanmean):

        def fn(x, f=f):
            return f(x)

        assert np.allclose(ya.grad(fn, x)[1][0], ya.grad(fn, V)[1][0])


def test_whole_numbers_in_an_exponential():
    def soft(x):
        return np.log(np.sum(np.exp(x)))

    def soft_of_two(a, b):
        return soft(np.array([a, b]))

    share = np.exp([1.0, 2.0]) / np.sum(np.exp([1.0, 2.0]))
    assert np.allclose(ya.grad(soft, np.array([1, 2]), wrt="x")[1][0], share)
    assert np.allclose(ya.simplegrad(soft_of_two, 1.5, 2.5).fn(1, 2)[1:], share)


if __name__ == "__main__":
    for f, args, kwargs in EVERY:
        made = ya.simplegrad(f, *args, **kwargs)
        for each in tried(f, made.fn, args, kwargs):
            sys.stdout.write(f"{f.__name__} {each}\n")
