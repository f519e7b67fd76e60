"""The kernels of `kernels/` -> the cases of their table."""

import inspect

import numpy as np
from cases import Case
from kernels import (
    algebra,
    bodies,
    grids,
    hand_written,
    masked,
    programming,
    recurrences,
    spectral,
    windows,
)

CHAPTERS = {
    "dense and sparse algebra": algebra,
    "grids in place": grids,
    "dynamic programming": programming,
    "spectral": spectral,
    "convolution and pooling": windows,
    "recurrences": recurrences,
    "masked iteration": masked,
    "bodies": bodies,
}


def case(chapter, title):
    """Return the case of a kernel of a chapter."""

    def arguments(rng, *, small):
        return chapter.arguments(rng, small=small)[title][1]

    fn, args, wrt = chapter.arguments(np.random.default_rng(0), small=True)[title]
    names = list(inspect.signature(fn).parameters)
    if wrt is None:
        wrt = tuple(n for n, a in zip(names, args, strict=True) if is_float(a))
    by_hand = getattr(hand_written, fn.__name__, None)
    return Case(title, fn, by_hand, wrt, arguments)


def is_float(arg):
    """Say whether an argument holds floats."""
    return np.asarray(arg).dtype.kind == "f"


def cases():
    """Return the cases, by their chapters."""
    rng = np.random.default_rng(0)
    return {
        name: [case(chapter, title) for title in chapter.arguments(rng, small=True)]
        for name, chapter in CHAPTERS.items()
    }
