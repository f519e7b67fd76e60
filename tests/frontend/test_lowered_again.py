"""How often the body of a loop, or of a try, is lowered: not without need."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.frontend.interpret.loop_passes import LoopPasses
from yota_ast.frontend.interpret.statement_execution import Execution


def lagging(x, n):
    p1 = p2 = p3 = None
    p1, p2, p3 = None, None, None
    total = 0.0
    for _ in range(n):
        if x < 1e3:
            total = total + x
            if p3 is not None:
                total = total + p3 * p2
            if total > 1e6:
                return total
        p1, p2, p3 = x, p1, p2
        x = x * 1.5
    return total


def counting(x, n):
    k = 0
    while k < n:
        for step in (0.5, 0.25) * 10:
            k = k + 1
            x = x * step + k
    return x


def lagging_by_hand(x, n):
    seen, total = [], 0.0
    for _ in range(n):
        total += x
        if len(seen) > 2:
            total += seen[-3] * seen[-2]
        seen.append(x)
        x = x * 1.5
    return total


def listing(x):
    return sum([a * a for a in x])


def appending(x, n):
    xs = [x]
    for i in range(n):
        for _ in range(i):
            xs.append(xs[-1] * 0.5)
    return xs[-1] + xs[0]


def appending_to_its_own(x, n):
    for _ in range(n):
        xs = []
        xs.append(x * 0.5)
        x = x + xs[0]
    return x


@pytest.mark.parametrize(
    ("fn", "args", "most"),
    [
        (lagging, (1.2, 7), 2),
        (counting, (1.2, 50), 2),
        (listing, (np.array([1.2, 0.7, 2.0]),), 2),
        (appending, (1.2, 5), 8),  # over both bodies
        (appending_to_its_own, (1.2, 5), 1),
    ],
)
def test_a_body_is_lowered_no_more_often_than_it_tells_something(
    fn, args, most, monkeypatch
):
    passes = []
    one_pass = LoopPasses.one_pass

    def counted(self, stmt, *rest):
        passes.append(stmt)
        return one_pass(self, stmt, *rest)

    monkeypatch.setattr(LoopPasses, "one_pass", counted)
    assert ya.trace(fn, *args)[0] == fn(*args)
    assert len(passes) == most


def test_what_follows_what_is_carried_is_right():
    value, grads = ya.grad(lagging, 1.2, 7)
    assert value == lagging_by_hand(1.2, 7)
    step = 1e-6
    slope = (lagging(1.2 + step, 7) - lagging(1.2 - step, 7)) / (2 * step)
    assert abs(grads[0] - slope) < 1e-6 * abs(slope)


def several(x):
    x = x * 2.0
    x = x + 1.0
    x = x * x
    x = x - 0.5
    return x / 3.0


def trying(x):
    try:
        y = several(x)
    except ZeroDivisionError:
        y = x
    return y * y


def test_a_try_is_found_to_leave_ops_at_its_second_statement(monkeypatch):
    lowered = []
    run_statement = Execution.run_statement

    def counted(self, stmt, *rest):
        lowered.append(stmt)
        return run_statement(self, stmt, *rest)

    monkeypatch.setattr(Execution, "run_statement", counted)
    assert ya.trace(trying, 1.2)[0] == trying(1.2)
    inner = [stmt for stmt in lowered if stmt.lineno in range(*LINES)]
    assert len(inner) <= 5 + 1


LINES = (several.__code__.co_firstlineno, several.__code__.co_firstlineno + 6)
