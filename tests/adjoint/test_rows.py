# ruff: noqa: C416, PERF401
"""Lists of lists whose items are written by keys that are known when they run."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast import UnsupportedSyntax

V = np.array([1.3, 0.7, 1.9])


def outer(v):
    n = len(v)
    made = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            made[i][j] = v[i] * v[j] - 1.0
    return made


def outer_squared(v):
    made, total = outer(v), 0.0
    for i in range(len(v)):
        for j in range(len(v)):
            total += made[i][j] * made[j][i] * (i + 1)
    return total


def product(v):
    n = len(v)
    a = [[v[i] * j for j in range(n)] for i in range(n)]
    b = [[v[j] + i for j in range(n)] for i in range(n)]
    c = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                c[i][j] += a[i][k] * b[k][j]
    return sum([sum(r) for r in c])


def elimination(v):
    n = len(v)
    a = [[v[i] * v[j] + (5.0 if i == n - 1 - j else 1.0) for j in range(n)]
         for i in range(n)]  # fmt: skip
    det = 1.0
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i][k]) > abs(a[p][k]):
                p = i
        if p != k:
            a[p], a[k] = a[k], a[p]
            det = -det
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            for j in range(k, n):
                a[i][j] -= f * a[k][j]
        det *= a[k][k]
    return det


def paths(v):
    n = len(v)
    m = [[0.0] * (n + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            m[i][j] = m[i - 1][j] * v[j - 1] + m[i][j - 1] + v[i - 1] ** 2
    return m[n][n]


def by_the_name_of_a_row(v):
    n = len(v)
    m = [[0.0] * n for _ in range(n)]
    last = m[n - 1]
    for i in range(n):
        row = m[i]
        row[0] = v[i]
        for j in range(1, n):
            row[j] = row[j - 1] * v[j] + row[0] + last[0]
    return sum([sum(r) for r in m]) + last[1]


def three_levels(v):
    n = len(v)
    m = [[[0.0] * n for _ in range(n)] for _ in range(n)]
    for i in range(n):
        plane = m[i]
        for j in range(n):
            row = plane[j]
            for k in range(n):
                row[k] = v[i] * v[j] * v[k]
            m[i][j][0] -= v[0] ** 2
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += sum(m[i][j]) * m[j][i][0]
    return total


def ragged(v):
    n, m = len(v), []
    for i in range(n):
        m.append([0.0] * (i + 1))
        for j in range(i + 1):
            m[i][j] = v[i] * v[j] + (m[i - 1][j - 1] if i > 0 and j > 0 else 0.0)
    return m[n - 1][n - 1] + m[n - 1][0]


def swapped(v):
    n = len(v)
    m = [[v[i] * j for j in range(n)] for i in range(n)]
    m[0], m[n - 1] = m[n - 1], m[0]
    m[0][1] = m[0][1] ** 2
    kept = m[1]
    m[1] = m[0]
    m[0] = kept
    m[0][2] *= v[0]
    return m[1][1] * m[0][1] + m[0][2] * m[n - 1][2]


def read_before_it_is_overwritten(v):
    n = len(v)
    m = [[v[i]] * n for i in range(n)]
    whole, total = np.array(m), 0.0
    for row in m:
        total += row[0] * row[1]
    for i in range(n):
        total += sum(m[i]) ** 2
        m[i - 1][0] = total * v[i]
        total += max(m[i]) * m[i][0]
    return total + np.sum(whole * np.array(m) ** 2)


def in_an_arm(v):
    n = len(v)
    m = [[1.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if v[i] > v[j]:
                m[i][j] = v[i] * m[j][i]
            elif i == j:
                m[i][j] *= v[i]
    return sum([sum(r) for r in m])


def put(m, i, j, e):
    m[i][j] = e * m[i][j] + e


def filled(row, e):
    for j in range(len(row)):
        row[j] = e * (j + 1) + row[j - 1]
    return sum(row)


def in_a_helper(v):
    n = len(v)
    m = [[1.0] * n for _ in range(n)]
    total = 0.0
    for i in range(n):
        put(m, i, n - 1, v[i])
        put(m, i, n - 1, v[i])
        total += filled(m[i - 1], v[i])
    return total + m[0][n - 1] * m[1][n - 1]


def known_rows(v):
    n = len(v)
    m = [[v[0], 0.0, 1.0], [0.0, v[1], 2.0], [1, v[2], 0]]
    i = 0
    while i < n and m[i][0] < 9.0:
        m[i][i - 1] = m[i - 1][i] * v[i]
        m[i][0] += v[0]
        i += 1
    return m[0][0] * m[1][1] + m[2][0] * m[2][1]


def whole_numbers_at_first(v):
    n = len(v)
    m = [[0, 1, 0.0] for _ in range(n)]
    row = m[n - 1]
    for i in range(n):
        m[i][i] = v[i] ** 2
        row[0] += v[0]
    return m[0][0] * m[1][1] + row[0] * row[2]


def rows_of_whole_numbers(v):
    n = len(v)
    m = [[0] * n, [v[0]] * n, [1.0, 2.0, v[1]]]
    m[n - 3][n - 1] = v[1]
    m[n - 1][n - 1] *= v[1]
    m[n - 1][n - 2] += v[1] * m[n - 2][0]
    return sum([sum(r) * r[1] for r in m])


def exchanged_for_another(v):
    n = len(v)
    m = [[1.0, v[0]], [2.0, v[1]]]
    m[n - 2] = [v[2]] * 2
    whole = np.array(m)
    m[n - 3][1] += v[1]
    return np.sum(whole**2) + m[0][1] * m[1][0]


def read_as_an_array(v):
    n = len(v)
    m = [[v[0], 0, 0.0] for _ in range(n)]
    m[n - 1][-1] *= sum(m[1]) - m[0][0]
    return np.sum(np.array(m) ** 2)


def two_names(v):
    n = len(v)
    a = [[v[i]] * n for i in range(n)]
    b = a
    b[n - 1][0] = v[1] ** 2
    a[n - 1][0] *= 3
    return a[n - 1][0] * b[n - 1][0]


def made_anew(v):
    n = len(v)
    m = [[v[i]] * n for i in range(n)]
    for _ in range(2):
        new = [[0.0] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                new[i][j] = m[i - 1][j] * m[i][j - 1]
        m = new
    return m[0][0] + m[1][1] * m[2][0]


def rows_of_another_length(v):
    n = len(v)
    m = [[v[0], 1.0] for _ in range(n)]
    for i in range(n - 1):
        m[i] = [v[1], v[2], m[i][0]]
    return sum([sum(r) for r in m]) * m[n - 2][-1] * m[n - 1][-2]


def a_known_row_of_another_length(v):
    row = [1.0, 2.0]
    rows = [[*row, v[0]], [v[1], v[2]], row]
    rows[len(v) - 3] = row
    return sum([sum(r) * r[-1] for r in rows])


def an_array_of_another_length(v):
    parts = [v * 1.0, v * 2.0]
    parts[len(v) - 2] = v[:1] * 3
    return np.sum(parts[0]) * np.sum(parts[1])


RIGHT = [
    rows_of_another_length, a_known_row_of_another_length, an_array_of_another_length,
    outer, outer_squared, product, elimination, paths, by_the_name_of_a_row,
    three_levels, ragged, read_before_it_is_overwritten, in_an_arm, in_a_helper,
    known_rows, rows_of_whole_numbers, exchanged_for_another, whole_numbers_at_first,
    read_as_an_array, two_names, made_anew, swapped,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_items_of_items_are_written(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.gradcheck(f, V)


@pytest.mark.parametrize("f", [paths, known_rows, outer], ids=lambda f: f.__name__)
def test_the_arguments_may_be_a_list(f):
    assert ya.gradcheck(f, list(V))


def test_the_text_is_as_a_person_would_write_it():
    text = ya.grad(paths, V)[1].source
    assert "m[i][j] = m[i - 1][j] * v[j - 1] + m[i][j - 1] + v[i - 1] ** 2" in text
    assert "dm[i][j - 1] += " in text
    assert "dm = zeros_within(m)" in text


def test_what_is_added_to_an_item_leaves_its_adjoint():
    text = ya.grad(product, V)[1].source
    assert "dc[i_3][j_3] = " not in text
    assert "db[k][j_3] += dc[i_3][j_3] * a[i_3][k]" in text


def test_a_row_that_is_read_as_a_whole_is_kept():
    text = ya.grad(read_before_it_is_overwritten, V)[1].source
    assert text.count("copy") >= 1


# ---------------------------------------------------------------- one list twice


def shared_rows(v):
    n = len(v)
    m = [[0.0] * n] * n
    for i in range(n):
        m[i][0] = v[i]
    return m[0][0] * v[0]


def one_row_many_times(v):
    n = len(v)
    row = [0.0] * n
    m = [row for _ in range(n)]
    for i in range(n):
        m[i][0] = v[i]
    return m[0][0] * v[0]


def a_row_with_another_name(v):
    n, m = len(v), []
    for i in range(n):
        row = [0.0] * n
        m.append(row)
        m[i][0] = v[i]
        row[0] *= v[0]
    return m[0][0]


def a_row_in_two_lists(v):
    n = len(v)
    m = [[v[i]] * n for i in range(n)]
    other = [r for r in m]
    m[0][1] = v[1] ** 2
    return other[0][1]


def written_while_it_is_run_over(v):
    n, total = len(v), 0.0
    m = [[1.0] * n for _ in range(n)]
    for row in m:
        total += row[0] * row[1]
        m[1][1] = total * v[0]
    return total


def one_row_twice(v):
    n = len(v)
    m = [[v[i]] * n for i in range(n)]
    m[0] = m[n - 1]
    m[0][1] = v[1] ** 2
    return m[n - 1][1]


def a_row_that_was_replaced(v):
    n = len(v)
    m = [[0.0] * n for _ in range(n)]
    row = m[0]
    m[0] = [v[k] for k in range(n)]
    row[1] = v[1] ** 2
    return row[1] + m[0][1]


def a_list_in_another(v):
    n, m = len(v), []
    row = [0.0] * n
    for _ in range(n):
        m.append(row)
    for i in range(n):
        row[i] = v[i] ** 2
    return m[0][1]


def a_row_after_it_was_appended(v):
    n, m = len(v), []
    for i in range(n):
        row = [0.0] * n
        m.append(row)
        row[i] = v[i] ** 2
    return m[0][0]


def a_row_of_known_length(v):
    n, m = len(v), []
    for i in range(n):
        row = [v[i], 1.0]
        m.append(row)
    m[n - 1][0] = 5.0 * v[0]
    return row[0]


def a_row_that_stands_in_two_lists(v):
    row = [v[0], 1.0]
    held = [row]
    m = [row, [2.0, 2.0]]
    for i in range(2 * len(v)):
        m[i % 2][0] = 5.0 * v[0]
    return held[0][0]


def known_rows_that_are_one(v):
    n = len(v)
    m = [[0.0] * 3] * 3
    m[n - 1] = [v[k] for k in range(n)]
    for i in range(n):
        m[1][n - 1] += m[1][i] - sum(m[i]) * v[1]
    return sum([sum(r) for r in m])


def a_known_row_with_a_name(v):
    m = [[v[0] * i for i in range(3)] for _ in range(3)]
    row = m[0]
    m[len(v) - 2] = [v[1]] * 3
    for i in range(len(v)):
        m[i][2 - i] += sum(row) + m[i][0]
    return m[0][1] * m[2][0]


def one_row_by_a_known_key(v):
    n = len(v)
    m = [[0.0] * 3] * 3
    for i in range(n):
        m[1][n - 1 - i] = v[i]
        m[(i + 1) % n] = list(m[-1])
    return sum([sum(r) for r in m])


TWICE = [
    one_row_by_a_known_key,
    a_row_of_known_length, a_row_that_stands_in_two_lists, known_rows_that_are_one,
    a_known_row_with_a_name,
    shared_rows, one_row_many_times, a_row_with_another_name, a_row_in_two_lists,
    written_while_it_is_run_over, one_row_twice, a_row_that_was_replaced,
    a_list_in_another, a_row_after_it_was_appended,
]  # fmt: skip


@pytest.mark.parametrize("f", TWICE, ids=lambda f: f.__name__)
def test_what_is_seen_by_another_name_is_right_or_refused(f):
    try:
        assert ya.gradcheck(f, V)
    except UnsupportedSyntax as error:
        assert error.lineno is not None  # noqa: PT017


def test_no_more_is_kept_than_the_row_that_is_replaced():
    text = ya.grad(rows_of_another_length, V)[1].source
    assert "t1 = m[i].copy()" in text
    assert "deepcopy(" not in text


def rows_in_a_tuple(v):
    rows = [v[0], 0.5], [0.3, 0.5, v[1]]
    for _ in range(1):
        rows[len(v) - 2][0] *= v[2]
    return rows[0][0] * rows[1][0]


def test_rows_in_a_tuple_are_refused():
    with pytest.raises(ya.UnsupportedSyntax) as error:
        ya.grad(rows_in_a_tuple, V)
    assert error.value.reason == (
        "the function writes into an item of an item, at an unknown key"
    )
