"""A value, its gradient -> the value moved against it, in place where it can be.

A path is a tuple of attribute names and of keys of containers, from the value to the
leaf: `("layers", 0, "W")` for `m.layers[0].W`, `()` for the value itself.

>>> import numpy as np
>>> layer = {"W": np.ones(2), "name": "first"}
>>> update(layer, {"W": np.array([1.0, 2.0]), "name": None})["W"]
array([ 0., -1.])
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from yota_ast.api.values.leaves import is_leaf, is_named_tuple
from yota_ast.errors import ShapeError, YotaError
from yota_ast.support.array_classes import is_array
from yota_ast.support.tracebacks import public
from yota_ast.syntax.names import is_plain
from yota_ast.syntax.value_literals import shown_key

Path = tuple[object, ...]
Updater = Callable[[Any, Any], Any]


@public
def update(
    m: Any,
    g: Any,
    updater: Updater | None = None,
    *,
    ignore: Iterable[object] = (),
) -> Any:
    """Move `m` against its gradient.

    Each array or number x in `m` with gradient gx becomes `updater(x, gx)`, by default
    `x - gx`. Arrays are written in place and keep their dtype. Numbers and tuples are
    replaced in their field, list or dict. Returns `m`, or its new value if `m` is a
    number or a tuple. A NamedTuple keeps its type. An array that several paths reach is
    updated by each of their gradients.

    ignore: paths, or beginnings of paths, to leave unchanged: `"W"`, `("layer", "b")`.

    Raises YotaError for a path that `m` does not have, and for a field that cannot be
    replaced, as of a frozen dataclass. Raises ShapeError for a gradient of another
    shape. Nothing is changed before these errors, except if `updater` returns a wrong
    shape.
    """
    ignored = [_as_path(p) for p in ([ignore] if isinstance(ignore, str) else ignore)]
    for path in ignored:
        walk_path(m, path)
    changes = [
        (path, gx)
        for path, gx in leaf_gradients(m, g)
        if gx is not None and not any(path[: len(p)] == p for p in ignored)
    ]
    for path, gx in changes:
        _check_change(m, path, gx)
    for path, gx in changes:
        m = _change(m, path, gx, updater or _descend, ())
    return m


def _descend(x: Any, gx: Any) -> Any:
    return x - gx


def _as_path(path: object) -> Path:
    return path if isinstance(path, tuple) else (path,)


def leaf_gradients(
    m: object, g: object, at: Path = ()
) -> Iterator[tuple[Path, object]]:
    """Flatten a gradient into those of the leaves."""
    if g is None:
        return
    if hasattr(g, "tape"):  # a GradientResult, which is no gradient of anything
        raise YotaError(
            "update takes the gradient of one argument, but got those of all arguments",
            remedy="Write update(m, g[0]).",
        )
    if is_leaf(m):
        yield at, g
    elif isinstance(m, (tuple, list)):
        if not isinstance(g, (tuple, list)) or len(g) != len(m):
            raise ShapeError(_mismatch(at, _size(g), _size(m)))
        for k, (part, gradient) in enumerate(zip(m, g, strict=True)):
            yield from leaf_gradients(part, gradient, (*at, k))
    elif not isinstance(g, Mapping):
        raise ShapeError(_mismatch(at, _size(g), _size(m)))
    elif isinstance(m, dict):
        for k, gradient in g.items():
            if k not in m:
                raise _no_path(m, (*at, k), len(at))
            yield from leaf_gradients(m[k], gradient, (*at, k))
    else:
        for path, gradient in g.items():
            yield (*at, *_as_path(path)), gradient


def _check_change(m: Any, path: Path, gx: Any) -> None:
    """Raise unless the leaf is there, has its gradient's shape, and can be replaced."""
    *parents, leaf = walk_path(m, path)
    if not is_leaf(leaf):
        raise YotaError(f"{_spell(path)} is {_size(leaf)}, not an array or a number")
    if np.shape(gx) != np.shape(leaf):
        raise ShapeError(_mismatch(path, _size(gx), _size(leaf)))
    if _is_writable(leaf):
        return
    for depth in range(len(parents) - 1, -1, -1):
        _check_replaceable(parents[depth], path, depth)
        if not isinstance(parents[depth], tuple):
            return


def _check_replaceable(parent: Any, path: Path, depth: int) -> None:
    """Raise unless one step of `parent` can be bound to another value."""
    step = path[depth]
    if isinstance(parent, (tuple, list, dict)) or not _is_frozen(parent, str(step)):
        return
    raise YotaError(
        f"cannot replace {_spell(path)}: {type(parent).__name__} is a frozen object",
        remedy="Keep numbers in arrays, which are updated in place, or use "
        "dataclasses.replace.",
    )


def _is_frozen(parent: object, name: str) -> bool:
    params = getattr(type(parent), "__dataclass_params__", None)
    if params is not None and params.frozen:
        return True
    found = getattr(type(parent), name, None)
    return isinstance(found, property) and found.fset is None


def _is_writable(leaf: Any) -> bool:
    """Whether a leaf is updated in place: an array, unless it forbids it.

    An array with `x.at[i].set(v)` in the place of `x[i] = v`, as JAX has, forbids it.
    """
    if not is_array(leaf) or not hasattr(leaf, "__setitem__") or hasattr(leaf, "at"):
        return False
    return bool(getattr(getattr(leaf, "flags", None), "writeable", True))


def _change(m: Any, path: Path, gx: object, updater: Updater, at: Path) -> Any:
    """Update one leaf; return what takes the place of `m`, mostly `m` itself."""
    if not path:
        return _updated(m, gx, updater, at)
    step: Any = path[0]
    rest = path[1:]
    old = _step(m, step)
    new = _change(old, rest, gx, updater, (*at, step))
    if new is old:
        return m
    if isinstance(m, tuple):
        return _with_item(m, step, new)
    if isinstance(m, (list, dict)):
        m[step] = new
    else:
        setattr(m, str(step), new)
    return m


def _with_item(m: tuple[Any, ...], step: Any, new: Any) -> tuple[Any, ...]:
    """A tuple with another item; step: its position, or its name."""
    if isinstance(step, str) or is_named_tuple(m):
        fields: tuple[str, ...] = m._fields  # type: ignore[attr-defined]
        name = step if isinstance(step, str) else fields[step]
        replaced: tuple[Any, ...] = m._replace(**{name: new})  # type: ignore[attr-defined]
        return replaced
    index = operator.index(step) % len(m)
    return (*m[:index], new, *m[index + 1 :])


def _updated(leaf: Any, gx: object, updater: Updater, at: Path) -> Any:
    """Return the leaf's new value: the leaf itself where it was written in place."""
    new = updater(leaf, gx)
    if np.shape(new) != np.shape(leaf):
        raise ShapeError(
            f"{_spell(at)} is {_size(leaf)}, but the updater returns {_size(new)}"
        )
    if _is_writable(leaf):
        _write(leaf, new, at)
        return leaf
    if isinstance(leaf, np.generic):
        return leaf.dtype.type(_cast(new, leaf.dtype, at))
    if is_array(leaf):
        return _cast(new, leaf.dtype, at)
    return type(leaf)(new) if isinstance(leaf, (float, complex)) else new


def _write(leaf: Any, new: Any, at: Path) -> None:
    if new is not leaf:
        leaf[...] = _cast(new, leaf.dtype, at)


def _cast(new: Any, dtype: np.dtype[Any], at: Path) -> Any:
    """Return `new` in the leaf's dtype; float64 may become float32, never an int."""
    if not hasattr(new, "dtype"):
        new = np.asarray(new)
    if new.dtype == dtype:
        return new
    if not np.can_cast(new.dtype, dtype, "same_kind"):
        raise YotaError(f"{_spell(at)} holds {dtype}: it cannot become {new.dtype}")
    return new.astype(dtype)[()]


# ---------------------------------------------------------------- paths


def _step(value: Any, step: Any) -> Any:
    """Go one step: a key of a container, else an attribute."""
    fields = is_named_tuple(value) and isinstance(step, str)
    if isinstance(value, (tuple, list, dict)) and not fields:
        return value[step]
    return getattr(value, step)


def walk_path(m: object, path: Path) -> list[Any]:
    """Return the values on a path, from `m` to the leaf; raise where there is none."""
    values: list[Any] = [m]
    for depth, step in enumerate(path):
        try:
            values.append(_step(values[-1], step))
        except (AttributeError, LookupError, TypeError):
            raise _no_path(values[-1], path, depth) from None
    return values


def _no_path(value: object, path: Path, depth: int) -> YotaError:
    where = f" of {_spell(path[:depth])}" if depth else ""
    kind = type(value).__name__
    step = f"no {shown_key(path[depth])}"
    return YotaError(
        f"there is no path {shown_key(path)}: the {kind}{where} has {step}"
    )


def _spell(path: Path) -> str:
    if not path:
        return "the value"
    steps = (f".{s}" if is_plain(s) else f"[{shown_key(s)}]" for s in path)
    return "".join(steps).removeprefix(".")


def _mismatch(path: Path, got: str, expected: str) -> str:
    return f"{_spell(path)} is {expected}, its gradient {got}"


def _size(value: object) -> str:
    """Say what a value is, for messages."""
    text = type(value).__name__
    if is_array(value):
        array: Any = value
        text = f"array of shape {array.shape}"
    elif isinstance(value, (tuple, list)):
        text = f"{text} of {len(value)}"
    return f"{'an' if text[0] in 'aeiouAEIOU' else 'a'} {text}"
