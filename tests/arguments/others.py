"""An example of an argument -> other things that may be given in its place.

>>> sorted(dict(others(2.0)))[:3]
['0-d', 'None', 'array']
"""

import copy
import re
import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np


def others(value: Any) -> Iterator[tuple[str, Any]]:
    """The names of the kinds of other things, and these."""
    if isinstance(value, np.ndarray):
        yield from of_array(value)
    elif isinstance(value, bool) or value is None:
        yield from [
            ("array", np.ones(3)),
            ("number", 0.5),
            ("list", [0.5]),
            ("str", "a"),
        ]
    elif isinstance(value, (int, float)):
        yield from of_number(value)
    elif isinstance(value, dict):
        yield from of_dict(value)
    elif isinstance(value, (list, tuple)):
        yield from of_list(value)
    else:
        yield from of_object(value)


ODD = [
    ("None", None),
    ("str", "2"),
    ("dict", {}),
    ("object", object()),
    ("function", len),
]


ALONE = re.compile(r"(.*: )?(matrix|masked|complex|complex64|bool_)$")
"""The kinds that bare functions and files do not tell from numbers and arrays."""


def of_number(x: float) -> Iterator[tuple[str, Any]]:
    yield from ODD
    yield from [
        ("int", 2),
        ("negative", -1),
        ("zero", 0),
        ("bool", True),
        ("float64", np.float64(1.4)),
        ("float32", np.float32(1.25)),
        ("int64", np.int64(2)),
        ("uint8", np.uint8(2)),
        ("bool_", np.bool_(True)),
        ("half", 0.5),
        ("0-d", np.array(1.4)),
        ("array", np.array([0.4, 0.5, 0.6])),
        ("one", np.array([0.4])),
        ("table", np.ones((2, 2))),
        ("none of", np.ones(0)),
        ("list", [0.4, 0.5]),
        ("tuple", (0.4,)),
        ("complex", 1.0 + 0.5j),
        ("complex64", np.complex64(1.0 + 0.5j)),
        ("complexes", np.array([1j, 2.0])),
    ]


def of_array(x: Any) -> Iterator[tuple[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matrix = np.matrix(np.atleast_2d(x)) if x.ndim <= 2 else x
    yield from ODD
    yield from [
        ("list", x.tolist()),
        ("rows", list(x) if x.ndim else [x]),
        ("tuple", tuple(x.ravel())),
        ("float", 1.3),
        ("int", 2),
        ("float64", np.float64(1.4)),
        ("0-d", np.array(1.4)),
        ("integers", np.ceil(x).astype(int)),
        ("bytes", np.ceil(x).astype(np.uint8)),
        ("bools", x > 1),
        ("big-endian", x.astype(x.dtype.newbyteorder(">"))),
        ("float32", x.astype("f4")),
        ("float16", x.astype("f2")),
        ("longdouble", x.astype(np.longdouble)),
        ("complex", x + 0.5j),
        ("objects", x.astype(object)),
        ("strings", x.astype(str)),
        ("matrix", matrix),
        ("masked", np.ma.masked_array(x, np.arange(x.size).reshape(x.shape) == 1)),
        ("turned", x[::-1] if x.ndim else x),
        ("fortran", np.asfortranarray(x)),
        ("deeper", x[None]),
        ("deeper, last", x[..., None]),
        ("flat", x.ravel()),
        ("first", x[0] if x.ndim else x),
        ("none", x[:0] if x.ndim else x),
        ("shorter", x[:1] if x.ndim else x),
        ("longer", np.concatenate([x, x]) if x.ndim else x),
        ("no columns", x[..., :0] if x.ndim else x),
        ("one column", x[..., :1] if x.ndim else x),
        ("wider", np.concatenate([x, x], axis=-1) if x.ndim else x),
        ("transposed", x.T),
    ]


def of_list(p: Any) -> Iterator[tuple[str, Any]]:
    yield from ODD
    cls = type(p)
    yield from [
        ("longer", cls([*p, *p[:1]])),
        ("shorter", p[:-1]),
        ("none", cls()),
        ("number", 0.5),
        ("tuple", tuple(p)),
        ("list", list(p)),
        ("reversed", p[::-1]),
        ("by number", dict(enumerate(p))),
        ("letters", "ab"),
    ]
    if all(isinstance(v, (int, float)) for v in p):
        yield "array", np.array(p)
        yield "columns", np.array(p)[:, None]
    for k, v in enumerate(p):
        for name, other in others(v):
            yield f"{k}: {name}", cls([*p[:k], other, *p[k + 1 :]])


def of_dict(p: Any) -> Iterator[tuple[str, Any]]:
    yield from ODD
    keys = list(p)
    yield "reversed", {k: p[k] for k in keys[::-1]}
    yield "less", {k: p[k] for k in keys[1:]}
    yield "more", {**p, "other": 2.0}
    yield "renamed", {**{k: p[k] for k in keys[1:]}, "other": p[keys[0]]}
    yield "list", list(p.values())
    yield "of keys", keys
    for k, v in p.items():
        for name, other in others(v):
            yield f"{k}: {name}", {**p, k: other}


class Empty:
    pass


def of_object(o: Any) -> Iterator[tuple[str, Any]]:
    yield from ODD
    yield "number", 0.5
    fields = vars(o)
    yield "fields", SimpleNamespace(**fields)
    for name in fields:
        less = copy.copy(o)
        delattr(less, name)
        yield f"without {name}", less
        for kind, other in others(fields[name]):
            changed = copy.copy(o)
            setattr(changed, name, other)
            yield f"{name}: {kind}", changed
    more = copy.copy(o)
    more.other = 2.0
    yield "more", more
