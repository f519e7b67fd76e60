"""How an argument is made up inside decides, and the text checks what has: how many
items a part has, its keys and their order, None, attributes, the kinds of parts."""

import copy
import enum
import math
import re
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api.traced_tapes import compile_tape

N = SimpleNamespace


class Layer:
    def __init__(self, a):
        self.a = a

    def __call__(self, x):
        return self.a * x

    def applied(self, x):
        return self.a * x


class Flag(enum.IntEnum):
    UP = 2


def summed(o, x):
    return sum(o.w) * x


def counted(o, x):
    return len(o.w) * x


def last(o, x):
    return o.w[-1] * x


def rest(o, x):
    return sum(o.w[1:]) * x


def true(o, x):
    return x if o.w else x * x


def chain(o, x):
    for layer in o.layers:
        x = layer(x) + 1
    return x


def rows(o, x):
    return sum(sum(row) for row in o) * x


def appended(o, x):
    o.w.append(x)
    return sum(o.w) * x


def of_keys(o, x):
    for value in o.values():
        x = x * x + value
    return x


def has_key(o, x):
    return x if "c" in o.w else x * x


def key_or_not(o, x):
    return x * o.w.get("c", 10.0)


def key_or_not_of_written(o, x):
    o["a"] = x
    return o.get("c", 3.0) * x


def in_order_of_written(o, x):
    o["a"] = x
    for value in o.values():
        x = x * x + value
    return x


def tried(o, x):
    try:
        return o.w["c"] * x
    except KeyError:
        return x * x


def tried_item(o, x):
    try:
        return o.w[1] * x
    except IndexError:
        return x


def none(o, x):
    return x if o.w is None else x * x


def whole(o, x):
    return x if o is None else sum(o) * x


def none_of_items(o, x):
    return x if o[0] is None else x * o[0]


def or_else(o, x):
    return x * (o["w"] or 2.0)


def attribute(o, x):
    return x if hasattr(o, "b") else x * x


def attribute_or(o, x):
    return x * getattr(o, "b", 9.0)


def is_list(o, x):
    return x if isinstance(o.w, list) else x * x


def is_str(o, x):
    return x if isinstance(o.w, str) else x * x


def is_layer(o, x):
    return x if isinstance(o.w, Layer) else x * x


def is_bool(o, x):
    return x if isinstance(o.w, bool) else x * x


def is_true(o, x):
    return x if o is True else x * x


def is_flag(o, x):
    return x if isinstance(o, Flag) else x * x


def is_word(o, x):
    return x if o.w == "a" else x * x


def joined(o, x):
    return x * len(o.w + [1.0])  # noqa: RUF005


def twice(o, x):
    return x * sum(o * 2)


def called(o, x):
    return o.applied(x)


def matched(o, x):
    match o.w:
        case [a, b]:
            return a * b * x
        case [a]:
            return a * x * x


def unseen(o, x):
    return o.w[0] * x


def by_key(o, x):
    return o["a"] * x


ONE, TWO = {"a": 1.0}, {"a": 1.0, "b": 2.0}
OTHER_WAY = {"b": 2.0, "a": 1.0}
SHORT, LONG = N(w=[1.0, 2.0]), N(w=[1.0, 2.0, 3.0])
OWN = Layer(2.0)
OWN.applied = math.sin


def of(what):
    """What a tape says of a part of o, and what a text says: all classes and counts."""
    return what, f"o: SimpleNamespace; {what}"


ROWS = ("o[1] of 1 item", "o of 2 items; o[0] of 1 item; o[1] of 1 item")
_, CHAIN = of("o.layers of 1 item")
CHAIN = ("o.layers of 1 item", f"{CHAIN}; o.layers[0]: Layer")
CASES = [
    *((fn, SHORT, LONG, of("o.w of 2 items")) for fn in (summed, counted, last, rest)),
    (appended, SHORT, LONG, of("o.w of 2 items")),
    (true, N(w=[]), SHORT, of("o.w of 0 items")),
    (true, N(w={}), N(w=ONE), of("o.w of 0 items")),
    (counted, N(w=ONE), N(w=TWO), of("o.w of 1 item")),
    (summed, N(w=(1.0,)), N(w=(1.0, 2.0)), of("o.w of 1 item")),
    (chain, N(layers=[Layer(1.0)]), N(layers=[]), CHAIN),
    (rows, [[1.0], [2.0]], [[1.0], [2.0, 3.0]], ROWS),
    (matched, N(w=[1.0, 2.0]), N(w=[1.0]), of("o.w of 2 items")),
    (of_keys, TWO, OTHER_WAY, "o of 'a', 'b'"),
    (in_order_of_written, TWO, OTHER_WAY, "o of 'a', 'b'"),
    (has_key, N(w=ONE), N(w={"c": 1.0}), "o.w without 'c'"),
    (has_key, N(w={"c": 1.0}), N(w=ONE), "o.w with 'c'"),
    (key_or_not, N(w=ONE), N(w={"c": 1.0}), "o.w without 'c'"),
    (key_or_not_of_written, TWO, {"a": 1.0, "c": 1.0}, "o without 'c'"),
    (tried, N(w=ONE), N(w={"c": 1.0}), "o.w without 'c'"),
    (tried, N(w={"c": 1.0}), N(w=ONE), "o.w with 'c'"),
    (tried_item, SHORT, N(w=[1.0]), "o.w of 2 items"),
    (none, N(w=None), N(w=3.0), "o.w=None"),
    (whole, [1.0], None, "o that is not None"),
    (whole, [], [1.0], "o of 0 items"),
    (none, N(w=[1.0]), N(w=None), "o.w that is not None"),
    (none, N(w=Layer(1.0)), N(w=None), of("o.w: Layer")),
    (none_of_items, [None], [3.0], "o[0]=None"),
    (or_else, {"w": None}, {"w": 3.0}, "o['w']=None"),
    (attribute, N(a=1.0), N(a=1.0, b=2.0), "o without b"),
    (attribute, N(b=1.0), N(a=1.0), "o with b"),
    (attribute_or, N(a=1.0), N(b=2.0), "o without b"),
    (is_list, SHORT, N(w=(1.0, 2.0)), "a list o.w"),
    (is_list, N(w=(1.0, 2.0)), SHORT, "a tuple o.w"),
    (is_str, N(w="a"), N(w=2.0), "a str o.w"),
    (is_layer, N(w=2.0), N(w=Layer(1.0)), "a number o.w, float or int or .*"),
    (is_layer, N(w=Layer(1.0)), N(w=2.0), of("o.w: Layer")),
    (is_bool, N(w=2), N(w=True), "a number o.w, int or float or .*"),
    (is_true, 2, True, "a number o, int or float or .*"),
    (is_flag, 2, Flag.UP, "a number o, int or float or .*"),
    (is_word, N(w=2), N(w="a"), "a number o.w, int or float or .*"),
    (is_word, N(w=2.0), N(w="a"), "a number o.w, float or int or .*"),
    (is_word, N(w=[2.0]), N(w="a"), "a list o.w"),
    (joined, SHORT, N(w=np.ones(2)), "a list o.w"),
    (twice, [1.0, 3.0], (1.0, 3.0), "a list o"),
    (called, Layer(1.0), OWN, "o: Layer with its applied"),
]


REST = r"(; .*)?$"
"""What one test asks with it: what else is made up so, and which are numbers."""


def made_for(what, written):
    """The pattern of a message; written: that of a text, not of a tape."""
    shown = what if isinstance(what, str) else what[written]
    return "made for (.*; )?" + shown.replace("[", r"\[").replace("]", r"\]")


@pytest.mark.parametrize(("fn", "made", "other", "what"), CASES)
def test_the_text_refuses_what_is_made_up_otherwise(fn, made, other, what):
    made, other = copy.deepcopy(made), copy.deepcopy(other)
    text = ya.simplegrad(fn, made, 0.7, wrt="x")
    with pytest.raises(
        ValueError, match=rf"^{fn.__name__}_grad: {made_for(what, 1)}{REST}"
    ):
        text(other, 0.7)
    expected = fn(copy.deepcopy(made), 0.7)
    assert text(made, 0.7)[0] == expected


@pytest.mark.parametrize(
    ("fn", "made", "other"), [(unseen, SHORT, LONG), (by_key, TWO, {"c": 1, "a": 3.0})]
)
def test_what_has_decided_nothing_is_not_checked(fn, made, other):
    text = ya.simplegrad(fn, made, 0.7, wrt="x")
    assert text(other, 0.7)[0] == fn(other, 0.7)


def test_the_order_of_arguments_by_name_decides_nothing():
    def fn(x, **more):
        return x * more["a"] + more["b"]

    text = ya.simplegrad(fn, 0.7, a=1.0, b=2.0, wrt="x")
    assert text(0.7, b=2.0, a=3.0)[0] == fn(0.7, b=2.0, a=3.0)


def test_what_holds_others_is_checked_before_them():
    text = ya.simplegrad(chain, N(layers=[Layer(1.0), Layer(2.0)]), 0.7, wrt="x")
    told = "chain_grad: made for o: SimpleNamespace; o.layers of 2 items; "
    told += "o.layers[0]: Layer; o.layers[1]: Layer"
    with pytest.raises(ValueError, match=f"^{re.escape(told)}{REST}"):
        text(N(layers=[Layer(1.0)]), 0.7)


def test_the_keys_of_an_argument_are_checked_once():
    assert "len(o)" not in ya.simplegrad(of_keys, TWO, 0.7, wrt="x").source


def act(x):
    return x * 2


def of_function(o, x):
    return o.f(x)


def other_module():
    made = ModuleType("another_one")
    exec("def act(x):\n    return x * 100\n", vars(made))
    return made


def test_a_function_of_the_same_name_is_another():
    text = ya.simplegrad(of_function, N(f=act), 0.7, wrt="x")
    assert "if o.f is not act:" in text.source
    with pytest.raises(ValueError, match=rf"made for o\.f = act{REST}"):
        text(N(f=other_module().act), 0.7)
    assert text(N(f=act), 0.7)[0] == act(0.7)


DERIVED = type("Layer", (Layer,), {"__call__": lambda self, x: x, "k": 1.0})


def test_a_class_derived_from_one_of_its_name_is_another():
    text = ya.simplegrad(chain, N(layers=[Layer(1.0)]), 0.7, wrt="x")
    assert "or type(o.layers[0]) is not Layer\n" in text.source
    with pytest.raises(ValueError, match=rf"; o\.layers\[0\]: Layer{REST}"):
        text(N(layers=[DERIVED(1.0)]), 0.7)


@pytest.mark.parametrize(("fn", "made", "other", "what"), CASES)
@pytest.mark.parametrize("compiled", [False, True])
def test_the_tape_too(fn, made, other, what, compiled):
    made, other = copy.deepcopy(made), copy.deepcopy(other)
    expected = fn(copy.deepcopy(made), 0.7)
    value, tape = ya.trace(fn, copy.deepcopy(made), 0.7)
    assert value == expected
    if compiled:
        compile_tape(tape)
    with pytest.raises(
        ValueError, match=rf"^{fn.__name__}: {made_for(what, int(compiled))}{REST}"
    ):
        ya.play(tape, other, 0.7)
    assert ya.play(tape, made, 0.7) == expected


@pytest.mark.parametrize("compiled", [False, True])
def test_the_tape_knows_functions_without_a_name(compiled):
    def twice(k):
        return lambda x: k * x

    mine, other, bound = twice(2.0), twice(3.0), Layer(2.0).applied
    for held, another in ((mine, other), (bound, Layer(3.0).applied)):
        _, tape = ya.trace(of_function, N(f=held), 0.7)
        if compiled:
            compile_tape(tape)
        assert ya.play(tape, N(f=held), 0.5) == 1.0
        with pytest.raises(ValueError, match=r"made for o\.f = "):
            ya.play(tape, N(f=another), 0.7)


def test_the_tape_of_an_array_is_played_with_none_of_another_rank():
    def fn(o, x):
        return float(np.sum(o.w * x)) if isinstance(o.w, np.ndarray) else x

    _, tape = ya.trace(fn, N(w=np.ones(2)), 0.7)
    assert ya.play(tape, N(w=np.ones(3)), 0.5) == 1.5
    with pytest.raises(ValueError, match=r"made for o\.w of 1 axis$"):
        ya.play(tape, N(w=2.0), 0.7)
