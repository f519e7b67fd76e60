"""Long loops of which the reverse sweep finds few iterations saved.

With three states, on the way from step 0 to step 10:

>>> next_kept(0, 10, 2), next_kept(4, 10, 1), next_kept(7, 10, 0)
(4, 7, 10)
"""

from __future__ import annotations

import math


def checkpoint(
    steps: range, every: int | None = None, slots: int | None = None
) -> range:
    """Return `steps`, for a loop of which the gradient keeps few states.

    `for k in ya.checkpoint(range(n))` is a plain loop when the function runs. The
    gradient keeps the state of about every sqrt(n)-th iteration, and computes the
    others again, one segment after the other.

    - `every`: the length of a segment.
    - `slots`: how many states are kept at once. The iterations between are computed
      again as seldom as so many states allow (binomial checkpointing).

    Raises ValueError where both are given, or one that is less than 1.
    """
    if every is not None and slots is not None:
        raise ValueError("checkpoint: every= and slots= exclude each other")
    if min(every or 1, slots or 1) < 1 or 0 in (every, slots):
        raise ValueError("checkpoint: every= and slots= are 1 or more")
    return steps


def next_kept(first: int, end: int, free: int) -> int:
    """The step before which the next state is kept, from that of `first` on to `end`.

    It is `end` if no state is, for `free` more can be. Steps are then repeated as
    seldom as can be (Griewank and Walther, Algorithm 799).
    """
    steps, turns = end - first, 1
    if free < 1 or steps < 2:
        return end
    while math.comb(free + 1 + turns, turns) < steps:
        turns += 1
    least = math.comb(free + turns - 1, turns - 1)
    return first + min(math.comb(free + turns, turns - 1), steps - least)
