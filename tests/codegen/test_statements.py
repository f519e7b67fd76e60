"""Programs of a few ops -> their whole text, where names and places are delicate."""

import operator as op

from tests.codegen.running import compiled, emitted, played
from yota_ast.codegen.printers.function_source import emit
from yota_ast.ir.abstract_values import BOOL, FLOAT, INT
from yota_ast.ir.atoms import UNDEFINED, Const, Var
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import Apply, Block, Carry, For, If, Merge, Origin, Raise, Try
from yota_ast.ir.tape import Guard, Program

A, B, N = Var("a", FLOAT, "a"), Var("b", FLOAT, "b"), Var("n", INT, "n")
EFFECTS = []


def note(x):
    EFFECTS.append(x)
    return x


def temp(name, hint=None, fact=FLOAT):
    return Var(name, fact, hint)


def program(ops, value, results=(), reverse=(), **more):
    params = tuple(Parameter(v) for v in (A, B, N))
    blocks = Block(tuple(ops)), Block(tuple(reverse))
    return Program("f", params, *blocks, value, tuple(results), **more)


def body(made):
    """Return the lines below the signature and the section's title."""
    lines = emitted(made).splitlines()[1:]
    return [line[4:] for line in lines if line.strip() != "# forward"]


def agrees(made, *args):
    EFFECTS.clear()
    expected = played(made, *args), list(EFFECTS)
    EFFECTS.clear()
    found = compiled(emit(made))(*args)
    found = found if isinstance(found, tuple) else (found,)
    return (found, list(EFFECTS)) == expected


def test_swap_in_a_loop():
    p, q, s = temp("p", "p"), temp("q", "q"), temp("s", "q")
    items, i = temp("items"), temp("i", "i", INT)
    step = Apply(s, op.add, (p, q))
    outs = temp("p_out", "p"), temp("q_out", "q")
    carries = (Carry(outs[0], A, p, q), Carry(outs[1], B, q, s))
    loop = For((i,), items, Block((step,)), carries)
    made = program([Apply(items, range, (N,)), loop], outs[0])
    assert body(made) == [
        "p, q = a, b",
        "for i in range(n):",
        "    p, q = q, p + q",
        "",
        "return p",
    ]
    assert agrees(made, 1.0, 2.0, 5)


def test_an_or_that_is_no_expression_reads_its_test_once():
    test, other, told, out = temp("test"), temp("o"), temp("t", "told"), temp("out")
    arm = Block((Apply(told, abs, (A,)), Apply(other, op.add, (told, B))))
    branch = If(test, Block(), arm, (Merge(out, test, other),), "or")
    made = program([Apply(test, note, (A,), effect=True), branch], out)
    assert body(made) == [
        "val = note(a)",
        "if not val:",
        "    told = abs(a)",
        "    val = told + b",
        "",
        "return val",
    ]
    assert agrees(made, 0.0, 2.0, 5)


def test_a_test_that_does_something_stays():
    test = temp("test")
    branch = If(test, Block(), Block())
    made = program([Apply(test, note, (A,), effect=True), branch], B)
    assert body(made) == ["note(a)", "", "return b"]
    assert agrees(made, 0.0, 2.0, 5)


def test_what_may_be_undefined_is_copied_without_raising():
    x, y, z = temp("x", "x"), temp("y", "y"), temp("z", "z")
    test = temp("test", fact=BOOL)
    made_x = Apply(temp("v", "x"), op.mul, (A, B))
    first = If(test, Block((made_x,)), Block(), (Merge(x, made_x.out, UNDEFINED),))
    second = If(test, Block(), Block(), (Merge(y, x, x),))
    third = If(test, Block((Apply(z, op.add, (y, y)),)), Block())
    out = temp("out", "out")
    third = If(test, third.then, third.orelse, (Merge(out, z, B),))
    ops = [Apply(test, op.lt, (A, B)), first, second, third]
    made = program(ops, out)
    assert body(made)[0] == "x = None"
    assert agrees(made, 1.0, 2.0, 0)
    assert agrees(made, 2.0, 1.0, 0)


def test_temporaries_do_not_take_the_names_of_parameters():
    test, out = temp("test", fact=BOOL), temp("out")
    branch = If(test, Block(), Block(), (Merge(out, A, Const(0.0)),))
    total = temp("total", "total")
    ops = [Apply(test, op.lt, (A, B)), branch, Apply(total, op.add, (out, out))]
    assert body(program(ops, total)) == [
        "if a < b:",
        "    t1 = a",
        "else:",
        "    t1 = 0.0",
        "total = t1 + t1",
        "",
        "return total",
    ]


def test_hints_that_are_reserved():
    names = ["del", "len", "lambda", "h_2"]
    outs = [temp(f"v{i}", name) for i, name in enumerate(names)]
    ops = [Apply(out, op.add, (A, B)) for out in outs]
    lines = body(program(ops, A, outs))
    assert lines[-1] == "return a, del_2, len_2, lambda_2, h_2"


def test_adjoints_keep_away_from_the_users_names():
    dx, x = temp("dx", "dx"), temp("x", "x")
    forward = [Apply(x, op.mul, (A, B)), Apply(dx, op.add, (x, A))]
    adjoint = temp("adjoint", "dx")
    origin = Origin(None, 1, "dx = x + a", reverse=True)
    reverse = [Apply(adjoint, op.neg, (x,), origin=origin)]
    lines = body(program(forward, A, [adjoint], reverse))
    assert "dx_2 = -x" in lines


def test_a_guard_returns_in_place():
    test, twice = temp("test", fact=BOOL), temp("twice", "twice")
    block = Block((Apply(twice, op.add, (A, A)),))
    guard = Guard(1, test, block, twice, (Const(2.0),))
    out = temp("out", "out")
    ops = [Apply(test, op.le, (A, Const(0))), Apply(out, op.mul, (A, B))]
    made = program(ops, out, [B], guards=(guard,))
    assert body(made) == [
        "if a <= 0:",
        "    twice = a + a",
        "    return twice, 2.0",
        "out = a * b",
        "",
        "return out, b",
    ]
    assert agrees(made, -1.0, 2.0, 0)
    assert agrees(made, 1.0, 2.0, 0)


def test_raise_and_try():
    error, caught = temp("error"), temp("e", "error")
    test, root = temp("test", fact=BOOL), temp("root", "root")
    raised = Block((Apply(error, ValueError, (Const("negative"),)), Raise(error)))
    power = Apply(root, op.pow, (A, Const(0.5)))
    tried = Block((Apply(test, op.lt, (A, Const(0))), If(test, raised, Block()), power))
    out = temp("out", "root")
    merges = (Merge(out, root, Const(0.0)),)
    attempt = Try(tried, Const(ValueError), caught, Block(), Block(), merges)
    made = program([attempt], out)
    assert body(made) == [
        "try:",
        "    if a < 0:",
        '        raise ValueError("negative")',
        "    root = a**0.5",
        "except ValueError:",
        "    root = 0.0",
        "",
        "return root",
    ]
    assert agrees(made, 4.0, 2.0, 0)
    assert agrees(made, -4.0, 2.0, 0)


def test_long_checks_keep_the_width():
    message = "made for " + ", ".join(f"argument{i} (n, m)" for i in range(9))
    made = program([], A, checks=(Check("a < 0", message),), doc="Doc.")
    lines = emitted(made).splitlines()
    assert max(map(len, lines)) <= 88
    assert lines[2:5] == [
        "    if a < 0:",
        "        raise ValueError(",
        '            "f: made for argument0 (n, m), argument1 (n, m), argument2 (n, m), "',
    ]


def test_a_test_alone_is_made_in_its_arm_only():
    """`elif 5 % n > 1: pass` raises nothing where the branch before it is taken."""
    above = Apply(temp("p", fact=BOOL), op.eq, (N, Const(0)))
    rest = Apply(temp("r", fact=INT), op.mod, (Const(5), N))
    test = Apply(temp("q", fact=BOOL), op.gt, (rest.out, Const(1)))
    inner = If(test.out, Block(()), Block(()))
    doubled = Apply(temp("c", "c"), op.mul, (B, Const(2.0)))
    chosen = Merge(temp("d", "c"), doubled.out, B)
    arms = Block((doubled,)), Block((rest, test, inner))
    made = program([above, If(above.out, *arms, (chosen,))], chosen.out)
    assert body(made)[2:5] == ["else:", "    5 % n > 1", "    c = b"]
    assert agrees(made, 1.0, 2.0, 0)
    assert agrees(made, 1.0, 2.0, 3)
