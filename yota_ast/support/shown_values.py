"""The module of a function -> whether it is of a library that shows numbers to people.

>>> is_of_plots("matplotlib.pyplot"), is_of_plots("numpy")
(True, False)
"""

from __future__ import annotations

from typing import Final

_SHOWING: Final = ("matplotlib", "mpl_toolkits", "seaborn", "plotly", "bokeh")
"""The libraries of plots: what they are given goes no further."""


class Shown:
    """The class of what such a library gives: a figure, its axes, a line."""


def is_of_plots(module: object) -> bool:
    """Whether a module is one of matplotlib or the like.

    >>> is_of_plots("matplotlib.pyplot"), is_of_plots("matplotlib_venn")
    (True, False)
    """
    return str(module).partition(".")[0] in _SHOWING
