# ruff: noqa: PERF401, PYI024
"""Lists, dicts and objects that are refused."""

import collections
import copy
import inspect
import math
import operator
import random
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import attrs
import numpy as np

from yota_ast.api.traced_tapes import gradient_source
from yota_ast.tools.cli.like import parse_like

from .cases import PYTHON_RAISES
from .cases import refused as _refused
from .groups import CALL, CONTAINERS, LOOP

refused = partial(_refused, group=CONTAINERS)
X = np.array([1.0, 2.0, 3.0])


def like(text):
    """How the gradient is asked for of arguments that are described."""
    return lambda fn, _: gradient_source(fn, facts=parse_like(text))


@dataclass
class Model:
    w: float
    rest: Any = None


MODEL = Model(2.0)
KEY = [1]
DRAWS = random.Random(0)


@refused("The name decides which item gets the derivative.", known=False)
def picks_a_key_by_name(x: float, name: str):
    rows = []
    for k in range(4):
        rows.append({"a": x, "b": x * k})
    return sum(row[name] for row in rows)


@refused("The names of the fields decide what `r.low` is.", 1.5, known=False)
def makes_a_class_of_unknown_fields(x: float, names: str):
    pair = collections.namedtuple("Pair", names)
    r = pair(x, x * x)
    return r.low * r.high


@refused("The other list would still have the old items.", X)
def writes_a_list_that_stands_in_another(x):
    rows, row = [], [0.0] * len(x)
    for _ in range(len(x)):
        rows.append(row)
    for k in range(len(x)):
        row[k] = x[k] * x[k]
    return rows[0][1]


@refused("The attribute and the item are one, under two names.", Model(2.0))
def writes_attributes_as_items(m):
    fields = m.__dict__
    fields["w"] = 3.0
    return m.w * m.w


@refused(
    "A later read raises an error in Python, but would find a value here.", Model(2.0)
)
def deletes_an_attribute_by_name(m):
    w = m.w
    delattr(m, "rest")
    return w * w


@refused("The keys of the result are unknown.", known=False)
def joins_a_dict_with_the_unknown(x, more):
    rows = {"a": x}
    rows |= more
    return rows["a"] * x


@refused("Only the run decides if there is a third value to add.", 2.0)
def adds_what_a_branch_has_put_in(x: float):
    terms = {"data": x * x, "prior": -x}
    if x < -10:
        terms["barrier"] = x * 2
    return sum(terms.values())


@refused("Only the run decides which of the two comes first.", 2.0)
def goes_through_keys_in_two_orders(x: float):
    if x < 0:
        terms = {"data": x * x, "prior": -x}
    else:
        terms = {"prior": -x, "data": x * x}
    return sum(k * v for k, v in enumerate(terms.values()))


class Tank:
    def __init__(self, level):
        self.level = level
        if level < 0:
            self.debt = -level


@refused("Only the run decides which of the two is returned.", 2.0)
def asks_for_an_attribute_of_a_branch(x: float):
    tank = Tank(x)
    return tank.debt * x if hasattr(tank, "debt") else x


@refused("Only the run decides which item is next.", 2.0, group=LOOP)
def takes_the_next_after_a_branch(x: float):
    rest = iter([x, 2 * x, x * x])
    if x > 5:
        next(rest)
    return next(rest, 7.0)


@refused("The remaining items are unknown.", X, group=LOOP)
def asks_an_iterator(x):
    items = (v for v in x)
    return x[0] * (x[1] in items) + sum(items)


@refused("The second time it gives nothing.", X, group=LOOP)
def runs_through_twice(x):
    squares = map(math.sqrt, x)
    return sum(squares) + sum(squares)


@refused("`any` stops at the first item that is true.", X, group=LOOP)
def reads_what_any_has_left(x):
    items = (v for v in (x[0], x[1]))
    return x[0] + sum(items) if any(items) else x[1]


@refused("The items are taken when they are used.", X, group=LOOP)
def rebinds_what_a_generator_reads(x):
    k = 2.0
    scaled = (v * k for v in x)
    k = 3.0
    return sum(scaled)


@refused("The loop decides which items remain.", X, group=LOOP)
def takes_from_an_iterator_within(x):
    total = 0.0
    items = iter(x)
    for v in items:
        total += v
        for w in items:
            total += v * w
    return total


@refused("The effect of the function on it is unknown.", 2.0)
def hands_a_list_on(x):
    ranks = [3, 1, 2]
    DRAWS.shuffle(ranks)
    return x * ranks[0]


@refused(
    "The compiler does not track the items of a deque of the caller's.",
    2.0,
    collections.deque([3, 1, 2]),
)
def appends_to_a_deque(x, steps):
    steps.append(4)
    return x * steps[-1]


@refused("The statement `del` is supported.", 2.0)
def deletes_by_a_function(x):
    steps = [3, 1, 2]
    operator.delitem(steps, 0)
    return x * steps[0]


def assigns_a_stretch_of_a_list(x):
    terms = [v**2 for v in x]
    terms[len(x) - 2 :] = 2 * x[:1]
    return sum(k * v for k, v in enumerate(terms, 1))


@refused("The list may be too short for the items.", X,
         works=assigns_a_stretch_of_a_list)  # fmt: skip
def assigns_every_other_item(x):
    terms = [v**2 for v in x]
    terms[::2] = 2 * x[:2]
    return sum(k * v for k, v in enumerate(terms, 1))


@refused("What begins and ends the slice is not followed.", X)
def assigns_by_a_chosen_slice(x):
    terms = [v**2 for v in x]
    part = slice(0, 2) if x[0] > 2 else slice(1, 2)
    terms[part] = 2 * x[:1]
    return sum(k * v for k, v in enumerate(terms, 1))


@refused("The new list would hold the same arrays as the old one.", X)
def assigns_arrays_to_a_part_of_a_list(x):
    terms = [v * np.ones(2) for v in x]
    terms[1:2] = [np.zeros(2)]
    return sum(np.sum(v) for v in terms)


@refused("A number decides which item it is.", 2.0, dict.fromkeys(range(20), 1.0), 1)
def gets_one_of_many(x, table, k):
    return table.get(k + int(x), x)


@refused("Only the run decides which keys there are.", 2.0)
def takes_out_what_a_branch_has_put_in(x: float):
    terms = {"data": x * x}
    if x < -10:
        terms["barrier"] = x * 2
    return terms.pop("data")


@refused(PYTHON_RAISES, 2.0)
def uses_a_list_as_a_key(x):
    table = {}
    table[KEY] = x
    return x


@refused(PYTHON_RAISES, 2.0)
def assigns_an_item_of_an_object(x):
    m = Model(x)
    m[0] = x
    return x


@refused(PYTHON_RAISES, X)
def assigns_too_few_to_a_slice(x):
    items = [x[0], x[1], x[2]]
    items[::2] = [x[0]]
    return sum(items)


@refused(PYTHON_RAISES, X)
def subtracts_lists_in_place(x):
    items = [x, x]
    items -= [x]
    return items[0]


@refused("The length decides the gradient.", X, 2)
def repeats_a_grown_list_in_place(x, n):
    items = []
    for k in range(n):
        items.append(x * k)
    items *= 2
    return sum(items)


@refused("A set keeps one of several equal numbers.", X)
def joins_a_set_of_numbers(x):
    found = {1, 2}
    found |= set(x)
    return len(found) * x.sum()


@refused("With a number it is a list, with an array a product.", known=False)
def repeats_by_a_number_or_an_array(x, n):
    w = [0.0] * n
    w[0] = x
    return w[0]


@refused(PYTHON_RAISES, 3.0)
def reads_no_field_of_an_object_outside(x):
    return MODEL.bias * x


@refused("Its fields may be changed through it, and it through them.", 2.0)
def reads_the_fields_as_a_dict(x):
    m = Model(x)
    fields = m.__dict__
    return sum(fields.values())


@refused(PYTHON_RAISES, 2.0, group=CALL)
def takes_an_item_of_a_function(x):
    def f(v):
        return v * x

    return f[0]


@refused(PYTHON_RAISES, X)
def calls_no_method_of_a_result(x):
    return (x * 2).normalise()


@refused(
    "The caller sees the change, and only one field of the object is known.",
    known=False,
)
def sets_a_field_of_the_unknown(m, x):
    m.w = x
    return x


@refused("The caller sees the change, and nothing is known of the object.", known=False)
def sets_an_item_of_the_unknown(m: Model, x):
    m[0] = x
    return x


@refused(
    "The caller sees the change, and other parts of the program may see it too.",
    ask=like("items=list[float, float], x=float"),
)
def appends_to_a_list_described(items, x):
    items.append(x)
    return items[0] * x


class Cells:
    def __init__(self, v):
        self.v = v


@refused(
    "Only a run of the loop decides if the object has the field afterwards.",
    Cells(1.0),
    2.0,
)
def sets_a_new_field_in_a_loop(m, x):
    while x < 5:
        m.extra = x
        x = x * 2
    return x


@refused(
    "It may be the same object as one of the others, which would then change too.",
    [Cells(float(k)) for k in range(60)],
    2.0,
)
def sets_a_field_of_one_of_many(ms, x):
    ms[0].v = x
    return ms[0].v * ms[1].v


@refused("The inner function has no name that generated code could use.", 2.0)
def makes_an_array_of_functions(x):
    fs = np.array([lambda v: v * x])
    return fs[0](x)


@refused("Generated code has a plain dict, which treats missing keys differently.", 2.0)
def returns_a_defaultdict(x):
    totals = collections.defaultdict(float)
    totals["a"] += x
    return totals


@refused("Its type decides if it shares memory with the copy.", known=False)
def copies_the_unknown(x, k=None):
    return copy.deepcopy(k) * x


class Scaled:
    def __init__(self, s):
        self.s = s

    def __rmul__(self, other):
        return self.s * np.sum(other)


@refused("NumPy hands each element to the object, and makes an array of the results.")
def before_an_object(x):
    return np.sum(x * Scaled(2.0))


@refused("Generated code makes a new list of the items that a branch has chosen.", 2.0)
def asks_whether_it_is_the_list(x):
    first, other = [x], [x * x]
    larger = first if x > 1.0 else other
    return x * (2.0 if larger is first else 3.0)


class Counted:
    def __init__(self, value):
        self.value, self.count = value, 0


@refused("Generated code holds the fields, and nobody knows which item it is.")
def writes_an_object_of_a_list(x):
    kept = []
    for v in x:
        if v > 0:
            kept.append(Counted(v))
    for each in kept:
        each.count = 1
    return sum(each.value * each.count for each in kept)


class KeepsItsState:
    def __init__(self, s):
        self.s = s

    def __getstate__(self):
        return {"s": 2 * self.s}


@refused("The class decides what the copy holds.")
def copies_by_a_state(x):
    return copy.copy(KeepsItsState(x)).s


@refused("A branch decides if the copy holds one array or two.")
def copies_what_may_be_one(x):
    y = x if x[0] > 0 else 2 * x
    a, b = copy.deepcopy((x, y))
    a[0] = 1.0
    return b


@refused("Its type decides if it shares memory with the copy.", known=False)
def copies_an_unknown_field(x, k=None):
    return asdict(Model(x, k))["w"]


def line(u, v=1.0):
    return u * v


SIGNATURE = inspect.signature(line)


@refused(PYTHON_RAISES, 2.0, group=CALL)
def binds_too_many(x):
    bound = SIGNATURE.bind(x, 2, 3)
    return line(*bound.args)


@refused("It has items in some runs, and none in others.", 2.0)
def reads_what_is_a_container_at_times(x):
    t = x
    if x > 1:
        t = (x, 3 * x)
    return t[1] * 2.0


@refused(
    "The row stands in the list, and the list is read after the row has changed.", X
)
def changes_a_row_that_has_been_appended(x):
    rows = []
    for v in x:
        row = [v, 1.0]
        rows.append(row)
        row[1] = v * 2
    return rows[0][1] * x[0]


@refused("Generated code chose the row before it changed.", 0.5, 1)
def reads_a_row_that_has_changed(x, i):
    rows = [[x, 1.0], [2.0, x]]
    row = rows[int(x * 4) - i]
    rows[1][0] = x * x
    return row[0] * x


@attrs.frozen
class Lens:
    focus: float


@refused(PYTHON_RAISES, 2.0)
def writes_a_field_of_a_frozen_object(x):
    lens = Lens(x)
    lens.focus = 2.0 * x
    return lens.focus


@refused("nan is not equal to itself.", 2.0, float("nan"))
def looks_for_a_key_among_nans(x, key):
    return x * 2.0 if key in {math.nan: 1.0, 1.0: 2.0} else x


def puts_a_copy_of_a_list_into_it(x):
    items = [x, x * x]
    items.append(list(items))
    return items[0] * items[2][1]


@refused("A list that holds itself has no end.", 2.0,
         works=puts_a_copy_of_a_list_into_it)  # fmt: skip
def puts_a_list_into_itself(x):
    items = [x, x * x]
    items.append(items)
    return items[0] * items[1]
