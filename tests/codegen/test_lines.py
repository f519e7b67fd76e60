"""Lines that are written without a tree are those that the layout writes."""

import ast
import random

import pytest

from yota_ast.codegen.printers import statement_lines
from yota_ast.codegen.printers.expression_source import KEPT

SUM, PRODUCT, UNARY, POWER, ATOM = range(5)
LEAVES = ("x", "delta_2", "t1041", "m.rate", "v[i + 1]", "w[0, -1]", "np.pi")
NUMBERS = ("2", "0.5", "1e+30", "1.0271e-07", "-3.5", "540.0", "12345678901234.5")


def expression(rng, deep):
    """A text as expressions are handed to the layout, and how tightly it binds."""
    pick = rng.random()
    if deep == 0 or pick < 0.25:
        text = rng.choice(LEAVES if rng.random() < 0.6 else NUMBERS)
        return text, UNARY if text[0] == "-" else ATOM
    if pick < 0.55:
        chain = [bare(rng, deep, SUM if k == 0 else PRODUCT) for k in range(size(rng))]
        return joined(rng, chain, "+-"), SUM
    if pick < 0.85:
        chain = [
            bare(rng, deep, PRODUCT if k == 0 else UNARY) for k in range(size(rng))
        ]
        return joined(rng, chain, "**/"), PRODUCT
    if pick < 0.9:
        return f"-{bare(rng, deep, UNARY)}", UNARY
    if pick < 0.95:
        return f"{bare(rng, deep, ATOM)} ** {bare(rng, deep, UNARY)}", POWER
    return (
        f"np.exp({', '.join(bare(rng, deep, SUM) for _ in range(size(rng) - 1))})",
        ATOM,
    )


def size(rng):
    return rng.choice((2, 2, 2, 3, 4, 7))


def joined(rng, chain, symbols):
    text = chain[0]
    for each in chain[1:]:
        text += f" {rng.choice(symbols)} {each}"
    return text


def bare(rng, deep, least):
    text, level = expression(rng, deep - 1)
    return text if level >= least else f"({text})"


@pytest.mark.parametrize("seed", range(40))
def test_sums_and_products_of_any_length_break_as_the_layout_breaks_them(seed):
    rng = random.Random(seed)
    for _ in range(60):
        value, _ = expression(rng, rng.choice((2, 3, 4)))
        text = f"{rng.choice(('y', 'dtaut_inv36'))} {rng.choice(('=', '+='))} {value}"
        depth = rng.choice((0, 1, 3, 9))
        final = statement_lines.in_final_form(text)
        short = final is not None and len(text) + 4 * depth <= 88
        expected = (
            ["    " * depth + text] if short else statement_lines.laid_out(text, depth)
        )
        assert statement_lines.statement(text, depth) == expected


@pytest.mark.parametrize(
    "text",
    [
        "y = x ** 2 + a ** b ** 2 + c * tau ** -0.25 + g * rho ** 0.875 + f(x ** 2)",
        "y = -x ** 2 - -x ** 2 + 2 * -tau ** 3 - 1e+22 * x ** 1e+16 + (-2) ** x",
        "y = x.y() ** 2 + x[0].a ** 2 + x ** f(2) + x ** y[1] + 2 ** x + 2 ** -x ** 2",
        "y = not_a + not_b + x",
        "a, b = c, d",
        "saved = []",
        "saved.append((a, b_2))",
        "saved.append(a)",
        "return val, dx",
        "return val, float(da), dx, float(db)",
        "break",
        "x[i] += t1",
        "dA[i, k:] -= f * dA[k, k:]",
        "u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])",
        "u[::2] = v[i + 1, ::-1] @ w[n - 1]",
        "x[i + 1 :] = A[[k, p]] * y[k + 1:]",
        f"dx = {KEPT}(2 * seed / n) * x[0]",
        f"dx = np.exp({KEPT}(2 * seed) * x) / {KEPT}(a - b)",
        f"dx = -({KEPT}(seed / max(n, 1)) * y)",
        f"dx = {KEPT}(2 * seed)",
    ],
)
def test_statements_of_names_and_powers_are_written_as_the_layout_writes_them(text):
    for depth in range(20):
        assert statement_lines.statement(text, depth) == statement_lines.laid_out(
            text, depth
        )


@pytest.mark.parametrize(
    "number", ["0x10", "1_000.0", "1E5", "2j", ".5", "1e999", "5.", "1e+30", "1e-5"]
)
def test_numbers_that_a_user_spelled_are_written_as_the_layout_writes_them(number):
    text = f"y = {number} * {'x' * 70} + {number} + z"
    assert statement_lines.statement(text, 2) == statement_lines.laid_out(text, 2)


@pytest.mark.parametrize(
    "text",
    [
        "if t10",
        "if not t10",
        "while it < 100",
        "if 1e+30 <= x.y < 2.5",
        "elif region == -1",
        "if x is not None",
        "if x is y",
        "for a, b_2 in saved[::-1]",
        "for x in items",
        "if not x == 0.50",
        "for i in range(n)",
        "for i, t in range(len(x) - 1, -1, -1)",
        "for i in range(0, 2 * n + 1, 1_0)",
        "def f_grad(x, W1, n=3, seed=1.0)",
        "def f_grad(x, eps=1E-3, seed=1.00)",
    ],
)
def test_headers_of_names_and_numbers_are_written_as_the_layout_writes_them(text):
    for depth in range(22):
        word = f"if _:\n    pass\n{text}" if text.startswith("elif") else text
        laid = statement_lines.laid_out(f"{word}:\n    pass", depth)[:-1]
        assert statement_lines.header(text, depth) == (
            laid[2:] if word != text else laid
        )


def test_parentheses_that_are_kept_make_no_tuple_over_several_lines():
    long = " * ".join(f"a_rather_long_name_of_a_number_{k}" for k in range(4))
    for text in (
        f"y = {KEPT}({long}) * x",
        f"y = -{KEPT}({KEPT}({long}) * x) * z",
        f"y = f({KEPT}({long}) * x, 1)",
        f"y = {KEPT}({long}) / {KEPT}(c * d)",
    ):
        written = "\n".join(statement_lines.statement(text, 2))
        assert written.count("\n") > 2
        meant = ast.parse(text.replace(KEPT, ""))
        assert ast.dump(ast.parse(written.strip())) == ast.dump(meant)
