"""An argument, what is given as its tangent -> why that is refused.

>>> print(of_other_structure("p", "list", 2))
jvp: the tangent of 'p' must be a list of 2 items
Give a tangent for each item of the argument, None if it is fixed.
"""

from __future__ import annotations

from yota_ast.errors import ShapeError, YotaError


def does_not_vary(name: str, kind: str) -> YotaError:
    """Why an argument has no tangent: what is whole, or no number."""
    return YotaError(
        f"jvp: {name!r} is of type {kind}, which has no tangent",
        remedy="Give None in the place of its tangent.",
    )


def of_other_shape(name: str, given: object, wanted: object) -> ShapeError:
    """Why a tangent is not that of its argument: the shapes differ."""
    return ShapeError(
        f"jvp: the tangent of {name!r} has shape {given}, but {name!r} has "
        f"shape {wanted}",
        remedy="Give it the shape of its argument, or None.",
    )


def of_other_numbers(name: str, given: str) -> YotaError:
    """Why a tangent is not that of its argument: of complex numbers, or of none."""
    return YotaError(
        f"jvp: the tangent of {name!r} is {given}, but {name!r} is real",
        remedy="Give real numbers; along complex ones, call `jvp` for each part.",
    )


def of_other_structure(name: str, kind: str, count: int) -> ShapeError:
    """Why a tangent is not that of its argument, a container."""
    return ShapeError(
        f"jvp: the tangent of {name!r} must be a {kind} of {count} items",
        remedy="Give a tangent for each item of the argument, None if it is fixed.",
    )


def of_other_keys(name: str, key: str) -> ShapeError:
    """Why a tangent is not that of its argument, a dict or an object."""
    return ShapeError(
        f"jvp: the tangent of {name!r} has {key}, which its gradient does not have",
        remedy="Give it keys of its gradient; those of an object are paths, as ('w',).",
    )


def of_no_paths(name: str, kind: str) -> ShapeError:
    """Why a tangent is not that of its argument, an object."""
    return ShapeError(
        f"jvp: the tangent of {name!r}, an object of {kind}, must be a dict like its "
        "gradient",
        remedy="Give it keys of its gradient, which are paths, as ('w',).",
    )
