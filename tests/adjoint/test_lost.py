"""Numbers that are written into texts, objects and records, and read back."""

import collections

import numpy as np
import pytest

import yota_ast as ya


def by_an_item(x):
    return np.asarray(x, dtype=object).item() * 2


def by_an_array_of_objects(x):
    return np.array([x, x * 2], dtype=object)[1] * 3


def by_a_store(x):
    out = np.empty(3, dtype=object)
    out[0] = x * 2
    return out[0]


def by_stores_in_a_loop(x):
    out = np.empty(2, dtype=object)
    for i in range(2):
        out[i] = x * i
    return np.array(list(out), dtype=float).sum()


def by_astype(x):
    return np.sum(np.atleast_1d(x).astype(object)) * 2


def by_a_sum_in_place(x):
    a = np.zeros(2, dtype="O")
    a += x
    return a.sum()


def among_texts(x):
    return np.array(["a", x], dtype=object)[1] * x


def by_a_formatted_text(x):
    return float(f"{x:.17g}") * 2


def by_a_format_that_is_named(x):
    return float("{a:.17g}".format(a=x)) * 2  # noqa: UP032


def by_percent(x):
    return float("%.17g" % x) * 2  # noqa: UP031


def by_a_text_as_python_writes_it(x):
    return float(f"{x}") * 2


def by_percent_s(x):
    return float("%s" % x) * 2  # noqa: UP031


def by_digits_that_are_an_argument(x):
    return float(("%.1f %.*f" % (x, 17, x)).split()[1]) * 2  # noqa: UP031


def by_a_field_of_one_record(x):
    r = np.zeros(2, dtype=[("a", float), ("b", int)])
    r["a"] = x
    return r[0]["a"] * 2


def by_a_float_of_numpy(x):
    return np.float64(f"{x:.17g}") * 2


def by_a_joined_text(x):
    return float("".join(["0", f"{x:.17g}"[1:]])) * 2


def by_an_array_of_texts(x):
    return np.array([f"{x:.17g}"]).astype(float)[0] * 2


def by_astype_of_text(x):
    return np.float64(x).astype(str).astype(float) * 2


def by_a_record(x):
    return np.array([(x, 1)], dtype=[("a", float), ("b", int)])["a"][0] * 2


def by_a_field(x):
    r = np.zeros(2, dtype=[("a", float), ("b", int)])
    r["a"] = x
    return r["a"].sum()


CACHE = {0.37: 2.0}


def a_key_of_a_cache(x):
    return CACHE[x] * x


def a_key_that_may_lack(x):
    return CACHE.get(x, 1.0) + x


LOST = [
    a_key_of_a_cache, a_key_that_may_lack,
    by_an_item, by_an_array_of_objects, by_a_store, by_stores_in_a_loop, by_astype,
    by_a_sum_in_place, among_texts, by_a_formatted_text, by_percent,
    by_a_float_of_numpy, by_a_joined_text, by_an_array_of_texts, by_astype_of_text,
    by_a_record, by_a_field, by_a_text_as_python_writes_it, by_percent_s,
    by_digits_that_are_an_argument, by_a_field_of_one_record,
    by_a_format_that_is_named,
]  # fmt: skip


def a_label_beside(x):
    return (x * 2, f"{x}")[0]


def a_label_that_decides(x):
    label = f"{x:.1f}"
    return x * 2 if label.startswith("0") else x * 3


def names_among_objects(x):
    names = np.array(["a", "b"], dtype=object)
    return x * 2 if names[0] == "a" else x


def numbers_among_objects(x):
    table = np.array([1.0, 2.0], dtype=object)
    return np.sum(x * table[0] + x * x)


def a_field_of_constants(x):
    r = np.zeros(2, dtype=[("a", float), ("b", int)])
    r["a"] = 2.0
    return r["a"].sum() * x


def a_text_in_an_error(x):
    if x < 0:
        raise ValueError(f"{x} is negative")
    return x * 2


def a_text_that_grows(x):
    s = ""
    for i in range(3):
        s += f"{x * i:.1f},"
    return x * 2 + len(s)


def rounded_by_percent(x):
    return float("%.1f of %d" % (x, 3) and "%.1f" % x) * x  # noqa: UP031


def rounded_by_a_format(x):
    return float(f"{x:.2f}") * x + float(f"{x:e}"[:3])


KEPT = [
    a_label_beside, a_label_that_decides, names_among_objects, numbers_among_objects,
    a_field_of_constants, a_text_in_an_error, a_text_that_grows, rounded_by_percent,
    rounded_by_a_format,
]  # fmt: skip


@pytest.mark.parametrize("f", LOST, ids=lambda f: f.__name__)
def test_refused_backward_and_forward(f):
    for ask in (ya.grad, lambda f, x: ya.jvp(f)(x, 1.0)):
        with pytest.raises(
            ya.UnsupportedSyntax, match="the result depends on numbers in"
        ):
            ask(f, 0.37)


@pytest.mark.parametrize("f", KEPT, ids=lambda f: f.__name__)
def test_right_where_nothing_is_lost(f):
    found = ya.gradcheck(f, 0.37)
    assert found, str(found)


def test_in_a_function_that_calls_itself():
    def f(x, n):
        if n == 0:
            return x
        return float(f"{f(x, n - 1) * x:.17g}")

    with pytest.raises(ya.UnsupportedSyntax, match="a string, or a list of strings"):
        ya.grad(f, 0.37, 3)


def test_an_item_by_name_of_what_is_no_dict_that_is_followed():
    def f(x):
        counted = collections.Counter()
        counted["a"] += x * 2
        return counted["a"] * 3

    with pytest.raises(
        ya.UnsupportedCall, match="changes a Counter, which is not supp"
    ):
        ya.grad(f, 0.37)
