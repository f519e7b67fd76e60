"""Loops with a schedule: the same bits, fewer states, and steps as few as can be."""

import inspect
import math
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax
from yota_ast.runtime import next_kept
from yota_ast.tools.cli.main import main

from .loops import LOOPS, WITHIN, U, function, made

GOLDEN = Path(__file__).parent / "golden"
SCHEDULES = ["", "every=3", "slots=1", "slots=2", "slots=5"]
RANGES = ["range(n)", "range(1, n, 2)", "range(n - 1, -1, -1)", "range(n, 0, -3)"]
COUNTS = (0, 1, 2, 3, 7, 20)


def gradient(name, steps):
    return ya.simplegrad(function(name, steps), U, 5)


def same(fn, other, n):
    """Whether two gradients are the same bits."""
    pairs = zip(fn(U.copy(), n), other(U.copy(), n), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", LOOPS)
def test_the_bits_are_those_of_a_sweep_that_saves_all(name, schedule, capsys):
    plain = gradient(name, "range(n)")
    kept = gradient(name, f"ya.checkpoint(range(n), {schedule})")
    assert "states.append(" in kept.source
    for n in COUNTS:
        plain(U.copy(), n)
        once = capsys.readouterr().out
        kept(U.copy(), n)
        assert capsys.readouterr().out == once  # what it prints, it prints once
        assert same(plain, kept, n), n
        capsys.readouterr()


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("steps", RANGES)
@pytest.mark.parametrize("name", ["plain", "several", "stencil"])
def test_ranges(name, steps, schedule):
    plain = gradient(name, steps)
    kept = gradient(name, f"ya.checkpoint({steps}, {schedule})")
    assert "states.append(" in kept.source
    assert all(same(plain, kept, n) for n in COUNTS)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("steps", RANGES)
def test_steps_are_numbers_of_python_as_those_of_a_range(steps, schedule):
    u = U.astype(np.float32)
    plain = ya.simplegrad(function("plain", steps), u, 5)
    kept = ya.simplegrad(function("plain", f"ya.checkpoint({steps}, {schedule})"), u, 5)
    first, second = (fn(u, np.int64(5)) for fn in (plain, kept))
    assert [a.dtype for a in first] == [a.dtype for a in second]
    assert same(plain, kept, np.int64(5))


@pytest.mark.parametrize("schedule", ["", "slots=3"])
def test_a_range_of_known_length(schedule):
    plain = gradient("plain", "range(40)")
    kept = gradient("plain", f"ya.checkpoint(range(40), {schedule})")
    assert same(plain, kept, 0)


def test_without_passes(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "none")
    for name in ("several", "stencil"):
        plain = gradient(name, "range(n)")
        for schedule in SCHEDULES:
            kept = gradient(name, f"ya.checkpoint(range(n), {schedule})")
            assert all(same(plain, kept, n) for n in COUNTS)


def test_a_loop_that_saves_nothing_stays():
    for body in ("1.1 * u", "k * u"):
        text = (
            f"def f(u, n):\n    for k in STEPS:\n        u = {body}\n    return u @ u\n"
        )
        fns = [made(text, s)["f"] for s in ("range(n)", "ya.checkpoint(range(n))")]
        first, second = (ya.simplegrad(f, U, 5).source for f in fns)
        assert first == second


@pytest.mark.parametrize("schedule", ["", "slots=3"])
def test_text(schedule, golden):
    source = gradient("several", f"ya.checkpoint(range(n), {schedule})").source
    golden(GOLDEN / f"{schedule.partition('=')[0] or 'segments'}.txt", source)


# ---------------------------------------------------------------- steps and states


def turns(n, slots):
    """How often a step is repeated at most."""
    found = 0
    while math.comb(slots + found, slots) < n:
        found += 1
    return found


def griewank(n, slots):
    """The least number of steps forwards for n steps backwards, from one state, where
    the step that is reversed is run itself."""
    most = turns(n, slots)
    return most * n - math.comb(slots + most, slots + 1) + n


def steps_and_states(n, slots):
    """How many steps the text takes, and how many states it holds at once."""
    kept, mark, steps = [], 0, 0
    for k in range(n):
        if k == mark:
            kept.append(k)
            mark = next_kept(k, n, slots - len(kept))
        steps += 1
    most = len(kept)
    for last in range(n - 1, -1, -1):
        first = kept[-1]
        if first == last:
            kept.pop()
        mark = next_kept(first, last + 1, slots - len(kept))
        for k in range(first, last):
            if k == mark:
                kept.append(k)
                mark = next_kept(k, last + 1, slots - len(kept))
            steps += 1
        most = max(most, len(kept))
        steps += 1
    assert kept == []
    return steps, most


@pytest.mark.parametrize("slots", [1, 2, 3, 7, 30])
def test_steps_are_as_few_as_can_be(slots):
    for n in (*range(1, 60), 500):
        steps, states = steps_and_states(n, slots)
        assert states <= slots
        # The steps behind the last state are those of both sweeps.
        least = griewank(n, slots)
        assert least <= steps <= least + turns(n, slots) + 1


@pytest.mark.parametrize("slots", [1, 2, 3, 7, 30])
@pytest.mark.parametrize("schedule", ["Revolve", "MultistageCheckpointSchedule"])
def test_steps_are_those_of_another_library(schedule, slots):
    library = pytest.importorskip("checkpoint_schedules")
    more = {} if schedule == "Revolve" else {"snapshots_on_disk": 0}
    for n in (*range(1, 60), 100, 500):
        made = getattr(library, schedule)(n, min(slots, n), **more)
        least = sum(a.n1 - a.n0 for a in made if isinstance(a, library.Forward))
        steps, _ = steps_and_states(n, slots)
        assert least <= steps <= least + turns(n, slots) + 1


@pytest.mark.parametrize("slots", [10, 30, 100])
def test_steps_of_long_loops(slots):
    for n in (10_000, 100_000):
        steps, states = steps_and_states(n, slots)
        assert states <= slots
        assert steps <= 1.03 * griewank(n, slots)


COUNTED = []


def counted(u):
    COUNTED.append(1)
    return np.sin(u)


@ya.diffrule
def _(u, *, dy):
    y = counted(u)
    du = dy * np.cos(u)


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [("", 2 * 100), ("every=7", 2 * 100), ("slots=3", steps_and_states(100, 3)[0])],
)
def test_the_text_takes_these_steps(schedule, expected):
    text = """
    def f(u, n):
        for k in STEPS:
            u = counted(u)
        return np.sum(u * u)
    """
    text = inspect.cleandoc(text).replace(
        "STEPS", f"ya.checkpoint(range(n), {schedule})"
    )
    names = ya.from_source(text, {"np": np, "ya": ya, "counted": counted})
    fn = ya.simplegrad(names["f"], U, 5)
    COUNTED.clear()
    fn(U, 100)
    assert expected - 100 <= len(COUNTED) <= expected  # a step whose value is not read


@pytest.mark.parametrize(
    ("schedule", "states"), [("", 2 * 20 + 4), ("slots=10", 10 + 6)]
)
def test_bytes_held(schedule, states):
    cells, n = 10_000, 400
    u = np.linspace(0.0, 1.0, cells)
    kept = gradient("plain", f"ya.checkpoint(range(n), {schedule})")
    kept(u, 3)
    tracemalloc.start()
    try:
        kept(u, n)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < states * u.nbytes + 100_000


# ---------------------------------------------------------------- other ways to ask


def marched(u, n):
    for k in range(n):
        u = np.tanh(u) + 0.1 * k
    return np.sum(u * u)


LINE = inspect.getsourcelines(marched)[1] + 1


@pytest.mark.parametrize(
    ("how", "word"), [("sqrt", "math.isqrt("), (("slots", 4), "4 - len(states)")]
)
def test_a_schedule_by_the_line(how, word):
    plain = ya.simplegrad(marched, U, 5)
    kept = ya.simplegrad(marched, U, 5, checkpoint={LINE: how})
    assert word in kept.source
    assert all(same(plain, kept, n) for n in COUNTS)


def test_a_line_without_a_loop_is_refused():
    with pytest.raises(UnsupportedSyntax, match="begins in this line") as caught:
        ya.simplegrad(marched, U, 5, checkpoint={LINE + 1: "sqrt"})
    assert caught.value.lineno == LINE + 1


def test_the_command_line_and_what_checks_the_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = inspect.getsource(marched)
    Path("march.py").write_text(f"import numpy as np\n\n\n{code}")
    asked = ["emit", "march.py:marched", "--checkpoint", "5=slots:4", "-o", "d.py"]
    assert main(asked) == 0
    assert "4 - len(states)" in Path("d.py").read_text()
    assert main([*asked, "--check"]) == 0
    assert main([*asked[:3], "5=sqrt", *asked[4:], "--check"]) == 1
    capsys.readouterr()
    assert main([*asked[:3], "6=sqrt", *asked[4:]]) == 2
    told = capsys.readouterr().err
    assert "march.py:6:" in told
    assert "no `for` loop begins in this line" in told


def test_forward_mode_and_second_derivatives():
    v = np.array([0.1, -0.2, 0.3, 0.4])
    plain = function("several", "range(n)")
    kept = function("several", "ya.checkpoint(range(n), slots=2)")
    assert ya.jvp(plain, wrt="u")(U, 5, v) == ya.jvp(kept, wrt="u")(U, 5, v)
    np.testing.assert_array_equal(ya.hvp(plain)(U, v, 5), ya.hvp(kept)(U, v, 5))

    def squares(f):
        return ya.grad(lambda u: np.sum(ya.grad(f)(u, 5) ** 2), U)[1][0]

    np.testing.assert_array_equal(squares(plain), squares(kept))


def test_it_is_the_range_where_the_function_runs():
    assert ya.checkpoint(range(3)) == range(3)
    assert list(ya.checkpoint(range(3), slots=2)) == [0, 1, 2]
    for options in ({"every": 2, "slots": 2}, {"every": 0}, {"slots": -1}):
        with pytest.raises(ValueError, match="checkpoint"):
            ya.checkpoint(range(3), **options)


# ---------------------------------------------------------------- what is refused

BODY = """
def f(u, n):
    {before}
    for k in ya.checkpoint(range(10000){options}):
        {body}
    return np.sum(u)
"""
REFUSED = [
    ("u = np.tanh(u) * np.random.normal()", "draw random numbers a second time"),
    (
        "u = np.tanh(u)\n        if u[0] < 0.01:\n            break",
        "may be left before",
    ),
    ("u[1:] = np.sin(v[1:])\n        u, v = v, u", "`u` and `v` may share memory"),
]


@pytest.mark.parametrize("options", ["", ", slots=3"])
@pytest.mark.parametrize(("body", "reason"), REFUSED)
def test_refused(body, reason, options):
    text = BODY.format(before="v = np.zeros(4)", body=body, options=options)
    f = ya.from_source(text, {"np": np, "ya": ya})["f"]
    with pytest.raises(UnsupportedSyntax, match=re.escape(reason)) as caught:
        ya.simplegrad(f, U, 5)
    assert caught.value.lineno in (4, 5)


@pytest.mark.parametrize(
    ("loop", "reason"),
    [
        ("for k, j in enumerate(ya.checkpoint(range(10000))):", "stands within what"),
        ("for k in ya.checkpoint(range(10000), slots=n):", "computed by the function"),
        ("for k in ya.checkpoint(u):", "is not given a range"),
        ("for k in ya.checkpoint(range(9), every=2, slots=2):", "exclude each other"),
        ("for k in ya.checkpoint(range(0, 10000, n)):", "the step of the range"),
    ],
)
def test_refused_headers(loop, reason):
    text = f"def f(u, n):\n    {loop}\n        u = np.sin(u)\n    return np.sum(u)\n"
    f = ya.from_source(text, {"np": np, "ya": ya})["f"]
    with pytest.raises(ya.YotaError, match=re.escape(reason)):
        ya.simplegrad(f, wrt=["u"])


@pytest.mark.parametrize(
    ("around", "options", "reason"),
    [
        ("if n > 2:", "", "stands within a branch"),
        ("for j in range(10000):", ", slots=2", "stands within another loop"),
        ("for j in ya.checkpoint(range(10000)):", "", "has one, too"),
    ],
)
def test_refused_within(around, options, reason):
    text = f"""
    def f(u, n):
        {around}
            for k in ya.checkpoint(range(10000){options}):
                u = np.sin(u)
        return np.sum(u)
    """
    f = ya.from_source(text, {"np": np, "ya": ya})["f"]
    with pytest.raises(UnsupportedSyntax, match=re.escape(reason)):
        ya.simplegrad(f, wrt=["u"])


# ---------------------------------------------------------------- within other loops


@pytest.mark.parametrize("schedule", ["", "every=2"])
@pytest.mark.parametrize("name", WITHIN)
def test_within_other_loops(name, schedule):
    fns = [
        ya.simplegrad(made(WITHIN[name], steps)[name], U, 5)
        for steps in ("range(n * j)", f"ya.checkpoint(range(n * j), {schedule})")
    ]
    assert "for first in " in fns[1].source
    assert all(same(*fns, n) for n in COUNTS)
