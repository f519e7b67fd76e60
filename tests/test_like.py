"""What `--like` says of arguments."""

import dataclasses
import types
from typing import NamedTuple

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api.traced_tapes import gradient_source
from yota_ast.errors import YotaError
from yota_ast.ir.abstract_values import Fact, fact_of, real_fact
from yota_ast.tools.cli.like import parse_like


class Linear:
    def forward(self, x):
        return self.W @ x + self.b


class Deep:
    def loss(self, x):
        for layer in self.layers:
            x = np.tanh(layer.W @ x + layer.b)
        return np.sum(x)


@dataclasses.dataclass
class Scale:
    w: np.ndarray[tuple[int, int], np.dtype[np.float64]]
    rate: float
    shift: "np.ndarray[tuple[int], np.dtype[np.float64]]"

    def loss(self, x):
        return self.rate * np.sum(self.w @ x + self.shift)


class Pair(NamedTuple):
    w: "np.ndarray[tuple[int], np.dtype[np.float64]]"
    b: float


def of_pair(p, x):
    return np.sum(p.w * x) * p.b


CLASSES = {c.__name__: c for c in (Linear, Deep, Scale, Pair)}


def find(name):
    return {"pkg.Linear": Linear, "pkg.f": len, **CLASSES}[name]


def parse_one(text):
    return parse_like(f"x={text}", find)["x"]


def dims(fact):
    return [(str(dim), dim.size) for dim in fact.shape]


@pytest.mark.parametrize("value", [1.5, 2, True, 2j, "text", None, np.float32(1)])
def test_scalars(value):
    name = "None" if value is None else type(value).__name__
    assert parse_one(name) == fact_of(value, "x")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("float[3,4]", np.zeros((3, 4))),
        ("float64[3, 4]", np.zeros((3, 4))),
        ("float32[3]", np.zeros(3, np.float32)),
        ("int[5]", np.zeros(5, int)),
        ("uint8[5]", np.zeros(5, np.uint8)),
        ("bool[2,1]", np.zeros((2, 1), bool)),
        ("complex[1,3]", np.zeros((1, 3), complex)),
        ("complex64[3]", np.zeros(3, np.complex64)),
        ("float[]", np.zeros(())),
        ("float[0]", np.zeros(0)),
        ("tuple[float, float[3]]", (1.5, np.zeros(3))),
        ("list[float[3], float32[1]]", [np.zeros(3), np.zeros(1, np.float32)]),
        ("tuple[]", ()),
        ("{W: float[3,4], b: float}", {"W": np.zeros((3, 4)), "b": 1.5}),
        ("{0: int, rest: tuple[{}]}", {0: 1, "rest": ({},)}),
    ],
)
def test_as_by_example(text, value):
    assert parse_one(text) == fact_of(value, "x")


def test_lengths():
    assert dims(parse_one("float[3,1,n]")) == [
        ("x.shape[0]", 3),
        ("1", 1),
        ("x.shape[2]", None),
    ]
    assert dims(parse_one("{W: list[float[n]]}").items[0].items[0]) == [
        ("x['W'][0].shape[0]", None)
    ]


def test_one_name_is_one_length():
    facts = parse_like("n=int, x=float[n,d], y=float[n], z=float[m,1]")
    (n, d), (also_n,), (m, _) = (facts[name].shape for name in "xyz")
    assert n.size == also_n.size is not None
    assert d.size is m.size is None


def product(x, y):
    return np.sum(x * y)


def test_the_text_rests_on_one_length_and_checks_it():
    text = gradient_source(product, facts=parse_like("x=float[n], y=float[n]"))
    assert 'getattr(y, "shape", 0) != x.shape' in text
    assert "unbroadcast" not in text
    assert "unbroadcast" in gradient_source(
        product, facts=parse_like("x=float[n], y=float[m]")
    )


def test_any_rank():
    assert parse_one("float32[...]") == Fact("array", np.dtype("f4"), "x.shape")
    assert parse_one("float32[...]").shape == real_fact("x").shape


def test_classes():
    assert parse_one("Linear") == parse_one("pkg.Linear") == Fact("object", cls=Linear)


def test_several_parameters_in_order():
    facts = parse_like(" W = float[3,4],b=float[3] , n=int,", find)
    assert list(facts) == ["W", "b", "n"]
    assert [str(fact) for fact in facts.values()] == [
        "ndarray[float64, 2]",
        "ndarray[float64, 1]",
        "int",
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("W", "expected '=', found the end"),
        ("W=", "expected a kind, found the end"),
        ("=float", "expected a parameter, found '='"),
        ("W=float b=float", "expected ',', found 'b'"),
        ("W=float,,b=float", "expected a parameter, found ','"),
        ("W=float, W=int", "W is named twice"),
        ("W=float[3,4", "expected ',', found the end"),
        ("W=float[3 4]", "expected ',', found '4'"),
        ("W=float[-1]", "expected a length or a name for it, found '-'"),
        ("W=float[...,3]", "expected ']', found ','"),
        ("W=str[3]", "str is not a dtype of an array"),
        ("W=float7[3]", "float7 is not a dtype of an array"),
        ("W=Linear[3]", "Linear is not a dtype of an array"),
        ("W=pkg.f", "pkg.f is not a class"),
        ("W={W float}", "expected ':', found 'float'"),
        ("W={[: float}", "expected a key, found '['"),
        ("W={W: float", "expected ',', found the end"),
        ("W=tuple[float", "expected ',', found the end"),
        ("W=3", "expected a kind, found '3'"),
    ],
)
def test_misspelt(text, reason):
    with pytest.raises(YotaError) as caught:
        parse_like(text, find)
    first, *rest = caught.value.diagnostic.splitlines()
    assert first == f"YotaError: cannot read --like {text!r}: {reason}"
    if text:
        assert rest[0] == f"    {text}"
        assert set(rest[1]) == {" ", "^"}
        pointed = text[rest[1].index("^") - 4 : rest[1].rindex("^") - 3]
        assert pointed in reason  # the token, or nothing at the end


def test_without_classes():
    with pytest.raises(YotaError) as caught:
        parse_like("m=Linear")
    assert caught.value.diagnostic.splitlines()[:3] == [
        "YotaError: cannot read --like 'm=Linear': Linear is not a kind of value",
        "    m=Linear",
        "      ^^^^^^",
    ]


def test_a_name_is_no_length_of_an_example():
    x, y = (parse_like("x=float[n,3], y=float[n]")[name] for name in "xy")
    assert [dim.example for dim in (*x.shape, *y.shape)] == [None, 3, None]
    assert x.shape[0].shifted(-1).example is None


def test_names_of_other_alphabets():
    assert [*parse_like("θ=float[3], größe=int")] == ["θ", "größe"]
    with pytest.raises(YotaError, match="expected a parameter"):
        parse_like("²=float")


# ---------------------------------------------------------------- objects

LAYERS = (
    "self=Deep(layers=list[Linear(W=float[n,m], b=float[n]), "
    "Linear(W=float[1,n], b=float[1])]), x=float[m]"
)


def linear(W, b):
    made = Linear()
    made.W, made.b = W, b
    return made


def deep():
    rng = np.random.default_rng(0)
    made = Deep()
    layers = ((3, 4), (1, 3))
    made.layers = [linear(rng.random(s), rng.random(s[0])) for s in layers]
    return made


A, V = np.arange(6.0).reshape(2, 3), np.array([0.5, -1.0, 2.0])
OBJECTS = (
    (Scale.loss, "self=Scale, x=float[n]", (Scale(A, 0.5, V[:2]), V)),
    (Scale.loss, "self=Scale(w=float[k,n], shift=float[k]), x=float[n]",
     (Scale(A, 0.5, V[:2]), V)),
    (of_pair, "p=Pair, x=float[n]", (Pair(V, 2.0), V)),
    (of_pair, "p=Pair(w=float[n]), x=float[n]", (Pair(V, 2.0), V)),
    (of_pair, "p=Pair(b=float, w=float[n]), x=float[n]", (Pair(V, 2.0), V)),
    (Deep.loss, LAYERS, (deep(), np.ones(4))),
    (Deep.loss, LAYERS.replace("list[", "["), (deep(), np.ones(4))),
)  # fmt: skip


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("p=[float[3], int]", "p=list[float[3], int]"),
        ("p=(float, [float])", "p=tuple[float, list[float]]"),
        ("m=Linear(W=[float[2,8]], b=())", "m=Linear(W=list[float[2,8]], b=tuple[])"),
        ("m=Linear(W={a: (float, [int])})",
         "m=Linear(W={a: tuple[float, list[int]]})"),
    ],
)  # fmt: skip
def test_brackets_are_lists_and_tuples(short, long):
    assert parse_like(short, find) == parse_like(long, find)


def test_brackets_that_do_not_match():
    with pytest.raises(YotaError, match=r"expected ',', found '\)'"):
        parse_like("p=[float[3])")


@pytest.mark.parametrize(("fn", "like", "args"), OBJECTS)
def test_fields_of_objects(fn, like, args):
    source = gradient_source(fn, facts=parse_like(like, find))
    assert "def _unmatmul" not in source  # as long as no rank is known
    assert "def _like" not in source
    module = types.ModuleType("made")
    exec(source, vars(module))
    made = next(v for k, v in vars(module).items() if k.endswith("_grad"))
    val, *grads = made(*args)
    want, g = ya.grad(fn, *args)
    assert val == want
    for k, one in enumerate(grads):
        expected = g[k] if isinstance(g[k], dict) else {(): g[k]}
        found = one if isinstance(one, dict) else {(): one}
        assert found.keys() == expected.keys()
        for path, values in expected.items():
            parts = zip(values, found[path]) if isinstance(values, tuple) else ()
            for a, b in parts or [(values, found[path])]:
                np.testing.assert_allclose(a, b)


def test_lengths_are_one_across_objects():
    fact = parse_like("m=Linear(W=float[n,d]), x=float[d]", find)
    (_, d), (also_d,) = fact["m"].items[0].shape, fact["x"].shape
    assert str(d) == "m.W.shape[1]"
    assert d.size == also_d.size is not None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("m=Scale(v=float)", "v is not a field of Scale"),
        ("m=Pair(rate=float)", "rate is not a field of Pair"),
        ("m=Linear(forward=float)", "forward is not a field of Linear"),
        ("m=Linear(W.x=float)", "W.x is not a field of Linear"),
        ("m=Linear(W=float, W=int)", "W is named twice"),
        ("m=Linear(W=float", "expected ',', found the end"),
        ("m=Linear(W)", "expected '=', found ')'"),
        ("m=float(W=int)", "expected ',', found '('"),
    ],
)
def test_fields_that_are_refused(text, reason):
    with pytest.raises(YotaError) as caught:
        parse_like(text, find)
    said = str(caught.value).splitlines()
    assert said[0] == f"cannot read --like {text!r}: {reason}"
    assert said[-1] == (
        'Write it as "W=float[3,4], b=float, n=int, m=mypkg.Linear(W=float[3])".'
    )
