"""A fact -> how many bytes a value takes, in symbols where lengths are not known.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim, literal_dim
>>> print(size_of(array_fact("f8", (Dim("x.shape[0]", 0, 20), literal_dim(3))), "y"))
480 B
>>> print(size_of(array_fact("f4", (Dim("x.shape[0]"), literal_dim(3))), "y"))
12 * x.shape[0] B
>>> print(size_of(array_fact(None, None), "y"))
y.nbytes
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.abstract_values import Fact, keys_of_items
from yota_ast.ir.axis_lengths import Dim
from yota_ast.syntax.value_paths import axis_text, item_text
from yota_ast.tools.report.open_lengths import length_of

NOTHING: Final[Mapping[str, int]] = {}
_SCALARS: Final = {"float": 8, "int": 8, "bool": 1, "complex": 16}
_UNITS: Final = ("B", "kB", "MB", "GB", "TB")
_THOUSAND: Final = 1000


@dataclass(frozen=True, slots=True)
class Size:
    """A number of bytes, and in symbols what depends on lengths that are not known."""

    count: int = 0
    symbols: tuple[str, ...] = ()

    def __str__(self) -> str:
        number = [bytes_text(self.count)] if self.count or not self.symbols else []
        return " + ".join([*number, *self.symbols])

    @property
    def brief(self) -> str:
        """The same in a few words."""
        if not self.symbols:
            return str(self)
        more = f"{len(self.symbols)} of unknown size"
        return f"{bytes_text(self.count)} + {more}" if self.count else more


def bytes_text(count: float) -> str:
    """A number of bytes as people read it.

    >>> bytes_text(960), bytes_text(15_360), bytes_text(2_400_000)
    ('960 B', '15.4 kB', '2.4 MB')
    """
    unit = 0
    while count >= _THOUSAND and unit + 1 < len(_UNITS):
        count, unit = count / _THOUSAND, unit + 1
    number = f"{count:.0f}" if not unit else f"{count:.1f}".removesuffix(".0")
    return f"{number} {_UNITS[unit]}"


def size_of(fact: Fact, name: str, known: Mapping[str, int] = NOTHING) -> Size:
    """How many bytes of data a value called `name` holds.

    known: lengths of axes that the fact leaves open.
    """
    if fact.kind in _SCALARS:
        return Size(_SCALARS[fact.kind])
    if fact.items is not None and fact.kind in ("tuple", "list"):
        return added(
            [
                size_of(f, item_text(name, k), known)
                for k, f in zip(keys_of_items(fact), fact.items, strict=True)
            ]
        )
    if fact.dtype is None or not isinstance(fact.shape, tuple):
        is_array = fact.kind in ("array", "scalar", "real")
        return Size(symbols=(f"{name}.nbytes" if is_array else f"all in {name}",))
    count, factors = fact.dtype.itemsize, list[str]()
    for axis, dim in enumerate(fact.shape):
        length = length_of(dim, known)
        if length is not None:
            count *= length
        else:
            factors.append(_length(dim, name, axis))
    if not factors:
        return Size(count)
    return Size(symbols=(" * ".join([str(count), *factors]) + " B",))


def shape_text(fact: Fact, name: str, known: Mapping[str, int] = NOTHING) -> str:
    """The shape of a value, lengths as numbers where they are known.

    >>> from yota_ast.ir.abstract_values import array_fact
    >>> shape_text(array_fact("f8", (Dim("x.shape[0]", 0, 20), Dim("@4[1]"))), "y")
    '(20, y.shape[1])'
    """
    if not isinstance(fact.shape, tuple):
        return "" if fact.shape is None else f"{name}.shape"
    sizes = [(length_of(d, known), d, axis) for axis, d in enumerate(fact.shape)]
    lengths = [_length(d, name, k) if n is None else str(n) for n, d, k in sizes]
    return f"({lengths[0]},)" if len(lengths) == 1 else f"({', '.join(lengths)})"


def _length(dim: Dim | None, name: str, axis: int) -> str:
    if dim is None or dim.base.startswith("@"):
        return axis_text(name, axis)
    return f"({dim})" if dim.offset else str(dim)


def added(sizes: Iterable[Size]) -> Size:
    """The sum of sizes."""
    sizes = list(sizes)
    symbols = tuple(symbol for size in sizes for symbol in size.symbols)
    return Size(sum(size.count for size in sizes), symbols)


def times(size: Size, count: int | None, text: str) -> Size:
    """A size as often as loops turn: a number, or what the text calls it.

    >>> print(times(Size(64, ("n B",)), 20, ""), times(Size(64), None, "turns"))
    1.3 kB + 20 * n B turns * 64 B
    """
    if count == 1:
        return size
    if count is not None:
        factor = (f"{count} * {symbol}" for symbol in size.symbols)
        return Size(size.count * count, tuple(factor))
    known = [bytes_text(size.count)] if size.count else []
    return Size(symbols=tuple(f"{text} * {s}" for s in [*known, *size.symbols]))
