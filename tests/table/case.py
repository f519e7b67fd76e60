"""A use of an operation -> functions made of it, and the values to call them with.

`Case.fn` is the operation.  `Case.total` is a number made of all that it gives, curved
so that it has a second derivative where the operation is linear; `Case.slope` is the
gradient of that number along a direction, which a transform within computes.

>>> from tests.rules.coverage_lists import use
>>> case = made(use("np.sin(x)", x=np.ones((3, 2))))
>>> case.name
'np.sin(x) of x: float64[3, 2]'
>>> print(case.total_text("x"))
def total(x, weight_0):
    y = inner(x)
    return np.sum(weight_0 * (y + 0.5 * y * y))
<BLANKLINE>
>>> print(case.slope_text)
def slope(x, weight_0, along_0):
    _, d = ya.value_and_grad(total, wrt=['x'])(x, weight_0)
    return np.sum(along_0 * d)
<BLANKLINE>
"""

from __future__ import annotations

import copy
import linecache
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import yota_ast as ya

from ..operations import Op
from ..rules.check import leaves, mapped, random_like
from ..rules.coverage_lists import Use

Fn = Callable[..., Any]
Values = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One use of an operation: its values, what it gives of them, what varies.

    others: other values of the same kinds. symmetric: directions are such matrices.
    rough: the operation gives half its digits, as a minimiser does.
    """

    name: str
    fn: Fn
    values: Values
    others: Values
    value: Any
    asked: tuple[str, ...]
    symmetric: bool
    rough: bool

    @property
    def args(self) -> list[Any]:
        """The values in the order of the parameters."""
        return copy.deepcopy(list(self.values.values()))

    def direction(self, seed: int) -> Values:
        """Random numbers of the kind of each argument that varies; none where it has
        no number."""
        rng = np.random.default_rng(seed)
        found = {name: random_like(self.values[name], rng) for name in self.asked}
        if self.symmetric:
            return {k: v + np.swapaxes(v, -1, -2) for k, v in found.items()}
        return {k: _where(self.values[k], v) for k, v in found.items()}

    @cached_property
    def weights(self) -> Values:
        """What the numbers of the result are multiplied by."""
        rng = np.random.default_rng(7)
        sizes = [x.shape for _, x in numbers("y", self.value)]
        drawn = [
            rng.uniform(0.5, 1.5, size) if size else rng.uniform() for size in sizes
        ]
        return {f"weight_{k}": x for k, x in enumerate(drawn)}

    @cached_property
    def total(self) -> Fn:
        """The number that is made of it, a function of values and weights."""
        return self._made("total", self.total_text(*self.values), inner=self.fn)

    def total_in(self, first: str) -> Fn:
        """The same with one parameter put first."""
        names = sorted(self.values, key=lambda name: name != first)
        return self._made("total", self.total_text(*names), inner=self.fn)

    def total_text(self, *names: str) -> str:
        """The source of `total`, with parameters in that order."""
        terms = [_term(k, *part) for k, part in enumerate(numbers("y", self.value))]
        return (
            f"def total({', '.join([*names, *self.weights])}):\n"
            f"    y = inner({', '.join(self.values)})\n"
            f"    return {' + '.join(terms)}\n"
        )

    def along(self, direction: Values) -> Values:
        """The arrays and numbers of a direction, as `slope` takes them."""
        found = [x for name in self.asked for x in leaves(direction[name])]
        return {f"along_{k}": x for k, x in enumerate(found)}

    @cached_property
    def slope(self) -> Fn:
        """<gradient of total, direction>, of values, weights and a direction."""
        return self._made("slope", self.slope_text, total=self.total, ya=ya)

    @property
    def slope_text(self) -> str:
        """The source of `slope`."""
        given = ", ".join([*self.values, *self.weights])
        one = len(self.asked) == 1  # then the gradient is bare
        places = [
            part
            for k, name in enumerate(self.asked)
            for part in numbers("d" if one else f"d[{k}]", self.values[name], "fc")
        ]
        along = "".join(f", along_{k}" for k in range(len(places)))
        terms = [_along(k, *part) for k, part in enumerate(places)]
        return (
            f"def slope({given}{along}):\n"
            f"    _, d = ya.value_and_grad(total, wrt={[*self.asked]!r})({given})\n"
            f"    return {' + '.join(terms)}\n"
        )

    def _made(self, name: str, text: str, **names: Any) -> Fn:
        head = text.partition("\n")[0]
        filename = f"<{head} of {self.name}>"
        lines = text.splitlines(keepends=True)
        linecache.cache[filename] = (len(text), None, lines, filename)
        namespace = {"np": np, **names}
        exec(compile(text, filename, "exec"), namespace)
        made: Fn = namespace[name]
        return made


def _where(value: Any, direction: Any) -> Any:
    """A direction that is 0 where an array has no number."""
    if isinstance(value, np.ndarray):
        return np.where(np.isfinite(value), direction, 0.0)
    return direction


def numbers(
    path: str, value: Any, kinds: str = "fcbiu"
) -> list[tuple[str, np.ndarray]]:
    """The arrays and numbers of a structure, and how each is reached."""
    if isinstance(value, list | tuple):
        found = [numbers(f"{path}[{k}]", v, kinds) for k, v in enumerate(value)]
        return [part for each in found for part in each]
    if not isinstance(value, float | complex | int | np.generic | np.ndarray):
        return []
    return [(path, np.asarray(value))] if np.asarray(value).dtype.kind in kinds else []


def _term(k: int, path: str, value: np.ndarray) -> str:
    """A number made of one array of a result."""
    weight = f"weight_{k}"
    if value.dtype.kind == "c":
        a, b = f"np.real({path})", f"np.imag({path})"
        term = f"{weight} * ({a} + {b} + 0.5 * {a}**2 + {a} * {b})"
    elif value.dtype.kind == "f":
        term = f"{weight} * ({path} + 0.5 * {path} * {path})"
    else:
        term = f"{weight} * {path}"
    if not np.isfinite(value).all():
        return f"np.nansum({term})"
    return f"np.sum({term})" if value.shape else term


def _along(k: int, path: str, value: np.ndarray) -> str:
    """A part of the inner product of a gradient and a direction."""
    if value.dtype.kind == "c":
        return f"np.sum(np.real(np.conj(along_{k}) * {path}))"
    return f"np.sum(along_{k} * {path})" if value.shape else f"along_{k} * {path}"


def made(one: Op | Use) -> Case:
    """The case of a use of an operation."""
    values = one.sample(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = one.fn(**one.sample(3))
    text = one.text.replace("\n", "; ")
    name = f"{text} of {', '.join(f'{k}: {kind(v)}' for k, v in values.items())}"
    asked = tuple(k for k, v in values.items() if leaves(v) and _varies(one, k))
    symmetric = isinstance(one, Op) and one.symmetric
    rough = isinstance(one, Use) and one.step > Use.step
    return Case(name, one.fn, values, one.sample(5), value, asked, symmetric, rough)


def _varies(one: Op | Use, name: str) -> bool:
    return isinstance(one, Op) or one.differentiated(name)


def kind(value: Any) -> str:
    """What an argument is, in a word.

    >>> kind([1.0, np.zeros((2, 3))])
    'list of float, float64[2, 3]'
    """
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, list | tuple) and leaves(value):
        return f"{type(value).__name__} of {', '.join(map(kind, value))}"
    return type(value).__name__ if leaves(value) else repr(value)


def still(case: Case) -> Values:
    """The direction in which nothing moves."""
    return {k: mapped(v, np.zeros_like) for k, v in case.values.items()}
