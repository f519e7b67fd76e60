"""What `--like` says of arguments."""

import numpy as np
import pytest

from yota_ast.api import gradient_source
from yota_ast.errors import YotaError
from yota_ast.facts import Fact, fact_of, real_fact
from yota_ast.like import parse_like


class Linear:
    pass


def find(name):
    return {"Linear": Linear, "pkg.Linear": Linear, "pkg.f": len}[name]


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
        ("W=float, W=int", "W is there twice"),
        ("W=float[3,4", "expected ',', found the end"),
        ("W=float[3 4]", "expected ',', found '4'"),
        ("W=float[-1]", "expected a length or a name for it, found '-'"),
        ("W=float[...,3]", "expected ']', found ','"),
        ("W=str[3]", "str is no dtype of an array"),
        ("W=float7[3]", "float7 is no dtype of an array"),
        ("W=Linear[3]", "Linear is no dtype of an array"),
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
    first, *rest = str(caught.value).splitlines()
    assert first == f"YotaError: cannot read --like {text!r}: {reason}"
    if text:
        assert rest[0] == f"    {text}"
        assert set(rest[1]) == {" ", "^"}
        pointed = text[rest[1].index("^") - 4 : rest[1].rindex("^") - 3]
        assert pointed in reason  # the token, or nothing at the end


def test_without_classes():
    with pytest.raises(YotaError) as caught:
        parse_like("m=Linear")
    assert str(caught.value).splitlines()[:3] == [
        "YotaError: cannot read --like 'm=Linear': Linear is no kind of value",
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
