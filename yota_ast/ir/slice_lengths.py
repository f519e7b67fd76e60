"""An axis and a stop -> the length of `x[:stop]`, and back.

>>> taken = up_to(Dim("x.shape[0]", 0, 5), 3)
>>> str(taken), taken.size, stopped(taken.base)
('min(x.shape[0], 3)', 3, ('x.shape[0]', 3))
>>> stopped("x.shape[0]")
"""

from __future__ import annotations

from yota_ast.ir.abstract_values import Dim, NamedLength


def up_to(axis: Dim, stop: int) -> Dim:
    """The length of `x[:stop]`."""
    if axis.base.startswith("@"):  # which cannot be computed where the text begins
        return Dim(f"@{axis}[:{stop}:]")
    size = axis.size
    if size is not None:  # what has a name is taken for long enough
        size = stop if isinstance(size, NamedLength) else min(size, stop)
    return Dim(f"min({axis}, {stop})", 0, size)


def stopped(base: str) -> tuple[str, int] | None:
    """The axis and the stop of such a length, by its name."""
    axis, _, stop = base.removeprefix("min(").rpartition(", ")
    if not (axis and base.startswith("min(")):
        return None
    return axis, int(stop.removesuffix(")"))
