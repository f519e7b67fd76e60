"""`np.einsum` undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.numpy.broadcast_adjoints import unbroadcast
from yota_ast.runtime.numpy.complex_parts import conjugate, real_like

Array = Any


def spelled_out(subscripts: str, ranks: Any) -> tuple[list[str], str]:
    """The labels of operands and result of an einsum, with no ellipsis left.

    >>> spelled_out("...i,i", [3, 1])
    (['ABi', 'i'], 'AB')
    """
    given, arrow, output = subscripts.replace(" ", "").partition("->")
    inputs = given.split(",")
    free = [chr(c) for c in range(65, 91) if chr(c) not in subscripts]
    dots = [max(n - len(s.replace("...", "")), 0) for s, n in zip(inputs, ranks)]
    every = "".join(free[: max(dots)])
    for k, labels in enumerate(inputs):
        inputs[k] = labels.replace("...", every[len(every) - dots[k] :])
    if not arrow:
        once = [c for c in sorted(set(given)) if c.isalpha() and given.count(c) == 1]
        output = "..." + "".join(once)
    return inputs, output.replace("...", every)


def uneinsum(dy: Array, subscripts: str, operands: Any) -> list[Array]:
    """The adjoints of the operands of `einsum(subscripts, *operands)`."""
    inputs, output = spelled_out(subscripts, [np.ndim(x) for x in operands])
    adjoints = []
    for k, labels in enumerate(inputs):
        x = operands[k]
        others = [*inputs[:k], *inputs[k + 1 :], output]
        arrays = [conjugate(a) for a in (*operands[:k], *operands[k + 1 :])] + [dy]
        single = "".join(dict.fromkeys(labels))
        for c in single:  # ones for what was summed, or met axes of length 1
            n = np.shape(x)[labels.index(c)]
            met = [np.shape(a)[s.index(c)] for s, a in zip(others, arrays) if c in s]
            if n not in met:
                others.append(c)
                arrays.append(np.ones_like(x, shape=n))
        d = np.einsum(",".join(others) + "->" + single, *arrays)
        dx = np.zeros_like(x, dtype=np.result_type(x, d, np.float16))
        # all of it, or a view
        diagonal = dx if labels == single else np.einsum(f"{labels}->{single}", dx)
        diagonal[...] = unbroadcast(d, diagonal)
        adjoints.append(real_like(dx, x)[()])
    return adjoints


def reeinsum(dz: Any, dy: Array, subscripts: str, operands: Any) -> Any:
    """The adjoints of `dy` and of the operands in `uneinsum(dy, subscripts, ...)`."""
    ddy, adjoints = 0.0, [np.zeros_like(x) for x in operands]
    for k in range(len(operands)):
        given = [*operands[:k], dz[k], *operands[k + 1 :]]
        ddy = ddy + np.einsum(subscripts, *given)
        for j, d in enumerate(uneinsum(dy, subscripts, given)):
            if j != k:
                adjoints[j] = adjoints[j] + real_like(d, operands[j])
    return ddy, adjoints


def uneinsum_of_lists(dy: Array, parts: Any) -> list[Any]:
    """The adjoints of the arguments of `einsum(u, [0, 1], v, [1, 2], [0, 2])`."""
    given = [*parts[1::2], *parts[2 * (len(parts) // 2) :]]
    texts = [
        "".join(
            "..." if k is Ellipsis else chr(65 + k if k < 26 else 71 + k)
            for k in labels
        )
        for labels in given
    ]
    operands = parts[: 2 * (len(parts) // 2) : 2]
    subscripts = ",".join(texts[: len(operands)])
    if len(parts) % 2:
        subscripts = subscripts + "->" + texts[-1]
    adjoints = uneinsum(dy, subscripts, operands)
    paired = [part for d in adjoints for part in (d, None)]
    return paired + [None] * (len(parts) % 2)
