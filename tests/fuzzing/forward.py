"""The tangent of a program -> whether it is what its gradient says.

Along the directions in which differences were taken: <dy, dval> is the sum of <dx, v>
over the arguments.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import yota_ast as ya
from tests.adjoint.checking import inner, same_bits
from yota_ast.errors import InternalError, YotaError


def wrong_tangent(
    fn: Callable[..., Any],
    args: Sequence[Any],
    directions: Mapping[int, Any],
    expected: tuple[Any, Any, Sequence[tuple[int, float, float]]],
) -> tuple[str, str] | None:
    """What is wrong with `jvp` of a function, if something is: the kind, and what was
    seen. expected: the value, the seed, and of each argument <dx, v> and its size; what
    is not finite tells nothing. A refusal is none of its faults."""
    value, dy, parts = expected
    total, size = sum(got for _, got, _ in parts), sum(s for _, _, s in parts)
    if not math.isfinite(total):
        return None
    along = [directions.get(k) for k in range(len(args))]
    try:
        found, dvalue = ya.jvp(fn)(*copy.deepcopy(list(args)), *copy.deepcopy(along))
    except InternalError:
        raise
    except YotaError:
        return None
    except Exception as error:
        return "forward raised", repr(error)[:300]
    if not same_bits(found, value):
        return "forward primal", f"{found!r}, not {value!r}"
    tangent = inner(dvalue, dy)
    if math.isfinite(tangent) and abs(tangent - total) <= 1e-8 * max(size, 1e-3):
        return None
    return "tangent", f"{tangent!r}, the gradient says {total!r}"
