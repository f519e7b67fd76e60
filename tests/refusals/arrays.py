# ruff: noqa: PERF401
"""Writes into arrays that are refused."""

from functools import cached_property, partial

import numpy as np

import yota_ast as ya
from yota_ast.ir.abstract_values import fact_of
from yota_ast.pipeline import Request, lowered

from .cases import PYTHON_RAISES
from .cases import refused as _refused
from .groups import CALL, CONTAINERS, LIBRARIES, WRITE

refused = partial(_refused, group=WRITE)
X = np.array([1.0, 2.0, 3.0])
TABLE = np.ones(3)
MASKED = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])


@refused(
    "Generated code may copy an array where the function makes a view, "
    "and the other way round.",
    X,
)
def asks_for_the_base(x):
    half = x[:1]
    return half.sum() if half.base is None else 2 * half.sum()


@refused(
    "NumPy copies forwards or backwards. Here it overwrites an element before "
    "it reads it, so the result is not what the statement says.",
    X,
)
def stores_a_row_into_a_column(x):
    m = np.outer(x, x)
    m[:, -1] = m[1]
    return np.sum(m * m)


@refused("A write into one of the two changes the other.", X)
def makes_an_array_of_a_buffer(x):
    y = np.ndarray(3, float, buffer=x)
    y[0] = 2.0
    return np.sum(x * x)


@refused(
    "The array that changes is known only when the function runs.",
    [np.ones(3), np.ones(3)],
    X,
)
def writes_an_array_of_the_callers_list(rows, x):
    row = rows[int(np.sum(x)) % 2]
    row[0] = x[0]
    return rows[0][0] * rows[1][0]


@refused("Every call of the gradient would change the array of the module.", X)
def writes_a_constant(x):
    y = np.asarray(TABLE)
    y[0] = x[0]
    return y.sum()


TABLE_TOO = TABLE


@refused("The other name may be bound to another array later.", X)
def writes_a_table(x):
    TABLE[0] = x[0]
    return TABLE_TOO.sum()


TABLES = {"first": {"w": 1.0}}


@refused("The whole may be read by other keys, too.", X)
def writes_a_part_of_a_dict(x):
    TABLES["first"]["w"] = x[0]
    return TABLES["first"]["w"] * x.sum()


@refused(
    "Only a run of the function tells a view of the changed array from a copy.",
    np.ones(4),
)
def reads_a_part_after_a_write(x):
    y = np.exp(x)
    z, _ = np.split(y, np.cumsum([2]))
    z[0] = 1.0
    return y.sum()


@refused(
    "Only a run of the function tells a view of the changed array from a copy.",
    X,
)
def reads_what_may_be_a_view(x):
    y = x * 2.0
    flat = np.broadcast_arrays(y, 1.0)[0]
    y[0] = 5.0
    return flat.sum() + y.sum()


@refused(PYTHON_RAISES, 2.0)
def writes_into_a_number(x):
    y = x * 2
    y[0] = x
    return y


@refused(
    "The reverse sweep can undo sums and products at an index, and no other ufunc.",
    X,
)
def raises_to_powers_in_place(x):
    y = x * 2.0
    np.power.at(y, [0], x[0])
    return y.sum()


@refused(
    "The function may give its own arrays for `out=`, and nothing else.",
    X,
    [1.0, 2.0, 3.0],
)
def writes_into_a_list(x, ys):
    np.multiply(x, 2.0, out=ys)
    return x.sum()


@refused("The rank decides how an index is spread over an axis.", known=False)
def fills_a_diagonal_of_unknown_rank(x):
    y = x * 2
    np.fill_diagonal(y, 1.0)
    return y.sum()


@refused("The rank decides how an index is spread over an axis.", known=False)
def puts_along_an_unknown_axis(x, i):
    y = np.array(x)
    np.put_along_axis(y, i, 1.0, axis=None)
    return y.sum()


@refused("The conversion to another type has no derivative.", X)
def copies_with_casting(x):
    y = np.zeros(3)
    np.copyto(y, x, casting="unsafe")
    return y.sum()


@refused("The mode decides where an index out of range is put.", X, "clip")
def puts_by_an_unknown_mode(x, modes):
    y = x * 1.0
    np.put(y, [0, 1], 2.0, mode=modes[: len(x)])
    return y.sum()


@refused(
    "The list that grows is known only when the function runs.",
    X,
    group=CONTAINERS,
)
def extends_one_of_several(x):
    ends = {"low": [x[0]], "high": [x[1]]}
    side = ends["low" if x[2] < 1 else "high"]
    side += [x[2]]
    return sum(ends["low"])


@refused("The item that changes is known only when the function runs.", X, 1)
def writes_an_item_of_an_item(x, k):
    rows = [[x * 1.0, x * 2.0], [x * 3.0, x * 4.0]]
    rows[int(np.sum(x)) % 2][0] = x * x
    return np.sum(rows[0][0])


@refused("The item may be an array, and other arrays may be views of it.", X, 3)
def augments_an_item(x, n):
    ys = []
    for k in range(n):
        ys.append(x * k)
    ys[0] *= x
    return sum(np.sum(y) for y in ys)


class Grid:
    def __init__(self, cells):
        self.cells = cells


class Kept(Grid):
    @cached_property
    def total(self):
        return np.sum(self.cells)


KEPT = Kept(np.ones(3))
KEPT.total  # noqa: B018


@refused(
    "The caller's object would lose a field that the next call reads.",
    X,
    KEPT,
    group=CONTAINERS,
)
def forgets_what_was_kept(x, kept):
    kept.cells = x
    kept.__dict__.pop("total", None)
    return np.sum(x)


@refused(
    "The rows would be copied, and other names for them lost.",
    X,
    {"rows": [1.0]},
    group=CONTAINERS,
)
def adds_a_key_on_one_way(x, d):
    if x[0] > 0:
        d["first"] = x[0]
    return np.sum(x**2)


SEEN = {"a"}


@refused("A set is not followed item by item.", X, group=CONTAINERS)
def adds_to_a_set_of_the_module(x):
    SEEN.add("b")
    return np.sum(x) * len(SEEN)


STATE = {"scale": 1.0}


@ya.primitive
def scaled(x):
    return np.asarray(x) * STATE["scale"]


@refused("The primitive would read the module before it is written.", X)
def writes_what_a_primitive_reads(x):
    STATE["scale"] = 2.0
    return np.sum(scaled(x))


G = Grid(2.0)


@refused(
    "One object has two names: a write by one name changes what the other reads.",
    G,
    G,
    group=CONTAINERS,
)
def writes_one_object_twice(a, b):
    a.cells = a.cells * 2.0
    return a.cells * b.cells


def fill(y, n):
    if n == 0:
        return 0.0
    y[n - 1] = y[n - 1] * 2.0
    return y[n - 1] + fill(y, n - 1)


@refused(
    "One generated function serves all depths of the recursion, and works on "
    "its arguments.",
    X,
    3,
)
def recurses_into_an_array(x, n):
    y = x * 1.0
    return fill(y, n)


def halves(x, n):
    if n == 0:
        return x
    return halves(x * 0.5, n - 1)


@refused(
    "The function may return its argument: a later write would change both.",
    X,
    3,
)
def writes_into_what_recursion_returns(x, n):
    y = x * x
    z = halves(y, n)
    y[0] = 3.0
    return np.sum(z * y)


@refused(
    "NumPy converts the result to the type of the array: the part that is "
    "lost has no derivative.",
    X,
)
def writes_sums_into_another_type(x):
    y = np.zeros(3, dtype=np.float32)
    np.cumsum(x, out=y)
    return y.sum()


@refused("A value decides the number of new axes.", X, 2)
def adds_many_axes(x, n):
    return np.array(x, ndmin=int(np.sum(x)) % 3).sum()


@refused(
    "Only an array, a list or a dict has items that can be written.",
    X,
    group=CONTAINERS,
)
def writes_an_item_of_a_tuple(x):
    pair = (x, x)
    pair[0] = x * 2.0
    return np.sum(pair[0])


@refused(
    "This method writes in place, and no NumPy function of that name does the same.",
    X,
)
def sets_bytes(x):
    y = x * 2.0
    y.setfield(1.0, float)
    return np.sum(y)


@refused("Every name of the array would show the new shape.", X)
def sets_the_shape(x):
    y = x * 1.0
    rows = [y]
    y.shape = (3, 1)
    return rows[0].sum()


class Pile:
    def __init__(self, held):
        self.held = held

    def __array__(self, dtype=None, copy=None):
        return self.held

    def sum(self, axis=None, dtype=None, out=None):
        return 7.0 * self.held[0]


@refused("np.sum calls the method `sum` of what it is given, if that has one.", X)
def asks_an_object_for_its_sum(x):
    return np.sum(Pile(x * 2.0))


@refused("Python reads the left side before the call, and writes it afterwards.", X)
def augments_what_the_right_side_writes(x):
    y = x * 1.0

    def bump():
        y[0] = 7.0
        return 1.0

    y[1:] += bump()
    return y.sum()


@refused("Several arrays change at once, and each may be a view.", X)
def divides_into_two_arrays(x):
    y, z = np.zeros(3), np.zeros(3)
    np.divmod(x, 2.0, y, z)
    return y.sum()


@refused(
    "The method draws the new order, and does not return it.",
    X,
    np.random.default_rng(0),
    group=CONTAINERS,
)
def shuffles_a_list(x, rng):
    y = [x[0], x[1]]
    rng.shuffle(y)
    return y[0]


@refused("The method draws the new order, and does not return it.", X)
def shuffles_by_the_old_generator(x):
    y = [x[0], x[1]]
    np.random.shuffle(y)  # noqa: NPY002
    return y[0]


@refused(
    "The generator itself writes the numbers into the array.",
    X,
    np.random.default_rng(0),
)
def draws_into_an_array(x, rng):
    y = np.zeros(2)
    rng.standard_normal(out=y)
    return (x[:2] * y).sum()


@refused("One may be a part of the other.", known=False)
def writes_an_argument_beside_the_unknown(x, y=None):
    x[0] = 2.0
    return x.sum() * np.sum(y)


@refused(
    "Generated code is made for one of the two. It cannot take back what it "
    "has printed.",
    np.array([1.0, 1.0]),
    ask=lambda fn, args: ya.grad(fn, *args),
)
def prints_before_it_writes_a_view_or_a_copy(x):
    w = x[0] * 2 if x[1] > 0 else x * 2
    print("once")
    a = np.asarray(w)
    a *= 3
    return np.sum(a * w)


@refused("The first result decides the type of all.", X.astype("f4"), group=CALL)
def vectorizes_over_single_precision(x):
    return np.sum(np.vectorize(lambda v: v * v)(x))


@refused(
    "The type decides how Python computes with the numbers.", known=False, group=CALL
)
def vectorizes_over_the_unknown(x: np.ndarray):
    return np.sum(np.vectorize(lambda v: v * 2.0)(x))


@refused(
    "The layout of the results depends on their axes.", np.ones((2, 3)), group=CALL
)
def applies_along_an_axis_to_an_unknown_rank(x):
    def part(row):
        return row.reshape(np.broadcast_shapes(np.shape(row)))

    return np.sum(np.apply_along_axis(part, 1, x))


@refused(
    "There is no elementwise rule for so many arrays.", X, 2 * X, 3 * X, group=CALL
)
def broadcasts_over_three(x, y, z):
    return np.sum(ya.broadcast(lambda u, v, w: u * v * w, x, y, z))


@refused("The elements must be floats.", X.astype("f4"), group=CALL)
def broadcasts_over_single_precision(x):
    return np.sum(ya.broadcast(lambda u: u * u, x))


@refused("NumPy itself raises here, when the function runs.", X, group=LIBRARIES)
def pads_in_no_known_way(x):
    return np.sum(np.pad(x, 1, mode="odd"))


@refused(
    "NumPy rounds some functions differently in memory that runs backwards: "
    "the value would not be the same bit for bit.",
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
    "The next iteration finds the changed array by its name.",
    X,
    {"b": np.ones((3, 2))},
    ask=_at_first,
)
def writes_an_item_of_an_argument_in_a_loop(x, parts):
    for _, _ in parts["b"]:
        parts["b"][:] = x[0]
    return parts["b"]


@refused(
    "The mean is that of the remaining elements: the rule of the mean does not hold.",
    X,
    group=LIBRARIES,
)
def averages_a_masked_array(x):
    return np.mean(MASKED * x)


@refused("`*` is a matrix product here, and not elementwise.", X, group=LIBRARIES)
def multiplies_by_a_matrix(x):
    return np.sum(np.asmatrix(TABLE) * x)


class Series:
    """What stands here for that of pandas, by its name."""

    __module__ = "pandas"
    dtype, shape = X.dtype, X.shape


SERIES = Series()


@refused("A table combines values by label, and not by position.", X, group=LIBRARIES)
def multiplies_by_a_series(x):
    return np.sum(x * SERIES)


@refused("The table decides how many values the function gets.", X, group=LIBRARIES)
def gives_a_table_a_function_of_any_number(x):
    return np.sum(x) * SERIES.apply(lambda *values: values[0]).sum()


@refused("The table belongs to the caller.", X, group=LIBRARIES)
def stores_in_a_series(x):
    SERIES[0] = 1.0
    return np.sum(x)


@refused(
    "The compiler does not read the code of this class, so it does not know "
    "what the method changes.",
    X,
    group=LIBRARIES,
)
def pops_from_a_series(x):
    return np.sum(x) * SERIES.pop("a")


def plot(x):
    return [x]


plot.__module__ = "matplotlib.pyplot"


@refused("A plot shows numbers: what it keeps is not followed.", X, group=LIBRARIES)
def reads_a_plot(x):
    (line,) = plot(x)
    return np.sum(line.get_ydata())


def writes_into_a_copy_of_windows(x):
    w = np.lib.stride_tricks.as_strided(x, (2, 2), x.strides * 2).copy()
    w[0] = 1.0
    return np.sum(w**2)


@refused("The windows overlap: a write into one changes others.", X,
         works=writes_into_a_copy_of_windows)  # fmt: skip
def writes_into_windows(x):
    w = np.lib.stride_tricks.as_strided(x, (2, 2), x.strides * 2)
    w[0] = 1.0
    return np.sum(w**2)


def takes_windows_by_all_their_strides(x):
    w = np.lib.stride_tricks.as_strided(x, (2, 2), x.strides * 2)
    return np.sum(w**2)


@refused("The strides say where the elements are.", X,
         works=takes_windows_by_all_their_strides)  # fmt: skip
def takes_windows_without_strides(x):
    w = np.lib.stride_tricks.as_strided(x, (3,))
    return np.sum(w**2)
