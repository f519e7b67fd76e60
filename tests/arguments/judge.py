"""What generated code gives for arguments -> what is wrong with it, or nothing.

It is right, raises a ValueError, or the error of the function itself.
"""

import copy
import warnings
from typing import Any

import numpy as np

STEP = 1e-5


def verdict(f: Any, fn: Any, args: tuple, kwargs: dict, wrt: tuple[str, ...]) -> str:
    """What is wrong with what `fn` gives; wrt: the names of what it is of."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        want = outcome(f, args, kwargs)
        got = outcome(fn, args, kwargs)
        if isinstance(got, ValueError):
            return ""
        if isinstance(got, Exception):
            return "" if type(got) is type(want) else f"{type(got).__name__}: {got}"
        if isinstance(want, Exception):
            return f"no {type(want).__name__}"
        return compared(f, args, kwargs, want, got, wrt)


def outcome(f: Any, args: tuple, kwargs: dict) -> Any:
    """The value of a call, or the error."""
    args, kwargs = copy.deepcopy((args, kwargs))
    try:
        return f(*args, **kwargs)
    except Exception as error:
        return error


def compared(f: Any, args: tuple, kwargs: dict, want: Any, got: tuple, wrt: Any) -> str:
    value, *gradients = got
    if np.asarray(value).dtype.kind not in "biuf" or np.ma.isMaskedArray(value):
        return f"a value {value!r}"
    if np.shape(value) != () or np.shape(want) != ():
        return f"a value of shape {np.shape(value)} without a seed"
    if not np.allclose(value, want, equal_nan=True):
        return f"value {value}, should be {want}"
    given = dict(zip(names_of(f, args), args, strict=False)) | kwargs
    for name, gradient in zip(wrt, gradients, strict=True):
        if name not in given:
            continue
        found = parts(gradient, given[name])
        for path, leaf in leaves(given[name]):
            wrong = wrong_part(f, args, kwargs, name, path, leaf, found)
            if wrong:
                return f"gradient of {name}{path}: {wrong}"
    return ""


def names_of(f: Any, args: tuple) -> list[str]:
    code = f.__code__
    return list(code.co_varnames[: code.co_argcount])


def leaves(value: Any, path: tuple = ()) -> Any:
    """The numbers and arrays in a value, by where they are."""
    if isinstance(value, dict):
        for k, v in value.items():
            yield from leaves(v, (*path, k))
    elif isinstance(value, (list, tuple)):
        for k, v in enumerate(value):
            yield from leaves(v, (*path, k))
    elif hasattr(value, "__dict__") and not isinstance(value, (np.ndarray, type)):
        for k, v in vars(value).items():
            yield from leaves(v, (*path, k))
    elif isinstance(value, (bool, int, float, complex, np.ndarray, np.generic)):
        yield path, value


def parts(gradient: Any, argument: Any) -> Any:
    """What finds a part of a gradient."""

    def find(path: tuple) -> Any:
        found, at = gradient, argument
        if isinstance(found, dict) and not isinstance(at, dict):
            return found.get(path)  # of an object
        for k in path:
            found = found[k]
        return found

    return find


def wrong_part(f, args, kwargs, name, path, leaf, find) -> str:
    leaf = np.asarray(leaf)
    if leaf.dtype.kind not in "biuf":
        return f"of a {leaf.dtype}"
    try:
        found = find(path)
    except (KeyError, IndexError, TypeError) as error:
        return f"is not there: {type(error).__name__} {error}"
    if found is None:
        return ""
    if np.shape(found) != leaf.shape:
        return f"shape {np.shape(found)}, should be {leaf.shape}"
    found = np.asarray(found)
    if found.dtype.kind != "f":
        return f"{found.dtype}"
    held = [np.asarray(v) for _, v in leaves((args, kwargs))]
    digits = min([8, *(v.dtype.itemsize for v in held if v.dtype.kind == "f")])
    tolerance = {2: 2e-2, 4: 1e-3}.get(digits, 1e-4)
    want = np.zeros(leaf.shape)
    for index in np.ndindex(leaf.shape):
        ends = []
        for sign in (1, -1):
            moved = leaf.astype(float)
            moved[index] += sign * STEP
            end = outcome(f, *replaced(f, args, kwargs, name, path, moved))
            if isinstance(end, Exception):
                return ""  # whole numbers that the function needs
            ends.append(end)
        want[index] = (ends[0] - ends[1]) / (2 * STEP)
    if np.max(np.abs(want), initial=abs(ends_of(f, args, kwargs))) > 1e6:
        return ""  # a jump, or bytes, which have no sign
    scale = max(1.0, np.max(np.abs(want), initial=0.0))
    if not np.allclose(
        found, want, atol=tolerance * scale, rtol=tolerance, equal_nan=True
    ):
        return f"{found.tolist()}, should be {want.tolist()}"
    return ""


def ends_of(f, args, kwargs) -> float:
    value = outcome(f, args, kwargs)
    return 0.0 if isinstance(value, Exception) else float(value)


def replaced(f, args, kwargs, name, path, new) -> tuple:
    """The arguments with other numbers at a place."""
    args, kwargs = doubles(list(args)), doubles(dict(kwargs))
    where = kwargs if name in kwargs else args
    key = name if name in kwargs else names_of(f, args).index(name)
    where[key] = put(where[key], path, new if new.ndim else float(new))
    return tuple(args), kwargs


def doubles(value: Any) -> Any:
    """A copy in which all floats have the digits of Python's."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(doubles, value))
    if isinstance(value, dict):
        return {k: doubles(v) for k, v in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.astype(float)
    if isinstance(value, np.floating):
        return float(value)
    value = copy.copy(value)
    if hasattr(value, "__dict__") and not isinstance(value, (np.ndarray, type)):
        for k, v in vars(value).items():
            setattr(value, k, doubles(v))
    return value


def put(value: Any, path: tuple, new: Any) -> Any:
    if not path:
        return new
    first, *rest = path
    if isinstance(value, tuple):
        value = [*value]
        value[first] = put(value[first], tuple(rest), new)
        return tuple(value)
    if isinstance(value, (dict, list)):
        value[first] = put(value[first], tuple(rest), new)
    else:
        setattr(value, first, put(getattr(value, first), tuple(rest), new))
    return value
