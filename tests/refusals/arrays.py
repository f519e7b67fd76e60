# ruff: noqa: E501, PERF401, RET504
"""Writes into arrays that are refused."""

from functools import partial

import numpy as np

import yota_ast as ya
from yota_ast.facts import fact_of
from yota_ast.pipeline import Request, lowered

from .cases import refused as _refused

refused = partial(_refused, chapter="Arrays written in place")
X = np.array([1.0, 2.0, 3.0])
TABLE = np.ones(3)
MASKED = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])


@refused("The text may copy where the function does not, and the other way.", X)
def asks_for_the_base(x):
    half = x[:1]
    return half.sum() if half.base is None else 2 * half.sum()


@refused(
    "NumPy copies a line forwards or backwards. Here an element is overwritten before "
    "it is read, and the array is not what the statement says.",
    X,
)
def stores_a_row_into_a_column(x):
    m = np.outer(x, x)
    m[:, -1] = m[1]
    return np.sum(m * m)


@refused("What is written into one of the two is read in the other.", X)
def makes_an_array_of_a_buffer(x):
    y = np.ndarray(3, float, buffer=x)
    y[0] = 2.0
    return np.sum(x * x)


@refused(
    "Which of the arrays is written is known only when the function runs.",
    [np.ones(3), np.ones(3)],
    X,
)
def writes_an_array_of_the_callers_list(rows, x):
    row = rows[int(np.sum(x)) % 2]
    row[0] = x[0]
    return rows[0][0] * rows[1][0]


@refused("A module's array would be changed by every gradient.", X)
def writes_a_constant(x):
    y = np.asarray(TABLE)
    y[0] = x[0]
    return y.sum()


@refused("A module's array would be changed by every gradient.", X)
def writes_a_table(x):
    TABLE[0] = x[0]
    return TABLE.sum()


@refused(
    "Whether it is a view of what has been written is known only when the function runs.",
    np.ones(4),
)
def reads_a_part_after_a_write(x):
    y = np.exp(x)
    z, _ = np.split(y, np.cumsum([2]))
    z[0] = 1.0
    return y.sum()


@refused(
    "Whether it is a view of what has been written is known only when the function runs.",
    X,
)
def reads_what_may_be_a_view(x):
    y = x * 2.0
    flat = np.broadcast_arrays(y, 1.0)[0]
    y[0] = 5.0
    return flat.sum() + y.sum()


@refused(
    "Numbers cannot be written into: Python raises here, when the function runs.", 2.0
)
def writes_into_a_number(x):
    y = x * 2
    y[0] = x
    return y


@refused(
    "Of a ufunc, only the sums and products that a reverse sweep can undo are written at an index.",
    X,
)
def raises_to_powers_in_place(x):
    y = x * 2.0
    np.power.at(y, [0], x[0])
    return y.sum()


@refused(
    "NumPy writes the result in the type of the array: what is lost has no derivative.",
    X,
)
def writes_floats_into_ints(x):
    y = np.zeros(3, dtype=int)
    np.multiply(x, 2.0, out=y, casting="unsafe")
    return y.sum() * x[0]


@refused(
    "What is written by `out=` must be an array that the function has made.",
    X,
    [1.0, 2.0, 3.0],
)
def writes_into_a_list(x, ys):
    np.multiply(x, 2.0, out=ys)
    return x.sum()


@refused("How an index is spread over an axis depends on the rank.", known=False)
def fills_a_diagonal_of_unknown_rank(x):
    y = x * 2
    np.fill_diagonal(y, 1.0)
    return y.sum()


@refused("How an index is spread over an axis depends on the rank.", known=False)
def puts_along_an_unknown_axis(x, i):
    y = np.array(x)
    np.put_along_axis(y, i, 1.0, axis=None)
    return y.sum()


@refused("What NumPy would make of the values in another type has no derivative.", X)
def copies_with_casting(x):
    y = np.zeros(3)
    np.copyto(y, x, casting="unsafe")
    return y.sum()


@refused("Where an index out of range is put depends on the mode.", X, "clip")
def puts_by_an_unknown_mode(x, modes):
    y = x * 1.0
    np.put(y, [0, 1], 2.0, mode=modes[: len(x)])
    return y.sum()


@refused("Which of the lists grows is known only when the function runs.", X)
def extends_one_of_several(x):
    ends = {"low": [x[0]], "high": [x[1]]}
    side = ends["low" if x[2] < 1 else "high"]
    side += [x[2]]
    return sum(ends["low"])


@refused("Which of the items is written is known only when the function runs.", X, 1)
def writes_an_item_of_an_item(x, k):
    rows = [[x * 1.0, x * 2.0], [x * 3.0, x * 4.0]]
    rows[int(np.sum(x)) % 2][0] = x * x
    return np.sum(rows[0][0])


@refused(
    "What stands in the list may be an array of which something else is a view.", X, 3
)
def augments_an_item(x, n):
    ys = []
    for k in range(n):
        ys.append(x * k)
    ys[0] *= x
    return sum(np.sum(y) for y in ys)


class Grid:
    def __init__(self, cells):
        self.cells = cells


@refused(
    "The caller's object would lose a field that the next call reads.",
    {"a": 1.0, "b": 2.0},
)
def empties_a_dict(d):
    total = d.pop("a") * d["b"]
    return total


G = Grid(2.0)


@refused("One object has two names: what is written by one is read by the other.", G, G)
def writes_one_object_twice(a, b):
    a.cells = a.cells * 2.0
    return a.cells * b.cells


def fill(y, n):
    if n == 0:
        return 0.0
    y[n - 1] = y[n - 1] * 2.0
    return y[n - 1] + fill(y, n - 1)


@refused(
    "The text has one function for all depths, which works on what it is given.", X, 3
)
def recurses_into_an_array(x, n):
    y = x * 1.0
    return fill(y, n)


def halves(x, n):
    if n == 0:
        return x
    return halves(x * 0.5, n - 1)


@refused(
    "What the function returns may be what it is given: a later write would reach both.",
    X,
    3,
)
def writes_into_what_recursion_returns(x, n):
    y = x * x
    z = halves(y, n)
    y[0] = 3.0
    return np.sum(z * y)


@refused(
    "NumPy writes the result in the type of the array: what is lost has no derivative.",
    X,
)
def writes_sums_into_another_type(x):
    y = np.zeros(3, dtype=np.float32)
    np.cumsum(x, out=y)
    return y.sum()


@refused("How many axes are added is decided by a value.", X, 2)
def adds_many_axes(x, n):
    return np.array(x, ndmin=int(np.sum(x)) % 3).sum()


@refused("Only an array, a list or a dict has items that can be written.", X)
def writes_an_item_of_a_tuple(x):
    pair = (x, x)
    pair[0] = x * 2.0
    return np.sum(pair[0])


@refused(
    "A method that writes in place and has no function of the same name is not followed.",
    X,
)
def sets_bytes(x):
    y = x * 2.0
    y.setfield(1.0, float)
    return np.sum(y)


@refused("The shape is part of what every name of the array shows.", X)
def sets_the_shape(x):
    y = x * 1.0
    y.shape = (3, 1)
    return y.sum()


@refused("What is added to is read before the call, and written after it.", X)
def augments_what_the_right_side_writes(x):
    y = x * 1.0

    def bump():
        y[0] = 7.0
        return 1.0

    y[1:] += bump()
    return y.sum()


@refused("Several arrays are written at once, each of which may be a view.", X)
def divides_into_two_arrays(x):
    y, z = np.zeros(3), np.zeros(3)
    np.divmod(x, 2.0, y, z)
    return y.sum()


@refused(
    "Where the items go is drawn inside, and not told.", X, np.random.default_rng(0)
)
def shuffles_a_list(x, rng):
    y = [x[0], x[1]]
    rng.shuffle(y)
    return y[0]


@refused("Where the items go is drawn inside, and not told.", X)
def shuffles_by_the_old_generator(x):
    y = [x[0], x[1]]
    np.random.shuffle(y)  # noqa: NPY002
    return y[0]


@refused(
    "What is drawn is put into an array by the generator itself.",
    X,
    np.random.default_rng(0),
)
def draws_into_an_array(x, rng):
    y = np.zeros(2)
    rng.standard_normal(out=y)
    return (x[:2] * y).sum()


@refused("One of them may be a part of the other.", known=False)
def writes_an_argument_beside_the_unknown(x, y=None):
    x[0] = 2.0
    return x.sum() * np.sum(y)


@refused(
    "A text is made for one of the two; what it has printed cannot be taken back.",
    np.array([1.0, 1.0]),
    ask=lambda fn, args: ya.grad(fn, *args),
)
def prints_before_it_writes_a_view_or_a_copy(x):
    w = x[0] * 2 if x[1] > 0 else x * 2
    print("once")
    a = np.asarray(w)
    a *= 3
    return np.sum(a * w)


@refused("The first result decides the type of all.", X.astype("f4"))
def vectorizes_over_single_precision(x):
    return np.sum(np.vectorize(lambda v: v * v)(x))


@refused("What Python makes of the numbers depends on the type.", known=False)
def vectorizes_over_the_unknown(x: np.ndarray):
    return np.sum(np.vectorize(lambda v: v * 2.0)(x))


@refused("How the results are laid out depends on their axes.", np.ones((2, 3)))
def applies_along_an_axis_to_an_unknown_rank(x):
    def part(row):
        return row.reshape(np.broadcast_shapes(np.shape(row)))

    return np.sum(np.apply_along_axis(part, 1, x))


@refused("There is no elementwise rule for so many arrays.", X, 2 * X, 3 * X)
def broadcasts_over_three(x, y, z):
    return np.sum(ya.broadcast(lambda u, v, w: u * v * w, x, y, z))


@refused("The elements must be floats.", X.astype("f4"))
def broadcasts_over_single_precision(x):
    return np.sum(ya.broadcast(lambda u: u * u, x))


@refused("NumPy itself raises here, when the function runs.", X)
def pads_in_no_known_way(x):
    return np.sum(np.pad(x, 1, mode="odd"))


@refused(
    "NumPy rounds some functions otherwise in memory that runs backwards; the value"
    " would not be the same bit for bit.",
    X,
)
def writes_backwards(x):
    y = x * 2.0
    np.exp(x, out=y[::-1])
    return np.sum(y * x)


def _at_first(fn, args):
    """The lowering, which is tried again with its containers taken as they are."""
    values = dict(zip(("x", "parts"), args, strict=True))
    facts = {name: fact_of(value, name) for name, value in values.items()}
    return lowered(Request(fn, facts, values))


@refused(
    "A loop goes on with what is written under a name.",
    X,
    {"b": np.ones((3, 2))},
    ask=_at_first,
)
def writes_an_item_of_an_argument_in_a_loop(x, parts):
    for _, _ in parts["b"]:
        parts["b"][:] = x[0]
    return parts["b"]


@refused(
    "The mean is that of the elements that are left: none of their rules holds.", X
)
def averages_a_masked_array(x):
    return np.mean(MASKED * x)


@refused("`*` is a product of matrices.", X)
def multiplies_by_a_matrix(x):
    return np.sum(np.asmatrix(TABLE) * x)


class Series:
    """What stands here for that of pandas, by its name."""

    __module__ = "pandas"
    dtype, shape = X.dtype, X.shape


SERIES = Series()


@refused("Two of them are put together by label, wherever that stands.", X)
def multiplies_by_a_series(x):
    return np.sum(x * SERIES)
