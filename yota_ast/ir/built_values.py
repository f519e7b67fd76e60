"""Values that the compiler builds: what a tape calls for a list, a dict or a slice.

>>> build_list(1, 2), build_dict("a", 1), builds(build_slice)
([1, 2], {'a': 1}, True)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from yota_ast.ir.atoms import Const
from yota_ast.support.value_classes import is_record


def build_tuple(*items: object) -> tuple[object, ...]:
    """`(a, b)`."""
    return items


def build_list(*items: object) -> list[object]:
    """`[a, b]`."""
    return list(items)


def build_dict(*keys_and_values: object) -> dict[object, object]:
    """`{k: v}`, keys and values by turns."""
    return dict(zip(keys_and_values[::2], keys_and_values[1::2], strict=True))


def build_slice(start: object, stop: object, step: object) -> slice:
    """`start:stop:step` within a subscript."""
    return slice(start, stop, step)


def build_string(*parts: object) -> str:
    """An f-string: strings, and values already formatted."""
    return "".join(str(p) for p in parts)


def replaced(record: object, **items: object) -> object:
    """A tuple whose items have names, with others in their place."""
    replace: Callable[..., object] = record._replace  # type: ignore[attr-defined]
    return replace(**items)


def handed(saved: object) -> object:
    """What a reverse sweep is handed, to be taken apart: `h, t1 = saved`."""
    return saved


ALL_BUT_LAST: Final = Const(slice(None, -1))
"""The index of what is left of a list when its last item is taken."""
BUILDERS: Final = (build_tuple, build_list, build_dict, build_slice, build_string)


def builds(fn: object) -> bool:
    """Whether the result of an op is made of its arguments as they are."""
    return fn in BUILDERS or is_record(fn)
