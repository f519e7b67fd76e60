"""Texts, bytes and lists of texts that a loop saves where one arm has no value for
them: their tangents are zeros, and made of no text."""

import numpy as np
import pytest

from tests.frontend.every_mode import check_every_mode

X, V = np.array([0.3, 0.5]), np.array([1.0, 0.3])


def by_lower_letters(x, names=("z", "Y")):
    for i in range(len(names)):
        c = np.cos(x)
        if names[i].lower() == "x":
            x = x * c
        elif names[i].lower() == "z":
            x = x * x * c
    return np.sum(x)


def by_bytes(x, names=("b", "a")):
    for i in range(len(names)):
        c = np.cos(x)
        if x[0] > 5:
            x = x * c
        else:
            k = names[i].encode()
            x = x * x * c if k == b"a" else x * x
    return np.sum(x)


def by_parts(x, names=("b,c", "a")):
    for i in range(len(names)):
        c = np.cos(x)
        if x[0] > 5:
            x = x * c
        else:
            k = names[i].split(",")
            x = x * x * c if k[0] == "a" else x * x
    return np.sum(x)


@pytest.mark.parametrize("fn", [by_lower_letters, by_bytes, by_parts])
@pytest.mark.parametrize("passes", ["all", "none"])
def test_texts_that_are_saved(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_every_mode(fn, X, V)
