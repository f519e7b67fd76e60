"""Loops over many known items stay loops of the text, where nothing is lost by it."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast import pipeline
from yota_ast.errors import UnsupportedSyntax

from .checking import check


def step(tot, x, a, b):
    """What makes forty copies some pages."""
    u = np.sin(x * a) + b * x**2
    v = np.exp(-u * u) * np.cos(b * u) + a
    w = u * v - np.sqrt(1 + v * v) + b / (1 + u * u)
    s = w * w + np.tanh(w) * u - v * a
    return tot + s * np.log(1 + s * s) - w * np.arctan(s)


def of_pairs(x):
    tot = 0.0
    for a, b in [(0.1 * i, 0.2 + i) for i in range(40)]:
        tot = step(tot, x, a, b)
    return tot


def of_active_pairs(x):
    tot = 0.0
    for a, b in reversed([[0.1 * i * x, 0.2 + x] for i in range(40)]):
        tot = step(tot, x, a, b)
    return tot


def of_two_lists(x):
    tot = 0.0
    first, second = [0.1 * i for i in range(40)], [1.0 - i for i in range(40)]
    for i, (a, b) in enumerate(zip(first, second, strict=True)):
        tot = step(tot, x, a, b) + i * a
    return tot


def left_early(x):
    tot = 0.0
    for a, b in [(0.1 * i, 0.2 + i) for i in range(40)]:
        if 20 < b < 25:
            continue
        tot = step(tot, x, a, b)
        if tot > 30:
            return tot * a
    else:
        tot *= 2
    return tot + b


def filled(x):
    tot, out, last = 0.0, np.zeros(40), (1.0, x)
    for i, a in [(i, 0.1 * i) for i in range(40)]:
        tot = step(tot, x, a, 0.3)
        out[i] = tot
        last = (last[1], tot)
    return np.sum(out * out) + out[3] * last[0]


def nested(x):
    tot = 0.0
    for c in (x, x * x, 2.0):
        for a, b in [(0.1 * i, 0.2 + i) for i in range(40)]:
            tot = step(tot, c, a, b)
    return tot


def of_places(x):
    """Ranges of an array, the ends of which are computed of its length."""
    tot, size = 0.0, len(x)
    for start, stop in [(size * i // 20, size * (i + 3) // 20) for i in range(20)]:
        part = x[start:stop]
        tot = step(tot, np.sum(part), np.sum(part**2), 0.3)
    return tot


def of_an_argument(p, x):
    tot = 0.0
    for a, b in p:
        tot = step(tot, x, a, b)
    return tot


def of_values(p, x):
    tot = 0.0
    for a in p.values():
        tot = step(tot, x, a, 0.4)
    return tot


PAIRS = [(0.02 * i, 1.0 - 0.01 * i) for i in range(40)]
KEPT = {
    of_pairs: (0.37,),
    of_two_lists: (0.37,),
    left_early: (0.37,),
    filled: (0.37,),
    nested: (0.37,),
    of_places: (np.linspace(0.1, 1.0, 7),),
}


def by_name(x):
    tot, held = 0.0, {f"k{i}": 0.1 * i * x for i in range(40)}
    for name in [f"k{i}" for i in range(40)]:
        tot = step(tot, x, held[name], 0.3)
    return tot


def of_functions(x):
    tot = 0.0
    for fn, b in [(np.sin if i % 2 else np.cos, 0.1 * i) for i in range(40)]:
        tot = step(tot, x, fn(x), b)
    return tot


def of_choices(x):
    tot = 0.0
    for kind, a in [("p" if i % 2 else "q", 0.1 * i * x) for i in range(40)]:
        tot = step(tot, x, a, 1.5 if kind == "p" else x)
    return tot


def growing(x):
    tot, items = 0.0, [0.1 * i * x for i in range(40)]
    for a in items:
        tot = step(tot, x, a, 1.0)
        if len(items) < 43:
            items.append(x)
    return tot


def writing_items(x):
    tot, items = 0.0, [[0.1 * i * x, 0.2 + i] for i in range(40)]
    for item in items:
        tot = step(tot, x, item[0], item[1])
        item[0] = tot
    return tot + items[3][0]


NAMED = {f"k{i}": a for i, (a, _) in enumerate(PAIRS)}
WRITTEN_OUT = {
    **dict.fromkeys(
        (by_name, of_functions, of_choices, growing, writing_items), (0.37,)
    ),
    of_active_pairs: (0.37,),
    of_an_argument: (PAIRS, 0.37),
    of_values: (NAMED, 0.37),
}


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


@pytest.mark.part(2)
@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("fn", KEPT, ids=lambda fn: fn.__name__)
def test_kept(fn):
    check(fn, *KEPT[fn])
    for example in (KEPT[fn], ()):
        text = ya.simplegrad(fn, *example).source
        assert len(text.splitlines()) < 700
        assert "ungetitem_of" not in text


@pytest.mark.part(4)
@pytest.mark.parametrize("fn", WRITTEN_OUT, ids=lambda fn: fn.__name__)
def test_written_out_where_the_items_differ_or_have_adjoints(fn):
    """Each of the forty items has a call of its own, and its reverse has one."""
    check(fn, *WRITTEN_OUT[fn])
    source = ya.simplegrad(fn, *WRITTEN_OUT[fn]).source
    for sweep in ("_forward(", "_reverse("):
        calls = [line for line in source.splitlines() if sweep in line]
        assert len(calls) > len(PAIRS) == 40
        assert all(line.startswith(("    t", "    d")) for line in calls[:40])


def test_a_text_for_a_list_is_for_its_length():
    text = ya.simplegrad(of_an_argument, PAIRS, 0.37)
    with pytest.raises(ValueError, match="made for p of 40 items"):
        text(PAIRS[:-1], 0.37)


def test_written_out_where_the_reverse_refuses_the_loop(monkeypatch):
    seen = []

    def refusing(tape, *args, **kwargs):
        seen.append(tape.kept_loops)
        if tape.kept_loops:
            raise UnsupportedSyntax("this loop")
        return made(tape, *args, **kwargs)

    made = pipeline.gradient_program
    monkeypatch.setattr(pipeline, "gradient_program", refusing)
    text = ya.simplegrad(of_pairs, 0.37)
    assert seen == [True, False]
    assert text(0.37) == pytest.approx(ya.simplegrad(of_pairs)(0.37))


def few(x):
    tot = 0.0
    for a in [0.1 * i for i in range(12)]:
        tot = step(tot, x, a, 1.0)
    return tot


def short(x):
    tot = 0.0
    for a, b in [(0.1 * i, 0.2 + i) for i in range(40)]:
        tot = tot + a * np.sin(b * x)
    return tot


@pytest.mark.parametrize("fn", [few, short])
def test_what_fills_no_pages_is_written_out(fn):
    check(fn, 0.37)
    source = ya.simplegrad(fn, 0.37).source
    assert "for " not in source.replace("made for a number x", "")
