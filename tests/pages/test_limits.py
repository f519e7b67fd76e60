"""What the readme calls not there yet is refused: else it is to be taken off there."""

import numpy as np
import pytest

import yota_ast as ya

from .running import REPOSITORY


def halved(x):
    return x if x < 1.0 else halved(0.5 * x)


def caught(x):
    try:
        y = x * x if x > 1.0 else x
        y = y / (x - 3.0)
    except ZeroDivisionError:
        y = x
    return y


class Box:
    def __init__(self, value):
        self.value = value


def doubled(box):
    if box.value > 10.0:
        return box.value
    box.value = 2 * box.value
    return doubled(box)


def appended(xs):
    if xs[-1] > 10.0:
        return xs[-1]
    xs.append(2 * xs[-1])
    return appended(xs)


def caught_in_place(x):
    y = x * np.ones(2)
    try:
        y *= x if x > 1.0 else 2.0
        y /= x
    except ZeroDivisionError:
        pass
    return np.sum(y)


async def awaited(x):
    return x


COUNT = 0


def counted(x):
    global COUNT
    COUNT = x
    return x


NOT_YET = [
    ("whose body computes in place", lambda: ya.jvp(caught_in_place)(9.0, 1.0)),
    ("other back ends", lambda: ya.simplegrad(caught, 2.0, backend="jax")),
    ("unroll=True", lambda: ya.trace(caught, 2.0, unroll=True)),
    ("`async`", lambda: ya.grad(awaited, 2.0)),
    ("are kept in globals", lambda: ya.grad(counted, 2.0)),
    ("changes a list", lambda: ya.grad(lambda x: appended([x]), 2.0)),
    ("an object of the caller", lambda: ya.grad(lambda x: doubled(Box(x)), 2.0)),
]


@pytest.mark.parametrize(("words", "use"), NOT_YET, ids=lambda x: str(x)[:20])
def test_not_there_yet(words, use):
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    _, _, there = text.partition("## What is not handled yet")
    assert words in " ".join(there.split())
    with pytest.raises(ya.YotaError):
        use()


def test_dynamic_false_gives_the_same_text():
    texts = {
        ya.grad(halved, np.float64(3.0), dynamic=flag)[1].source
        for flag in (True, False)
    }
    assert len(texts) == 1
