"""What expressions are made of: texts with holes, by the shape of their value.

Holes: `{e}` a value of the same shape, `{s}` a number, `{v}` (3,), `{u}` (2,), `{m}`
(3, 2), `{n}` (2, 3), `{f}` (6,), `{t}` a test, `{k}` an int, `{2}` and `{3}` an index
into so many entries, `{c}` a literal number.

A mark in front: `~` the value may share memory with an operand; `!` complex numbers
would go through it wrongly.
"""

from __future__ import annotations

from typing import Final

Shape = tuple[int, ...]

S: Final[Shape] = ()
V: Final[Shape] = (3,)
U: Final[Shape] = (2,)
M: Final[Shape] = (3, 2)
N: Final[Shape] = (2, 3)
F: Final[Shape] = (6,)
SHAPES: Final[dict[str, Shape]] = {"s": S, "v": V, "u": U, "m": M, "n": N, "f": F}

ELEMENTWISE: Final = (
    "{e} + {e}", "{e} - {e}", "{e} * {e}", "{e} * {s}", "{s} * {e}", "{e} + {s}",
    "{e} / (1.5 + {e} * {e})", "-{e}", "np.sin({e})", "np.tanh({e})", "{c} * {e}",
    "np.exp(-{e} * {e})", "{e} ** 2", "np.sqrt(1.0 + {e} ** 2)", "!abs({e})",
    "1.0 - {e}", "{e} * 0.5 + {s}", "np.cos({e}) * {e}", "{e} / 2",
    "np.square({e})", "{s} / (2.5 + np.tanh({e}))", "{e} * {e} * {e}",
    "np.where({e} > {c}, {e}, {e})", "np.maximum({e}, {e})", "np.minimum({e}, {c})",
    "np.clip({e}, -0.8, 0.7)", "np.log1p({e} ** 2)", "np.arctan({e})",
    "np.hypot({e}, 1.0)", "np.arctan2({e}, 1.5)", "np.logaddexp({e}, {e})",
    "np.where({t}, {e}, {e})", "({e} if {t} else {e})", "np.multiply({e}, {e})",
    "(1 + {e} ** 2) ** 0.5", "+{e}", "!np.sign({e}) * {e}", "(1.5 + {e} ** 2) ** {s}",
    "np.exp({e} - 1)", "{e} * {k}",
)  # fmt: skip
ARRAYS: Final = (
    "{e}.copy()", "~{e}[::-1]", "{e} - np.mean({e})", "{e} / (1 + np.sum({e} ** 2))",
    "np.zeros_like({e}) + {s}", "{e} * ({e} > {c})", "np.array({e})", "~{e}[:]",
    "!np.nan_to_num({e})", "np.where({e} < {e}, {s}, {e})", "~np.asarray({e})",
    "np.ones_like({e}) * {s}", "np.full_like({e}, {s})", "{e}.clip(-0.9, 0.9)",
)  # fmt: skip
OF_SHAPE: Final[dict[Shape, tuple[str, ...]]] = {
    S: (
        "np.sum({v})", "np.mean({v} * {v})", "{v}[{3}]", "{u}[{2}]", "{m}[{3}, {2}]",
        "{v} @ {v}", "np.dot({u}, {u})", "np.max({v})", "({s} if {t} else {s})",
        "{v}.sum()", "np.sum({m} * {m})", "sum([{s}, {s}])", "np.trace({n} @ {m})",
        "!np.linalg.norm({v} + 2)", "np.prod({u})", "max({s}, {s})", "min({s}, {c})",
        "float({s})", "{v}[-1]", "len({v}) * {s}", "!np.var({v})", "{k} * {s}",
        "{m}[{3}][{2}]", "np.sum({v} > {c}) * {s}", "np.min({m})", "!np.vdot({v}, {v})",
        "{v}.mean()", "{c}", "sum(q * {s} for q in {u})", "{u} @ {n} @ {v}",
        "np.sum({m}[1:, 0])", "{m}.sum() * 0.3", "np.sum({v}[:2] * {u})", "1.0",
        "np.max(np.abs({v}) + 1)", "(lambda q: q * {s})({s})", "!np.std({v})",
        "np.array({s}) * {s}", "{v}.max()", "np.sum(np.where({v} > {c}, {v}, {s}))",
        "{v}.dot({v})", "np.inner({v}, {v})", "{v}[np.argmax({v})]", "{f}[4]",
        "!math.sin({s})", "!math.sqrt(1 + {s} ** 2)", "math.exp(-1.0) * {s}",
    ),
    V: (
        "{m} @ {u}", "np.sum({m}, axis=1)", "~{m}[:, {2}]", "np.cumsum({v})",
        "np.concatenate(({u}, {v}[:1]))", "{v}[[2, 0, 1]]", "{v}[[0, 0, 1]]",
        "np.array([{s}, {s}, {s}])", "np.roll({v}, 1)", "np.sort({v})",
        "np.outer({v}, {v})[{3}]", "np.append({u}, {s})", "np.full(3, {s})",
        "np.max({m}, axis=1)", "{m}.mean(axis=1)", "{u} @ {n}", "np.zeros(3)",
        "np.sum({m}, axis=1, keepdims=True)[:, 0]", "np.dot({m}, {u})",
        "np.array([q * {s} for q in {v}])", "np.stack([{s}, {s}, {s}])",
        "{m}[:, 0] * {m}[:, 1]", "~{n}[{2}]", "np.sum({n}, axis=0)", "np.ones(3) * {s}",
        "~{f}[::2]", "~{f}[3:]", "np.where({v} > {c}, {v}, {s})", "np.einsum('ij,j->i', {m}, {u})",
        "np.take({v}, [1, 2, 0])", "np.cross({v}, {v})", "~np.ravel({v})",
        "np.diff(np.append({v}, {s}))", "~{m}.T[{2}]", "{v}[np.argsort({v})]",
        "np.linspace(0.1, 1.0, 3) * {s}", "np.arange(3) * {s}", "np.hstack([{s}, {u}])",
        "np.diagonal(np.outer({v}, {v})) * 1.0", "{v} * np.array([1, 0, 2])",
    ),
    U: (
        "~{v}[1:]", "~{v}[:2]", "~{v}[::2]", "np.diff({v})", "~{m}[{3}]", "{n} @ {v}",
        "{m}.T @ {v}", "{v} @ {m}", "{m}.sum(axis=0)", "np.array([{s}, {s}])",
        "np.zeros(2)", "~{v}[-2:]", "np.mean({m}, axis=0)", "{m}[[0, 2], [1, 0]]",
        "~{f}[1:3]", "np.min({m}, axis=0)", "{v}[np.array([True, False, True])]",
        "np.array([{s} for q in range(2)])", "{v}[1:] * {v}[:-1]", "~{n}[:, {3}]",
    ),
    M: (
        "np.outer({v}, {u})", "~{n}.T", "{m} * {u}", "{m} * {v}[:, None]",
        "np.stack([{v}, {v}], axis=1)", "~{f}.reshape(3, 2)", "np.vstack([{u}, {u}, {u}])",
        "np.zeros((3, 2))", "{m} - np.mean({m}, axis=0)", "{m}[[2, 0, 1]]",
        "np.column_stack(({v}, {v}))", "np.tile({u}, (3, 1))", "{m} + {v}.reshape(-1, 1)",
        "np.array([{u}, {u}, {u}])", "~np.reshape({f}, (3, 2))", "np.cumsum({m}, axis=0)",
        "~np.transpose({n})", "{m} / (2 + np.max({m}, axis=1, keepdims=True))",
        "np.concatenate(({m}[1:], {m}[:1]))", "np.array([[{s}, {s}], [{s}, {s}], [{s}, 0.5]])",
    ),
    N: (
        "~{m}.T", "np.outer({u}, {v})", "np.stack([{v}, {v}])", "~np.transpose({m})",
        "~{f}.reshape(2, 3)", "np.array([{v}, {v}])", "{n} * {v}", "{n} + {u}[:, None]",
        "~{m}.reshape(2, -1)", "np.zeros((2, 3))",
    ),
    F: (
        "~{m}.ravel()", "~{m}.reshape(-1)", "np.concatenate([{v}, {v}])", "{n}.flatten()",
        "np.hstack(({v}, {v}))", "~{n}.reshape(6)", "np.zeros(6)", "np.repeat({v}, 2)",
        "np.kron({u}, {v})",
    ),
}  # fmt: skip
TESTS: Final = (
    "{s} > {c}", "{s} * {s} < 0.4", "{k} > 1", "np.sum({v}) > 0.5", "not {s} > 0.2",
    "{s} > {c} and {s} < {c}", "{s} > {c} or {s} < {c}", "-0.3 < {s} < 0.6",
    "np.any({v} > 0.5)", "np.all({u} < 0.7)", "{s} < {s} + 0.1", "{v}[{3}] > {c}",
    "abs({s}) > 0.3", "{v}.max() > {c}", "{k} % 2 == 0", "{s} > {c}", "len({v}) > 2",
    "{k} in (0, 2)", "{s} != {c}", "({s} > {c}) == ({s} > {c})",
)  # fmt: skip
# Tests that change something, in calls at the places of `@` and `%`.
CHANGING: Final = (
    "@ > {c}", "@ < {c}", "{t} and @ > {c}", "{s} > {c} or @ < {c}",
    "@ > {c} and % < 0.9", "@ < {c} or % > {c}", "not @ > {c}", "-0.3 < @ < 0.8",
)  # fmt: skip
# Where no name is of a shape; the first also where there are no names at all.
FRESH: Final[dict[Shape, tuple[str, ...]]] = {
    S: ("0.5", "1.5"), V: ("np.zeros(3)", "np.full(3, {s})"),
    U: ("np.ones(2)", "{v}[1:]", "{v}[:2]", "np.array([{s}, {s}])"),
    M: ("np.zeros((3, 2))", "np.outer({v}, {v}[1:])", "np.full((3, 2), {s})"),
    N: ("np.ones((2, 3))", "np.stack([{v}, {v}])"),
    F: ("np.zeros(6)", "np.repeat({v}, 2)", "np.concatenate([{v}, {v}])"),
}  # fmt: skip
NAMES: Final[dict[Shape, tuple[str, ...]]] = {
    S: ("s", "t", "r"), V: ("y", "z", "v"), U: ("u", "g"), M: ("h", "m"), N: ("p",),
    F: ("f",),
}  # fmt: skip
