"""Long expressions are broken where a reader would: not at every term from then on."""

import ast
import math

import pytest

import yota_ast as ya

TERMS = " ".join(
    f"{'+-'[k % 2]} {k}.25 * x * y * math.sin(y)" for k in range(1, 41)
)  # fmt: skip


@pytest.fixture
def long_sum(tmp_path, monkeypatch):
    """A function whose one line reads 200 values."""
    path = tmp_path / "long_sum_of.py"
    path.write_text(f"import math\n\n\ndef f(x, y):\n    return 1.5 {TERMS}\n")
    monkeypatch.syspath_prepend(tmp_path)
    import long_sum_of

    return long_sum_of.f


def uses_many(a, b):
    """Each of many factors reads `a`, and the product of two of them `b`."""
    p2 = b * b
    p3 = p2 * b
    one = p2 * math.sin(a) + p3 * math.cos(a) + p2 * p3 * math.exp(a)
    return (
        1.25 * one * a * p2
        + 2.25 * one * p3 * p3 * a
        + 3.25 * one * p2 * p3 * a * a
        + 4.25 * p3 * p2 * p2 * one
        + 5.25 * p2 * p2 * p2 * one * a
        + 6.25 * p3 * p3 * one * p2
        + 7.25 * p3 * p3 * p3 * one
        + 8.25 * p3 * p3 * p3 * p2 * one
    )


def test_a_sum_of_the_users_is_one_sum(long_sum):
    gradient = ya.simplegrad(long_sum, 0.5, 0.25)
    forward = gradient.source.partition("# reverse")[0]
    sums = [line for line in forward.split("\n") if line.lstrip().startswith("t")]
    assert all(" = math.sin" in line for line in sums)
    assert gradient(0.5, 0.25)[0] == long_sum(0.5, 0.25)


def test_a_long_sum_of_the_reverse_sweep_goes_on_after_a_break():
    text = ya.simplegrad(uses_many, 0.5, 0.25).source
    (found,) = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef))
    values = {ast.unparse(s.targets[0]): s.value for s in _assignments(found)}
    lone = [name for name, value in values.items() if _adds_one(value, values)]
    assert len(lone) <= 1


def _assignments(tree):
    return [s for s in tree.body if isinstance(s, ast.Assign)]


def _adds_one(value, values):
    """Whether a value adds a term to a temporary that does so itself."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add | ast.Sub):
        return False
    left = values.get(ast.unparse(value.left))
    named = isinstance(value.left, ast.Name) and value.left.id.startswith("t")
    return named and isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add)


def test_a_long_line_that_assigns_several_values(tmp_path, monkeypatch):
    path = tmp_path / "long_pair_of.py"
    line = f"a, b = (x * (1.5 {TERMS}), y * x)"
    path.write_text(f"import math\n\n\ndef f(x, y):\n    {line}\n    return a * b\n")
    monkeypatch.syspath_prepend(tmp_path)
    import long_pair_of

    assert ya.grad(long_pair_of.f, 0.3, 0.7)[0] == long_pair_of.f(0.3, 0.7)
