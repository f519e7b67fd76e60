"""Calls of libraries of plots happen once, in their place; nothing comes back of them.

The library here is a small one that poses as bokeh and keeps what it is given.
"""

import sys
import types

import numpy as np
import pytest

import yota_ast as ya

bokeh = types.ModuleType("bokeh")
exec(
    """
class Line:
    def __init__(self, *data): self.data = data
    def label(self, text): seen.append(text)

class Axes:
    def __init__(self): self.canvas = self
    def plot(self, *data, **style):
        seen.append(("plot", *data))
        return [Line(*data)]

seen = []
def subplots(n): return "figure", [Axes() for _ in range(n)]
""",
    bokeh.__dict__,
)
X = np.array([1.0, 2.0, 3.0])


@pytest.fixture(autouse=True)
def _bokeh(monkeypatch):
    for name in ("Line", "Axes", "subplots"):
        bokeh.__dict__[name].__module__ = "bokeh"
    monkeypatch.setitem(sys.modules, "bokeh", bokeh)
    bokeh.seen.clear()


def plots(x):
    _, axes = bokeh.subplots(2)
    y = np.zeros(3)
    for i, ax in enumerate(axes):
        (line,) = ax.plot(x, y)
        y[i] = x[i] ** 2
        line.label("y")
    axes[0].canvas.plot(axes[1].canvas, color="r")
    return np.sum(y)


def test_what_is_plotted_is_plotted_once_in_its_place():
    value, gradient = ya.grad(plots, X)
    assert value == 5.0
    assert gradient["x"].tolist() == [2.0, 4.0, 0.0]
    names = [item if isinstance(item, str) else item[0] for item in bokeh.seen]
    assert names == ["plot", "y", "plot", "y", "plot"]
    assert bokeh.seen[0][1] is X


@pytest.mark.parametrize(
    "run", [lambda: ya.jvp(plots)(X, X)[1], lambda: ya.hvp(plots)(X, X).sum()]
)
def test_other_modes_go_past_plots(run):
    assert run() in (10.0, 6.0)


def reads_back(x):
    _, axes = bokeh.subplots(1)
    (line,) = axes[0].plot(x)
    return np.sum(line.data[0])


@pytest.mark.parametrize(
    "run", [lambda: ya.grad(reads_back, X), lambda: ya.jvp(reads_back)(X, X)]
)
def test_what_comes_out_of_a_plot_is_refused(run):
    with pytest.raises(ya.UnsupportedSyntax) as found:
        run()
    line = reads_back.__code__.co_firstlineno + 2
    assert str(found.value) == (
        f"{__file__}:{line}:5: a differentiated value is read back from a plot\n"
        "    (line,) = axes[0].plot(x)\n"
        "    ^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "Compute with the numbers that are plotted."
    )
