import ast
import copy
import functools
import inspect
import json
import subprocess
import typing
import warnings

import gast
import numpy as np
import pytest

from tests.random_statements import Statements
from yota_ast import syntax
from yota_ast.errors import InternalError, UnsupportedSyntax
from yota_ast.syntax import Blank, Comment, Grouped

EXPRESSIONS = """
x**2
x ** f(y)
f(x) ** 2
x[0] ** 2
-(x**2)
(-x) ** 2
x**-1
x ** (y + 1)
(x**y) ** z
x**y**z
a.b**c.d
(a + b) ** 2
2.5**n
a - (b - c)
a - b - c
a / (b / c)
a * (b @ c)
-x * y
-(x * y)
not x == y
(not x) == y
(a < b) < c
a < b <= c
a or (b and c)
(a or b) and c
x[1:-1]
x[i + 1 :]
x[: n + 1]
x[a.b : c]
x[f(x) :: 2]
x[1 : n + 1 : 2]
x[:, None, ..., ::-1]
x[a:b, c + 1 :]
x[(a, b), c]
x[:,]
x[::-1,]
x[i + 1 :,]
x[(a,)]
x[()]
x[x > 0]
A[[k, p]]
(a, b)[0]
(a,)
()
[]
{}
{("first", "W"): dW, ("b",): float(db), **rest}
{a, *b}
f(*args, x=1, **kwargs)
f(i for i in x)
[i for i, j in x if i if not j]
{k: v for k, v in d.items()}
(i for i in x)
a if b else c if d else e
(a if b else c) if d else e
(lambda x, y=1: x + y)(2)
lambda: 0
(1).real
(1.5).hex()
1e-5
1e9
2.5e7
150000.0
1j
f"{x!r:>{n}} {d['k']} {{}}"
f'{x} "quoted"'
'say "hi"'
"it's"
b"bytes"
"tab\\t"
None
...
a is not None
a not in (b, c)
~mask & (x > 0)
x << 2 | y
(n := f(x)) + 1
""".strip().split("\n")


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_in_its_layout_stays_as_it_is(text):
    assert syntax.print_expr(syntax.parse_expr(text)) == text


def test_parentheses_without_need():
    tree = syntax.quote_expr("a * e", a=Grouped(syntax.parse_expr("2 * seed / n")))
    assert syntax.print_expr(tree) == "(2 * seed / n) * e"
    tree = syntax.quote("y = a", a=Grouped(syntax.parse_expr("b + c")))
    assert syntax.print_stmts(tree) == "y = b + c\n"
    tree = syntax.quote_expr("a ** e", a=Grouped(syntax.parse_expr("b + c")))
    assert syntax.print_expr(tree) == "(b + c) ** e"


STATEMENTS = """
y = f(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbb, cccccccccccccccccc)
y = f(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbb, cccccccccccccccccc, d)
y = f(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbb, cccccccccccccccccc, dddddddddddddddddd)
y = aaaaaaaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb * cccccccccccccccccc - dddddd
y = aaaaaaaaaaaaaaaaaaaaaaaaaaaaa + f(bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb * cccccccccccccccccc, dddddd)
y = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.reshape(bbbbbbbbbbbbbbbbbbb).sum(axis=ccccccccccc).transpose(1, 0)
return val, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, cccccccc
dm = {("first", "W"): dm_first_W, ("first", "b"): dm_first_b, ("last", "W"): dm_last_W, ("scale",): s}
if aaaaaaaaaaaaaaaaaaaaaaaaaa.ndim != 2 or bbbbbbbbbbbbbbbbbbbbbbbbbbbb.shape != ccccccccccc.shape[1:]: pass
for aaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbb, cccccccccccccccccc, ddddddddddddddd in saved[::-1]: pass
raise ValueError("a message that is so long that it takes a line of its own, and then still some")
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbb = np.split(ccccccccccccc, 2, axis=1)
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.ccccccccccccccccccccc.ddd
dA[i, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa :] -= bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb * c[dddddddddd + 1 :]
""".strip().split("\n")  # noqa: E501 - what does not fit is the matter

LAID_OUT = """
y = f(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbb, cccccccccccccccccc)
y = f(
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbb, cccccccccccccccccc, d
)
y = f(
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
    bbbbbbbbbbbbbbbbbbbbbbbbbb,
    cccccccccccccccccc,
    dddddddddddddddddd,
)
y = (
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb * cccccccccccccccccc
    - dddddd
)
y = aaaaaaaaaaaaaaaaaaaaaaaaaaaaa + f(
    bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb * cccccccccccccccccc, dddddd
)
y = (
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.reshape(bbbbbbbbbbbbbbbbbbb)
    .sum(axis=ccccccccccc)
    .transpose(1, 0)
)
return (
    val,
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
    bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,
    cccccccc,
)
dm = {
    ("first", "W"): dm_first_W,
    ("first", "b"): dm_first_b,
    ("last", "W"): dm_last_W,
    ("scale",): s,
}
if (
    aaaaaaaaaaaaaaaaaaaaaaaaaa.ndim != 2
    or bbbbbbbbbbbbbbbbbbbbbbbbbbbb.shape != ccccccccccc.shape[1:]
):
    pass
""".lstrip()  # fmt: skip


def printed(text):
    return syntax.print_module(syntax.parse(text))


def formatted(text):
    """Return what ruff makes of `text`; skip the test where ruff is not installed."""
    ruff = pytest.importorskip("ruff").find_ruff_bin()
    command = [ruff, "format", "--isolated", "--line-length", "88", "-"]
    run = subprocess.run(
        command, input=text, capture_output=True, text=True, check=True
    )
    return run.stdout


def in_functions(statements):
    """Return the text of functions that hold a statement each."""
    return "\n".join("\n    ".join(["def f():", *s.split("\n")]) for s in statements)


def test_a_formatter_changes_nothing():
    text = printed(in_functions([*STATEMENTS, *(f"y = {e}" for e in EXPRESSIONS)]))
    assert formatted(text) == text


def test_long_lines():
    assert "".join(printed(s) for s in STATEMENTS[:9]) == LAID_OUT


@pytest.mark.part(2)
@pytest.mark.parametrize("seed", range(4))
def test_random_statements(seed):
    make = Statements(seed)
    statements = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # `2[0]` is one of them
        while len(statements) < 200:
            statement = make.statement()
            if parses(statement):
                statements.append(statement)
        given = in_functions(statements)
        text = printed(given)
        assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(given))
    assert formatted(text) == text


def parses(statement):
    try:
        ast.parse(statement)
    except SyntaxError:
        return False
    return True


MODULE = '''"""Module."""

import numpy as np
from math import (
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
    bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,
    cccccccccccccccccccccc,
)

SCALE: float = 2


def f(x, /, y=1, *args, k: int = 2, z, **kw) -> float:
    """Doc.

    More "text" \\\\ here
    """

    @decorated
    def g():
        return 1

    try:
        x = lambda a, b=1: a + b
    except (ValueError, TypeError) as e:
        raise KeyError("a") from e
    except OSError:
        raise
    else:
        x += 1
    finally:
        del x, y[0]
    with open(x) as fh, open(y) as (a, b):
        pass
    while (n := f(x)) > 2:
        break
    else:
        continue
    if n := x:
        global SCALE
    elif not x:

        def h():
            pass

    else:
        if x:
            y
        else:
            z
        y
    for (i,) in x:
        nonlocal a
    x, *y = z
    (x): int
    x = y = z = 0
    match x:
        case [1, *rest] if rest:
            pass
        case {"a": 1, **kw}:
            pass
        case Point(x=0) | None as q:
            return
        case _:
            pass
    assert x, "message"
    return x if y else z, *a


class A(B, metaclass=C):
    """Doc."""

    W: float

    @property
    async def f(self):
        async with a:
            await x


def a_name_so_long_that_its_parameters_take_lines(
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbb, cccccccccccc=1.0, dd=2
):
    return


def a_name_so_long_that_its_parameters_take_lines_each(
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
    bbbbbbbbbbbbbbbbbbbbbb,
    cccccccccccccccccccccccc=1.0,
    dd=2,
):
    return


x = 1
'''


def test_statements():
    assert printed(MODULE) == MODULE
    assert formatted(MODULE) == MODULE


def body_of(text):
    return syntax.parse(text).body


def test_comments_and_blank_lines():
    long = "h = np.tanh(x @ w + " + "b" * 60 + ")"
    function = body_of("def f(x): pass")[0]
    loop = body_of("for i in x: pass")[0]
    loop.body = [Comment("nothing")]
    function.body = [
        Blank(),
        *body_of("'''Doc.'''"),
        Comment("forward"),
        *body_of("h = np.tanh(x @ w)"),
        Comment("dense inlined", inline=True),
        *body_of(long),
        Comment("dense inlined", inline=True),
        loop,
        Blank(),
        Blank(),
        Comment("reverse " + "x" * 90),
        Comment(),
        *body_of("return 1"),
        Blank(),
    ]
    text = syntax.print_stmts([Comment("top"), function, Comment("y"), *body_of("y=1")])
    expected = f'''# top
def f(x):
    """Doc."""
    # forward
    h = np.tanh(x @ w)  # dense inlined
    # dense inlined
    {long}
    for i in x:
        # nothing
        pass

    # reverse {"x" * 70} ...
    #
    return 1


# y
y = 1
'''
    assert text == expected
    assert formatted(text) == text


def test_comments_copy():
    comment = copy.deepcopy(Comment("a", inline=True))
    assert (comment.text, comment.inline) == ("a", True)


def test_indented_statements():
    text = syntax.print_stmts(body_of("if x:\n  y = 'a'"), indent=1)
    assert text == '    if x:\n        y = "a"\n'
    long = syntax.print_stmts(body_of(f"y = f({'a' * 40}, {'b' * 40})"), indent=2)
    assert max(map(len, long.split("\n"))) <= 88
    assert long.startswith("        y = f(\n            ")
    assert syntax.print_stmts([]) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-2, "-2"),
        (2.0, "2.0"),
        (-0.0, "-0.0"),
        (float("nan"), "np.nan"),
        (float("-inf"), "-np.inf"),
        (1e300 * 10, "1e301"),
        (True, "True"),
        (None, "None"),
        ("a'b", '"a\'b"'),
        (np.float32(0.5), "0.5"),
        (np.float64(-1.5), "-1.5"),
        (np.int64(3), "3"),
        (np.bool_(1), "True"),
        (np.array(2.0), "2.0"),
        (2j, "2j"),
        (-2j, "complex(-0.0, -2.0)"),
        (1 + 2j, "complex(1.0, 2.0)"),
        ((1, -2), "(1, -2)"),
        ((), "()"),
    ],
)
def test_literals(value, text):
    node = syntax.literal(value)
    assert syntax.print_expr(node) == text
    bare = syntax.nodes.Constant(value, None)
    assert syntax.print_expr(bare) == text
    again = eval(text, {"np": np})
    np.testing.assert_equal(again, value)


def test_signs_of_constants():
    for base, text in ((-2, "(-2) ** x"), (2, "2**x"), (float("inf"), "np.inf**x")):
        node = syntax.parse_expr("a ** x")
        node.left = syntax.nodes.Constant(base, None)
        assert syntax.print_expr(node) == text
        node = syntax.quote_expr("a ** x", a=base)
        assert syntax.print_expr(node) == text


def test_quote():
    hole = syntax.parse_expr("dy * np.cos(x)")
    tree = syntax.quote("d += e\nfor i in e: d[i] = i", d="dx", e=hole)
    assert syntax.print_stmts(tree) == (
        "dx += dy * np.cos(x)\nfor i in dy * np.cos(x):\n    dx[i] = i\n"
    )
    assert tree[0].value is not hole
    assert tree[0].value is not tree[1].iter
    tree = syntax.quote("def f(a, b=a): return a", a="x")
    assert syntax.print_stmts(tree) == "def f(x, b=x):\n    return x\n"
    tree = syntax.quote("t = v", t=syntax.parse_expr("(a, b[0])"), v=-1.5)
    assert syntax.print_stmts(tree) == "a, b[0] = -1.5\n"
    assert isinstance(tree[0].targets[0].elts[0].ctx, syntax.nodes.Store)


def test_a_hole_that_is_not_there():
    with pytest.raises(InternalError, match="'x = 1' has no hole y"):
        syntax.quote("x = 1", y="z")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x + f(x)", "y - 1 + f(y - 1)"),
        ("lambda x: x", "lambda x: x"),
        ("lambda a=x: x + a", "lambda a=y - 1: y - 1 + a"),
        ("[x for x in x]", "[x for x in y - 1]"),
        ("[a for a in x for b in x]", "[a for a in y - 1 for b in y - 1]"),
        ("x.x", "(y - 1).x"),
        ("f(x=x)", "f(x=y - 1)"),
    ],
)
def test_substitute(text, expected):
    tree = syntax.parse_expr(text)
    result = syntax.substitute(tree, {"x": syntax.parse_expr("y - 1")})
    expected = syntax.parse_expr(expected)
    assert syntax.print_expr(result) == syntax.print_expr(expected)
    assert syntax.print_expr(tree) == text


def test_capture_is_refused():
    for text in ("lambda y: x + y", "[x for y in z]"):
        tree = syntax.parse_expr(text)
        with pytest.raises(InternalError, match="the value of x reads y"):
            syntax.substitute(tree, {"x": syntax.parse_expr("y - 1")})


@pytest.mark.parametrize(
    "text",
    [
        "f\"{'a'} {x}\"",
        "f\"{d['a']:{w}.{p}}\"",
        'f"{(lambda: 1)()} {({1: 2})} {x!r} {x=}"',
        "f'{x}\\n\\t\\'\"{{'",
        "f\"{f('a', g(1))}\" + 'b'",
        "f'''{f(\"it's\")}'''",
    ],
)
def test_formatted_strings(text):
    result = syntax.print_expr(syntax.parse_expr(text))
    assert ast.dump(ast.parse(result)) == ast.dump(ast.parse(text))
    text = f"y = {result}\n"
    assert formatted(text) == text


def test_formatted_string_that_old_python_cannot_read():
    tree = syntax.parse_expr("f'{x}'")
    tree.values[0].value = syntax.parse_expr("'\\n'")
    with pytest.raises(UnsupportedSyntax, match="quotes or backslashes"):
        syntax.print_expr(tree)


def test_trees_are_left_as_they_were():
    tree = syntax.parse("x = a ** 2")
    tree.body[0].value.right.value = -2
    before = ast.dump(ast.parse("x = a ** 2"))
    assert syntax.print_module(tree) == "x = a**-2\n"
    assert tree.body[0].value.right.value == -2
    assert before == ast.dump(ast.parse("x = a ** 2"))


@pytest.mark.parametrize("module", [ast, functools, json.decoder, inspect, typing])
def test_trees_are_those_that_gast_makes(module):
    tree = ast.parse(inspect.getsource(module))
    ours, theirs = syntax.from_ast(tree), gast.ast_to_gast(tree)
    pairs = list(zip(ast.walk(ours), ast.walk(theirs), strict=True))
    assert all(
        type(a) is type(b) and vars(a).keys() == vars(b).keys() for a, b in pairs
    )
    assert ast.dump(ours, include_attributes=True) == ast.dump(
        theirs, include_attributes=True
    )
