"""The notation of rules: what is read, and what is refused where."""

import subprocess
import sys
from numbers import Number

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import InternalError, RuleError
from yota_ast.rules import BOOK, diffrule
from yota_ast.rules.notation.called_functions import calls_in, check_arity
from yota_ast.rules.notation.pattern import Reader
from yota_ast.rules.notation.rule import _read_as, elementwise, primitive, rule


def logistic(x):
    return 1 / (1 + np.exp(-x))


def conv(x, w, pad=0):
    return np.convolve(x, w) + pad


def conv_dx(dy, w, pad=0):
    return dy


def statements(made):
    return [f"{s.target} = {s.text}" for s in made.statements]


# ---------------------------------------------------------------- read


@pytest.mark.usefixtures("book")
class TestRead:
    def test_a_rule(self):
        @rule
        def made(x, *, dy):
            """The docstring is no statement."""
            y = logistic(x)
            dx = y * (1 - y) * dy

        assert made.fns == (logistic,)
        assert statements(made) == ["dx = y * (1 - y) * dy"]
        assert (made.adjoints, made.result, made.cotangent) == ({"x": "dx"}, "y", "dy")
        assert not made.missing
        assert not made.elementwise
        assert BOOK.rules_of(logistic) == (made,)
        assert BOOK.is_primitive(logistic)

    def test_locals_are_kept_in_order(self):
        @rule
        def made(x, w, *, dy):
            y = conv(x, w)
            flipped = w[::-1]
            dx = conv_dx(dy, flipped)
            dw = dy * np.sum(x)

        assert [s.target for s in made.statements] == ["flipped", "dx", "dw"]

    def test_the_result_may_have_another_name(self):
        @rule
        def made(x, y, *, dz):
            z = conv(x, y)
            dx = dz * y
            dy = dz * x

        assert (made.result, made.cotangent) == ("z", "dz")
        assert made.adjoints == {"x": "dx", "y": "dy"}

    def test_several_targets(self):
        @rule
        def made(x, w, *, dy):
            y = conv(x, w)
            dx, dw = conv_dx(dy, w), conv_dx(dy, x)

        assert statements(made) == ["dx = conv_dx(dy, w)", "dw = conv_dx(dy, x)"]

        @rule
        def called(x, w, *, dy):
            y = conv(x, w)
            dx, dw = conv_dx(dy, w)

        assert statements(called) == [
            "dx_dw = conv_dx(dy, w)",
            "dx = dx_dw[0]",
            "dw = dx_dw[1]",
        ]

    def test_settings_have_no_slope(self):
        @rule(zero=["w"])
        def made(x, w, mode="full", *, flag=False, dy):
            y = conv3(x, w, mode, flag=flag)
            dx = dy * w

        assert made.zero == {"w", "mode", "flag"}

    def test_operators_subscripts_attributes_and_methods(self):
        class Matrix:
            def scaled(self, k):
                return k

        @rule
        def product(u: Matrix, v: Matrix, *, dy):
            y = u @ v
            du = dy
            dv = dy

        @rule(zero=["i"])
        def item(u: Matrix, i, *, dy):
            y = u[i]
            du = dy

        @rule
        def transposed(u: Matrix, *, dy):
            y = u.T
            du = dy

        @rule
        def scaled(m: Matrix, k, *, dy):
            y = m.scaled(k)
            dm = dy
            dk = dy

        assert scaled.fns == (Matrix.scaled,)
        assert transposed.fns == (np.transpose,)
        assert scaled.types == {"m": (Matrix,)}

    def test_types(self):
        @rule
        def made(x: Number, w: "np.ndarray", k: int | None, *, dy):
            y = conv(x, w, k)
            dx = dy
            dw = dy
            dk = dy

        assert made.types == {
            "x": (Number,),
            "w": (np.ndarray,),
            "k": (int, type(None)),
        }

    def test_names_of_the_place_where_it_stands(self):
        factor = 3.0

        @rule
        def made(x, *, dy):
            y = logistic(x)
            dx = factor * dy

        assert made.resolve("factor") == 3.0
        assert made.resolve("np") is np
        assert made.resolve("len") is len
        with pytest.raises(NameError):
            made.resolve("nowhere")

    def test_the_later_of_two_equal_rules_holds(self):
        @rule
        def first(x, *, dy):
            y = logistic(x)
            dx = dy

        @elementwise
        def second(x, *, dy):
            y = logistic(x)
            dx = 2 * dy

        assert BOOK.rules_of(logistic) == (second,)

    def test_primitive(self, book):
        version = book.version
        assert primitive(conv) is conv
        assert book.is_primitive(conv)
        assert book.version > version
        assert book.rules_of(conv) == ()


def conv3(x, w, mode="full", *, flag=False):
    return x


# ---------------------------------------------------------------- refused


def unknown_name(x, *, dy):
    y = logistic(x)
    dx = dy * slope(x)


def unknown_attribute(x, *, dy):
    y = logistic(x)
    dx = dy * np.sinn(x)


def misspelt(x, *, dy):
    y = logistic(x)
    dxx = dy * y


def missing(x, w, *, dy):
    y = conv(x, w)
    dx = dy * w


def numeric_default(x, w=2.0, *, dy):
    y = conv(x, w)
    dx = dy * w


def without_cotangent(x, *, dy):
    y = logistic(x)
    dx = y * (1 - y)


def no_dy(x):
    y = logistic(x)
    dx = y * (1 - y)


def no_statement(x, *, dy):
    y = logistic(x)


def no_pattern(x, *, dy):
    dx = 2 * dy


def pattern_is_a_name(x, *, dy):
    y = x
    dx = dy


def pattern_with_a_constant(x, *, dy):
    y = conv(x, 2)
    dx = dy


def pattern_forgets(x, w, *, dy):
    y = logistic(x)
    dx = dy
    dw = dy


def other_order(x, w, *, dy):
    y = conv(w, x)
    dx = dy
    dw = dy


def wrong_arity(x, w, *, dy):
    y = logistic(x, w)
    dx = dy
    dw = dy


def wrong_call(x, w, *, dy):
    y = conv(x, w)
    dx = conv_dx(dy)
    dw = dy


def not_callable(x, *, dy):
    y = np.pi(x)
    dx = dy


def own_parameter(f, *, dy):
    y = f(f)
    df = dy


def untyped_method(x, *, dy):
    y = x.convolved()
    dx = dy


def twice(x, *, dy):
    y = logistic(x)
    dx = dy
    dx = dy


def overwritten(x, *, dy):
    y = logistic(x)
    x = 2 * dy
    dx = x


def branch(x, *, dy):
    y = logistic(x)
    if x > 0:
        dx = dy


def conditional(x, *, dy):
    y = logistic(x)
    dx = dy if x > 0 else 0.0


def chained(x, *, dy):
    y = logistic(x)
    dx = dy * (0 < x < 1)


def comprehension(x, *, dy):
    y = logistic(x)
    dx = [dy for _ in x]


def calls_a_placeholder(x, *, dy):
    y = logistic(x)
    dx = y(dy)


def calls_a_constant(x, *, dy):
    y = logistic(x)
    dx = np.pi(dy)


def calls_what_is_called(x, *, dy):
    y = logistic(x)
    dx = np.exp(x)(dy)


class Slope:
    def of(self, d):
        return d


SLOPE = Slope()


def calls_a_method_of_an_object(x, *, dy):
    y = logistic(x)
    dx = SLOPE.of(dy)


def calls_no_method(x, *, dy):
    y = logistic(x)
    dx = (dy * x).total()


def stars_no_sequence(x, *, dy):
    y = logistic(x)
    dx = np.add(*y, dy)


def no_type(x: 3, *, dy):
    y = logistic(x)
    dx = dy


REFUSED = [
    (unknown_name, 2, "unknown name `slope`"),
    (unknown_attribute, 2, "`np` has no attribute `sinn`"),
    (misspelt, 2, "`dxx` is not the adjoint of a parameter and is not used"),
    (missing, 0, "`w` has no adjoint statement"),
    (numeric_default, 0, "`w` has no adjoint statement"),
    (without_cotangent, 2, "`dx` does not use `dy`"),
    (no_dy, 0, r"add `\*, dy`"),
    (no_statement, 0, "`x` has no adjoint statement|no adjoint statement"),
    (no_pattern, 1, "is not a parameter"),
    (pattern_is_a_name, 1, "the pattern is `x`, not a call"),
    (pattern_with_a_constant, 1, "`2` in the pattern is not a parameter"),
    (pattern_forgets, 1, "the pattern does not use `w`"),
    (other_order, 1, "in different orders"),
    (wrong_arity, 1, "the pattern: `logistic` is called wrongly"),
    (wrong_call, 2, "`conv_dx` is called wrongly: missing a required argument: 'w'"),
    (not_callable, 1, "`np.pi` cannot be called"),
    (own_parameter, 1, "the pattern calls its parameter `f`"),
    (untyped_method, 1, "a method of an unknown class"),
    (twice, 3, "`dx` is assigned twice"),
    (overwritten, 2, "`x` is a placeholder"),
    (branch, 2, "a rule is a list of assignments"),
    (conditional, 2, "conditional expression"),
    (chained, 2, "chained comparison"),
    (comprehension, 2, "a rule cannot contain ListComp"),
    (calls_a_placeholder, 2, "`y` is not a function known by name"),
    (calls_a_constant, 2, "`np.pi` is not a function known by name"),
    (calls_what_is_called, 2, "`np.exp.x.` is not a function known by name"),
    (calls_a_method_of_an_object, 2, "`SLOPE.of` is not a function known by name"),
    (calls_no_method, 2, "arrays have no method `total`"),
    (stars_no_sequence, 2, r"only a `\*args` parameter can be starred"),
    (no_type, 0, "`3` is not a type"),
]


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize(
    ("fn", "line", "reason"), REFUSED, ids=lambda v: getattr(v, "__name__", "")
)
def test_refused_at_the_line_at_fault(fn, line, reason):
    before = BOOK.version
    with pytest.raises(RuleError, match=reason) as caught:
        diffrule(fn)
    assert caught.value.filename == __file__
    assert caught.value.lineno == fn.__code__.co_firstlineno + line
    assert BOOK.version == before


@pytest.mark.usefixtures("book")
def test_options_are_checked():
    def made(x, *, dy):
        y = logistic(x)
        dx = dy

    with pytest.raises(RuleError, match="zero=: the rule has no parameter `k`"):
        rule(zero=["k"])(made)
    with pytest.raises(RuleError, match="is in zero= and has an adjoint"):
        rule(zero=["x"])(made)
    with pytest.raises(RuleError, match="fact=: the rule has no parameter `z`"):
        rule(fact=lambda z: z)(made)
    with pytest.raises(RuleError, match="a rule is a function"):
        rule(3)


def scaled(x, k=2.0, *, shift=None):
    return x * k if shift is None else x * k + shift


def with_another_default(x, k=3.0, *, dy):
    y = scaled(x, k)
    dx = dy * k
    dk = dy * x


def with_another_keyword(x, k, *, shift=0.0, dy):
    y = scaled(x, k, shift=shift)
    dx = dy * k
    dk = dy * x
    dshift = dy


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize("fn", [with_another_default, with_another_keyword])
def test_a_rule_has_the_defaults_of_its_function(fn):
    with pytest.raises(RuleError, match="is another in the rule than in the") as caught:
        diffrule(fn)
    assert caught.value.lineno == fn.__code__.co_firstlineno + 1


@pytest.mark.usefixtures("book")
def test_the_defaults_of_a_function_hold_in_its_rule():
    def made(x, k=2, *, shift=None, dy):
        y = scaled(x, k, shift=shift)
        dx = dy * k
        dk = dy * x
        dshift = dy

    diffrule(made)
    assert ya.grad(lambda x: scaled(x), 3.0)[1][0] == 2.0
    assert ya.grad(lambda x: scaled(x, 4.0), 3.0)[1][0] == 4.0


@pytest.mark.usefixtures("book")
def test_a_rule_without_source_is_refused():
    namespace = {"logistic": logistic}
    exec("def made(x, *, dy):\n    y = logistic(x)\n    dx = dy", namespace)
    with pytest.raises(
        RuleError, match="the source of the rule `made` is not available"
    ):
        rule(namespace["made"])


def test_calls_in_the_rules_of_the_book_suit_what_they_call():
    """Checked here, not whenever the package is imported."""
    import ast

    for one in BOOK:
        reader = Reader(one.namespace, "<book>", (), one.location)
        for s in one.statements:
            for call in calls_in(ast.parse(s.text, mode="eval").body):
                check_arity(reader, call, statement=True)


class TestChapters:
    """The rules of the chapters, which are read when they are asked for."""

    def test_none_is_read_by_an_import(self):
        program = (
            "from yota_ast.rules import BOOK\n"
            "from yota_ast.rules.notation.rule_records import Unread\n"
            "import numpy as np\n"
            "entries = list(BOOK._rules.values())\n"
            "assert all(isinstance(u, Unread) for us in entries for u in us)\n"
            "known = BOOK.rules_of(np.var)\n"
            "assert len(known) == 2 and known == BOOK.rules_of(np.var)\n"
            "assert len(list(BOOK)) > 600\n"
        )
        subprocess.run([sys.executable, "-c", program], check=True)

    def test_a_first_statement_that_misleads_is_found_out(self):
        def cosine(x, *, dy):
            y = np.cos(x)
            dx = -dy * np.sin(x)

        assert _read_as((np.cos,), cosine, {}).fns == (np.cos,)
        with pytest.raises(InternalError, match="`cosine` is registered for"):
            _read_as((np.sin,), cosine, {})
