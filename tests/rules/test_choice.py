"""Which rule a call gets: by types, by keywords, by what was registered last."""

import operator
from numbers import Number

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import AmbiguousType, Location, RuleError, UnsupportedCall
from yota_ast.ir.abstract_values import (
    FLOAT,
    INT,
    STR,
    UNKNOWN,
    Fact,
    array_fact,
    fact_of,
    real_fact,
)
from yota_ast.ir.atoms import Const, Var
from yota_ast.rules import (
    BOOK,
    DIFF_PHS,
    PRIMITIVES,
    broadcast_rule,
    diffrule,
    diffrule_kw,
    nodiff,
    rule,
)
from yota_ast.runtime import broadcast

VECTOR = array_fact("f8", (None,))
AT = Location("user.py", 7, 4)


def f(x):
    return x


def branching(x):
    return x if x > 0 else 0.0


def g(x, w):
    return x * w


def conv(x, w, pad=0, stride=1):
    return x


def conv_dw(dy, x, pad=0, stride=1):
    return x


class Point:
    def __init__(self, x):
        self.x = x


class Pixel(Point):
    pass


def var(fact, name="a"):
    return Var(name, fact)


def chosen(fn, *facts, **kwargs):
    args = [var(fact, f"a{k}") for k, fact in enumerate(facts)]
    return BOOK.choose(fn, args, [(k, Const(v)) for k, v in kwargs.items()], AT)


def texts(bound):
    return [f"{s.target} = {s.text}" for s in bound.rule.statements]


# ---------------------------------------------------------------- types


@pytest.mark.usefixtures("book")
class TestTypes:
    def test_the_most_specific_rule_wins(self):
        diffrule("f(x: Number)", "x", "1 * dy")
        diffrule("f(x: float)", "x", "2 * dy")
        diffrule("f(x: np.ndarray)", "x", "3 * dy")
        diffrule("f(x)", "x", "4 * dy")
        assert texts(chosen(f, FLOAT)) == ["dx = 2 * dy"]
        assert texts(chosen(f, INT)) == ["dx = 1 * dy"]
        assert texts(chosen(f, VECTOR)) == ["dx = 3 * dy"]
        assert texts(chosen(f, fact_of("s"))) == ["dx = 4 * dy"]
        assert texts(chosen(f, fact_of(np.float64(1)))) == ["dx = 2 * dy"]
        assert texts(chosen(f, fact_of(np.float32(1)))) == ["dx = 1 * dy"]
        assert texts(chosen(f, fact_of(np.zeros(())))) == ["dx = 3 * dy"]

    def test_unknown_types_and_rules_that_differ(self):
        diffrule("f(x: Number)", "x", "1 * dy")
        diffrule("f(x: np.ndarray)", "x", "3 * dy")
        with pytest.raises(
            AmbiguousType, match="rules for Number and ndarray"
        ) as caught:
            chosen(f, real_fact("x"))
        assert caught.value.lineno == 7

    def test_unknown_types_and_rules_that_agree(self):
        diffrule("f(x: Number)", "x", "2 * dy")
        diffrule("f(x: np.ndarray)", "x", "2 * dy")
        assert texts(chosen(f, real_fact("x"))) == ["dx = 2 * dy"]

    def test_one_rule_that_may_fit_says_what_it_assumes(self):
        diffrule("f(x: Number)", "x", "2 * dy")
        assert chosen(f, real_fact("x")).assumed == (("x", (Number,)),)
        assert chosen(f, FLOAT).assumed == ()

    def test_no_rule_fits(self):
        diffrule("f(x: Number)", "x", "2 * dy")
        assert chosen(f, VECTOR) is None
        assert BOOK.is_primitive(f)
        assert BOOK.is_primitive(f, [var(FLOAT)])
        assert not BOOK.is_primitive(f, [var(VECTOR)])

    def test_classes_of_the_user(self):
        diffrule("f(x: Point)", "x", "1 * dy")
        diffrule("f(x: Pixel)", "x", "2 * dy")
        assert texts(chosen(f, fact_of(Point(1.0)))) == ["dx = 1 * dy"]
        assert texts(chosen(f, fact_of(Pixel(1.0)))) == ["dx = 2 * dy"]
        assert chosen(f, FLOAT) is None

    def test_a_rule_of_numpy_for_a_class_of_the_user(self):
        @rule
        def norm_of_point(x: Point, *, dy):
            y = np.linalg.norm(x)
            dx = 5 * dy

        assert texts(chosen(np.linalg.norm, fact_of(Point(1.0)))) == ["dx = 5 * dy"]
        assert "unnorm" in texts(chosen(np.linalg.norm, VECTOR))[0]

    def test_objects_do_not_get_the_rules_of_numbers(self):
        assert chosen(operator.mul, fact_of(Point(1.0)), FLOAT) is None
        assert chosen(operator.add, STR, STR) is None

    def test_lists_are_joined_and_arrays_added(self):
        pair = fact_of([1.0, 2.0])
        assert chosen(operator.add, pair, pair).rule.name == "add_sequences"
        assert chosen(operator.add, VECTOR, VECTOR).rule.name == "add"
        assert chosen(operator.add, UNKNOWN, VECTOR).rule.name == "add"
        assert chosen(operator.add, real_fact("x"), FLOAT).rule.name == "add"

    def test_a_list_where_numpy_makes_an_array(self):
        pair = fact_of([1.0, 2.0])
        assert chosen(np.exp, pair).converted == ("x",)
        assert chosen(np.concatenate, pair).converted == ()
        bound = chosen(np.dot, pair, pair)  # in the order of the arguments, always
        assert bound.converted == tuple(bound.arguments)
        assert chosen(operator.neg, pair) is None


# ---------------------------------------------------------------- arguments


class TestArguments:
    def test_defaults_are_filled_in(self):
        bound = chosen(np.sum, VECTOR)
        assert bound.arguments["axis"] == Const(None)
        assert bound.arguments["keepdims"] == Const(False)

    def test_names_and_places_of_numpy(self):
        by_name = BOOK.choose(np.sum, [], [("a", var(VECTOR)), ("axis", Const(0))], AT)
        assert by_name.arguments["x"] == var(VECTOR)
        assert by_name.arguments["axis"] == Const(0)
        nothing = Const(None)
        args = [var(VECTOR), Const(0), nothing, nothing, Const(True)]
        assert BOOK.choose(np.sum, args, [], AT).arguments["keepdims"] == Const(True)

    def test_keywords_without_support_are_refused_by_name(self):
        with pytest.raises(UnsupportedCall, match=r"np\.sum.*`out`") as caught:
            chosen(np.sum, VECTOR, out=3)
        assert "`axis`, `dtype`, `keepdims`, `initial`, `where`" in str(caught.value)
        assert caught.value.lineno == 7

    def test_keywords_of_ufuncs(self):
        with pytest.raises(UnsupportedCall, match=r"np\.exp.*`where`"):
            chosen(np.exp, VECTOR, where=True if False else 3)
        with pytest.raises(UnsupportedCall, match=r"np\.exp.*`out`"):
            chosen(np.exp, VECTOR, out=3)

    def test_settings_with_some_values_only(self):
        assert chosen(np.pad, VECTOR, pad_width=1) is not None
        with pytest.raises(UnsupportedCall, match="`mode` is 'odd'") as caught:
            chosen(np.pad, VECTOR, pad_width=1, mode="odd")
        assert "'edge'" in str(caught.value)
        assert "'constant'" in str(caught.value)

    def test_calls_that_python_refuses(self):
        with pytest.raises(UnsupportedCall, match=r"np\.sum"):
            BOOK.choose(np.sum, [], [], AT)

    def test_star_arguments(self):
        bound = BOOK.choose(np.einsum, [Const("i,i"), var(VECTOR), var(VECTOR)], [], AT)
        assert bound.arguments["operands"] == (var(VECTOR), var(VECTOR))

    def test_methods_that_are_bound(self):
        rng = np.random.default_rng(0)
        assert [r.name for r in BOOK.rules_of(rng.normal)] == ["generator_normal"]
        assert BOOK.has_effect(rng.normal)
        assert BOOK.infer(rng.normal, [], [("size", Const((2, 3)))]).rank == 2
        assert not BOOK.has_effect(np.exp)


# ---------------------------------------------------------------- rules as text


@pytest.mark.usefixtures("book")
class TestText:
    def test_parameters_accumulate(self):
        diffrule("g(x, w)", "x", "dy * w")
        first = chosen(g, FLOAT, FLOAT)
        assert first.rule.missing == {"w"}
        diffrule("g(x, w)", "w", "dy * x")
        assert len(BOOK.rules_of(g)) == 1
        assert sorted(texts(chosen(g, FLOAT, FLOAT))) == ["dw = dy * x", "dx = dy * w"]

    def test_placeholders_may_differ(self):
        diffrule("g(x, w)", "x", "dy * w")
        diffrule("g(w, x)", "x", "dy * w")  # the second parameter is x here
        bound = chosen(g, FLOAT, FLOAT)
        assert sorted(texts(bound)) == ["dw = dy * x", "dx = dy * w"]
        assert list(bound.arguments) == ["x", "w"]

    def test_the_last_word_on_a_parameter_holds(self):
        diffrule("g(x, w)", "x", "dy * w")
        diffrule("g(x, w)", "x", "2 * dy")
        assert texts(chosen(g, FLOAT, FLOAT)) == ["dx = 2 * dy"]

    def test_parameters_from_rules_for_other_types(self):
        diffrule("g(x: Number, w)", "x", "dy * w")
        diffrule("g(x, w: Number)", "w", "dy * x")
        bound = chosen(g, FLOAT, FLOAT)
        assert sorted(texts(bound)) == ["dw = dy * x", "dx = dy * w"]

    def test_nodiff(self):
        diffrule("g(x, i)", "x", "dy")
        nodiff("g(x, i)", "i")
        rule_ = chosen(g, FLOAT, INT).rule
        assert (rule_.zero, rule_.missing) == ({"i"}, frozenset())

    def test_names_that_match_anything(self):
        diffrule("g(x, _)", "x", "dy")
        assert chosen(g, FLOAT, STR).rule.missing == {"_1"}
        diffrule("g(x, _w)", "_w", "dy * x")
        assert not chosen(g, FLOAT, FLOAT).rule.missing

    def test_operators(self):
        diffrule("x @ w", "x", "dy * 7 + w")
        bound = chosen(operator.matmul, VECTOR, VECTOR)
        assert "dx = dy * 7 + w" in [
            t.replace("du", "dx").replace("v", "w") for t in texts(bound)
        ]

    def test_keywords_are_passed_on(self):
        made = diffrule_kw("conv(x, w)", "w", "2 * conv_dw(dy, x)")
        nodiff("conv(x, w)", "x")
        assert [s.text for s in made.statements] == ["2 * conv_dw(dy, x, **_kwargs)"]
        bound = chosen(conv, VECTOR, VECTOR, pad=2, stride=3)
        assert bound.keywords == (("pad", Const(2)), ("stride", Const(3)))
        assert bound.rule.zero == {"x", "_kwargs"}

    @pytest.mark.parametrize("first", [True, False])
    def test_nodiff_beside_keywords_serves_calls_without_any(self, first):
        if first:
            nodiff("conv(x, w)", "x")
        diffrule_kw("conv(x, w)", "w", "conv_dw(dy, x)")
        if not first:
            nodiff("conv(x, w)", "x")
        for given in ({}, {"pad": 2}):
            bound = chosen(conv, VECTOR, VECTOR, **given)
            assert bound.rule.zero >= {"x"}
            assert not bound.rule.missing

    def test_without_diffrule_kw_keywords_are_refused(self):
        diffrule("conv(x, w)", "w", "conv_dw(dy, x)")
        with pytest.raises(UnsupportedCall, match="`pad`"):
            chosen(conv, VECTOR, VECTOR, pad=2)

    def test_names_of_the_caller(self):
        def h(x):
            return x

        slope = 3.0
        made = diffrule("h(x)", "x", "slope * dy * np.cos(x)")
        assert made.fns == (h,)
        assert made.resolve("slope") == 3.0
        assert made.resolve("np") is np

    @pytest.mark.parametrize(
        ("pattern", "name", "expr", "reason"),
        [
            ("f(x", "x", "dy", "is not valid Python"),
            ("f(x)", "x", "dy *", "is not valid Python"),
            ("f(z)", "z", "dy", "`z` in the pattern is not a placeholder"),
            ("f(y)", "y", "dy", "`y` in the pattern is not a placeholder"),
            ("f(2)", "x", "dy", "`2` in the pattern is not a placeholder"),
            ("f(x)", "w", "dy", "the pattern has no placeholder `w`"),
            ("f(x)", "x", "dy * w", "the pattern has no placeholder `w`"),
            ("g(x, x)", "x", "dy", "the pattern has `x` twice"),
            ("nowhere(x)", "x", "dy", "unknown name `nowhere`"),
            ("f(x)", "x", "nowhere(x) * dy", "unknown name `nowhere`"),
            ("f(x)", "x", "2 * x", "`dx` does not use `dy`"),
            ("f(x, w)", "x", "dy", "`f` is called wrongly"),
            ("f(x: Nombre)", "x", "dy", "`Nombre` is not a type"),
        ],
    )
    def test_refused(self, pattern, name, expr, reason):
        with pytest.raises(RuleError, match=reason) as caught:
            diffrule(pattern, name, expr)
        assert caught.value.filename == __file__
        assert "diffrule(pattern, name, expr)" in caught.value.excerpt

    def test_placeholders_are_a_live_set(self):
        DIFF_PHS.add("z")
        try:
            diffrule("f(z)", "z", "dy")
        finally:
            DIFF_PHS.discard("z")

    def test_primitives_are_a_live_set(self):
        assert f not in PRIMITIVES
        diffrule("f(x)", "x", "dy")
        assert f in PRIMITIVES
        assert np.exp in PRIMITIVES
        PRIMITIVES.add(g)
        assert g in set(PRIMITIVES)
        PRIMITIVES.discard(g)
        assert g not in PRIMITIVES


# ---------------------------------------------------------------- element by element


@pytest.mark.usefixtures("book")
class TestBroadcast:
    def test_through_the_rule_on_numbers(self):
        diffrule("f(x: Number)", "x", "f(x) * (1 - y) * dy")
        args = [Const(f), var(VECTOR)]
        bound = BOOK.choose(broadcast, args, [], AT)
        assert texts(bound) == ["dx = y * (1 - y) * dy"]
        assert bound.rule.elementwise
        assert bound.arguments == {"_f": Const(f), "x": var(VECTOR)}
        diffrule("branching(x: Number)", "x", "branching(2 * x) * f(x) * dy")
        bound = BOOK.choose(broadcast, [Const(branching), var(VECTOR)], [], AT)
        assert texts(bound) == ["dx = broadcast(branching, 2 * x) * f(x) * dy"]
        assert BOOK.infer(broadcast, args, []).dtype == np.float64
        assert BOOK.choose(np.vectorize(f), [var(VECTOR)], [], AT).rule.elementwise

    def test_the_statements_run_on_arrays(self):
        import math

        made = broadcast_rule(math.atan2, 2)
        scope = {name: made.resolve(name) for name in ("broadcast", "math")}
        u, v = np.array([[1.0], [0.0]]), np.array([2.0, 0.0])
        for s in made.statements:
            scope[s.target] = eval(s.text, scope, {"u": u, "v": v, "dy": 1.0})
        r2 = u * u + v * v
        np.testing.assert_allclose(scope["du"], v / np.where(r2 == 0, 1, r2))

    def test_without_a_rule(self):
        assert broadcast_rule(g, 2) is None
        assert (
            BOOK.choose(broadcast, [Const(g), var(VECTOR), var(VECTOR)], [], AT) is None
        )

    def test_the_function_itself(self):
        np.testing.assert_array_equal(broadcast(g, np.arange(3), 2), [0.0, 2.0, 4.0])
        assert broadcast(g, 2, 3) == 6.0
        assert broadcast(g, np.zeros((0, 2)), 1.0).shape == (0, 2)


# ---------------------------------------------------------------- complex numbers


class TestComplex:
    def test_holomorphic_rules_are_conjugated(self):
        z = array_fact("c16", (None,))
        assert texts(chosen(np.sin, z)) == ["dx = np.conj(np.conj(dy) * np.cos(x))"]
        assert texts(chosen(np.sin, VECTOR)) == ["dx = dy * np.cos(x)"]

    def test_real_operands_get_real_parts(self):
        z = array_fact("c16", (None,))
        assert texts(chosen(operator.mul, VECTOR, z)) == [
            "du = np.real(np.conj(dy) * v)",
            "dv = np.conj(np.conj(dy) * u)",
        ]

    def test_rules_for_real_numbers_refuse_complex_ones(self):
        with pytest.raises(UnsupportedCall, match=r"np\.maximum.*for real numbers"):
            chosen(np.maximum, array_fact("c16", (None,)), FLOAT)

    def test_what_is_not_known_at_all_may_be_complex(self):
        assert texts(chosen(np.sin, UNKNOWN)) == [
            "dx = np.conj(np.conj(dy) * np.cos(x))"
        ]
        assert texts(chosen(np.sin, Fact("array"))) == ["dx = dy * np.cos(x)"]
        assert texts(chosen(np.sin, real_fact("x"))) == ["dx = dy * np.cos(x)"]


def test_a_string_that_operators_make_chooses_the_rule_of_strings():
    def summed(x, letters):
        text = letters[:1] + letters[1:] + "," + "j" * 1
        return np.sum(np.einsum(text + "->" + letters[0], np.outer(x, x), x) ** 2)

    x = np.array([0.3, 1.2, -0.5])
    assert ya.gradcheck(lambda x: summed(x, "ij"), x)
    np.testing.assert_allclose(ya.hvp(summed)(x, x, "ij"), 30 * x * (x @ x) ** 2)


def test_an_unknown_first_argument_of_einsum_is_no_array():
    unknown = Var("u", UNKNOWN)
    assert BOOK.choose(np.einsum, [unknown, Var("x", VECTOR)], [], AT) is None
