"""What functions of functions do, in Python: lowered like the user's helpers.

The values are those of NumPy, and of itertools, bit for bit, in the cases that
`frontend.numpys` lets through.

>>> import numpy as np
>>> apply_along_axis(np.cumsum, 0, np.ones((2, 2)))
array([[1., 1.],
       [2., 2.]])
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np

Array = Any
Function = Callable[..., Any]


def apply_along_axis(
    func1d: Function, axis: int, arr: Array, *args: Any, **kwargs: Any
) -> Array:
    """`np.apply_along_axis` of an array of two or more axes."""
    lines = np.moveaxis(arr, axis, -1)
    flat = lines.reshape(-1, lines.shape[-1])
    parts = np.array([func1d(line, *args, **kwargs) for line in flat])
    shape = lines.shape[:-1] + parts.shape[1:]
    if parts.ndim == 1:
        return parts.reshape(shape)
    return np.moveaxis(parts.reshape(shape), -1, axis)


def apply_over_axes(func: Function, a: Array, axes: Sequence[int]) -> Array:
    """`np.apply_over_axes` of known axes."""
    for axis in axes:
        part = func(a, axis)
        a = part if part.ndim == a.ndim else np.expand_dims(part, axis)
    return a


def cross_of_pairs(u: Array, v: Array) -> Array:
    """`np.cross` of vectors of two: a number for each pair."""
    if u.ndim == 1 and v.ndim == 1:
        return u[0] * v[1] - u[1] * v[0]
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


def permuted(permutation: Function, x: Array) -> Array:
    """`rng.permutation(x)` of data: what is drawn is the same for the same length."""
    return np.asarray(x)[permutation(len(x))]


def permuted_along(permutation: Function, x: Array, axis: int) -> Array:
    """`rng.permutation(x, axis)` of an array."""
    return np.take(x, permutation(x.shape[axis]), axis)


def permuted_lines(permuted: Function, x: Array, axis: int) -> Array:
    """`rng.permuted(x, axis=axis)`."""
    lengths = [1] * x.ndim
    lengths[axis] = x.shape[axis]
    places = np.arange(x.shape[axis]).reshape(lengths)
    places = permuted(np.broadcast_to(places, x.shape), axis=axis)
    return np.take_along_axis(x, places, axis)


def chosen(choice: Function, a: Array, axis: int, **kwargs: Any) -> Array:
    """`rng.choice(a, ...)` of data."""
    a = np.asarray(a)
    return np.take(a, choice(a.shape[axis], **kwargs), axis)


def equal_part(size: int, count: int) -> int:
    """How long each part is of what `np.split` cuts into so many."""
    if size % count:
        raise ValueError("array split does not result in an equal division")
    return size // count


def bound_of_part(size: int, count: int, k: int) -> int:
    """Where part k begins of what `np.array_split` cuts into so many."""
    return k * (size // count) + min(k, size % count)


def check_coefficients(p: Array) -> None:
    """Rules are for one polynomial."""
    if np.ndim(p) > 1:
        raise ValueError("the gradient needs one polynomial, not rows of them")


def check_rows(rows: Sequence[Any], count: int) -> None:
    """`zip(*rows)` gives no columns where there are no rows."""
    if len(rows) == 0:
        raise ValueError(f"not enough values to unpack (expected {count}, got 0)")


def polyval_of_rows(p: Array, x: Array) -> Array:
    """`np.polyval` of coefficients that are rows, by Horner's scheme."""
    y = np.zeros_like(x)
    for row in p:
        y = y * x + row
    return y


def fromfunction(
    function: Function, shape: Any, *, dtype: Any = float, **kwargs: Any
) -> Array:
    """`np.fromfunction` of a known number of axes."""
    grid = np.indices(shape, dtype=dtype)
    return function(*[grid[k] for k in range(len(shape))], **kwargs)


def keyed(keys: Iterable[Any], value: Any) -> dict[Any, Any]:
    """`dict.fromkeys`, of keys whose number is unknown."""
    return {key: value for key in keys}  # noqa: C420


def takewhile(predicate: Function, iterable: Any) -> Iterator[Any]:
    """`itertools.takewhile`."""
    for x in iterable:
        if not predicate(x):
            break
        yield x


def dropwhile(predicate: Function, iterable: Any) -> Iterator[Any]:
    """`itertools.dropwhile`."""
    dropping = True
    for x in iterable:
        if dropping and predicate(x):
            continue
        dropping = False
        yield x


def filterfalse(predicate: Any, iterable: Any) -> Iterator[Any]:
    """`itertools.filterfalse`."""
    for x in iterable:
        if not (x if predicate is None else predicate(x)):
            yield x


def compress(data: Any, selectors: Any) -> Iterator[Any]:
    """`itertools.compress`."""
    for x, selected in zip(data, selectors, strict=False):
        if selected:
            yield x


def are_equal(row: Sequence[Any], other: Sequence[Any]) -> bool:
    """`a == x and b == y` of the fields of two objects of a dataclass."""
    return all(a == b for a, b in zip(row, other, strict=True))


class Poly1d:
    """`np.poly1d` of coefficients."""

    def __init__(self, coefficients: Array) -> None:
        self.coeffs = np.trim_zeros(np.atleast_1d(coefficients), "f")
        self.c = self.coeffs

    def __call__(self, x: Array) -> Array:
        """Its value at x."""
        return np.polyval(self.coeffs, x)

    def deriv(self, m: int = 1) -> Poly1d:
        """The derivative of order m."""
        return Poly1d(np.polyder(self.coeffs, m))

    def integ(self, m: int = 1, k: Any = 0) -> Poly1d:
        """The integral of order m."""
        return Poly1d(np.polyint(self.coeffs, m, k))

    def __neg__(self) -> Poly1d:
        return Poly1d(-self.coeffs)

    def __add__(self, other: Any) -> Poly1d:
        return Poly1d(np.polyadd(self.coeffs, coefficients_of(other)))

    def __radd__(self, other: Any) -> Poly1d:
        if isinstance(other, np.generic):
            return NotImplemented  # NumPy makes an array
        return self.__add__(other)

    def __sub__(self, other: Any) -> Poly1d:
        return Poly1d(np.polysub(self.coeffs, coefficients_of(other)))

    def __rsub__(self, other: Any) -> Poly1d:
        if isinstance(other, np.generic):
            return NotImplemented
        return Poly1d(np.polysub(coefficients_of(other), self.coeffs))

    def __mul__(self, other: Any) -> Poly1d:
        if is_number(other):
            return Poly1d(self.coeffs * other)
        return Poly1d(np.polymul(self.coeffs, coefficients_of(other)))

    def __rmul__(self, other: Any) -> Poly1d:
        if isinstance(other, np.generic):
            return NotImplemented
        return self.__mul__(other)

    def __truediv__(self, other: float) -> Poly1d:
        return Poly1d(self.coeffs / other)


def coefficients_of(other: Any) -> Any:
    """The coefficients of a polynomial; a number or an array is its own."""
    return other.coeffs if isinstance(other, Poly1d) else np.atleast_1d(other)


def is_number(other: Any) -> bool:
    """Whether a polynomial is multiplied by a number: no array, no polynomial."""
    return not isinstance(other, Poly1d) and np.ndim(other) == 0


class Polynomial:
    """`np.polynomial.Polynomial` of coefficients."""

    def __init__(self, coef: Array) -> None:
        self.coef = np.asarray(coef)

    def __call__(self, x: Array) -> Array:
        """Its value at x."""
        return np.polynomial.polynomial.polyval(0.0 + 1.0 * x, self.coef)

    def deriv(self, m: int = 1) -> Polynomial:
        """The derivative of order m."""
        coef = self.coef
        for _ in range(m):
            n = len(coef)
            coef = coef[1:] * np.arange(1.0, n) if n > 1 else coef * 0.0
        return Polynomial(coef)

    def integ(self, m: int = 1) -> Polynomial:
        """The integral of order m, from 0."""
        coef = self.coef
        for _ in range(m):
            n = len(coef)
            if n > 1 or coef[0] != 0:
                coef = np.concatenate((np.zeros(1), coef / np.arange(1.0, n + 1)))
        return Polynomial(coef)


class Deque:
    """`collections.deque` of known items, or of a length that a loop decides."""

    __yota_ast_models__ = deque

    def __init__(self, iterable: Any = (), maxlen: int | None = None) -> None:
        self.items = list(iterable)
        self.maxlen = maxlen
        if maxlen is not None and len(self.items) > maxlen:
            self.items = self.items[len(self.items) - maxlen :]

    def append(self, x: Any) -> None:
        """The item at the right end; the one at the left goes where it is full."""
        self.items.append(x)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop(0)

    def appendleft(self, x: Any) -> None:
        """The item at the left end; the one at the right goes where it is full."""
        self.items.insert(0, x)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop()

    def extend(self, iterable: Any) -> None:
        """Items at the right end."""
        for x in iterable:
            self.append(x)

    def extendleft(self, iterable: Any) -> None:
        """Items at the left end, the last of them first."""
        for x in iterable:
            self.appendleft(x)

    def pop(self) -> Any:
        """The item at the right end, which is removed."""
        return self.items.pop()

    def popleft(self) -> Any:
        """The item at the left end, which is removed."""
        return self.items.pop(0)

    def rotate(self, n: int = 1) -> None:
        """Move items from the right end to the left."""
        if len(self.items) > 0:
            k = len(self.items) - n % len(self.items)
            self.items = self.items[k:] + self.items[:k]

    def clear(self) -> None:
        """Remove all."""
        self.items = []

    def reverse(self) -> None:
        """Turn the order round."""
        self.items.reverse()

    def insert(self, k: int, x: Any) -> None:
        """An item before another one."""
        if self.maxlen is not None and len(self.items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self.items.insert(k, x)

    def remove(self, x: Any) -> None:
        """Remove the first item that is equal to one."""
        self.items.remove(x)

    def index(self, x: Any) -> int:
        """Where an item is first."""
        return self.items.index(x)

    def count(self, x: Any) -> int:
        """How many items are equal to one."""
        return self.items.count(x)

    def copy(self) -> Deque:
        """Another one of the same items."""
        return Deque(self.items, self.maxlen)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Any]:
        yield from self.items

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        return self.items[k]

    def __setitem__(self, k: Any, x: Any) -> None:
        if isinstance(k, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        self.items[k] = x

    def __contains__(self, x: Any) -> bool:
        return x in self.items

    def __reversed__(self) -> Iterator[Any]:
        yield from reversed(self.items)


class Frozen:
    """A distribution of SciPy, called with its parameters: `stats.norm(0, 2)`."""

    def __init__(self, dist: Any, *args: Any, **kwds: Any) -> None:
        self.dist, self.args, self.kwds = dist, args, kwds

    def pdf(self, x: Array) -> Array:
        """The density."""
        return self.dist.pdf(x, *self.args, **self.kwds)

    def logpdf(self, x: Array) -> Array:
        """Its logarithm."""
        return self.dist.logpdf(x, *self.args, **self.kwds)

    def pmf(self, k: Array) -> Array:
        """The probability of a number."""
        return self.dist.pmf(k, *self.args, **self.kwds)

    def logpmf(self, k: Array) -> Array:
        """Its logarithm."""
        return self.dist.logpmf(k, *self.args, **self.kwds)

    def cdf(self, x: Array) -> Array:
        """The distribution function."""
        return self.dist.cdf(x, *self.args, **self.kwds)

    def logcdf(self, x: Array) -> Array:
        """Its logarithm."""
        return self.dist.logcdf(x, *self.args, **self.kwds)

    def sf(self, x: Array) -> Array:
        """What is left of 1."""
        return self.dist.sf(x, *self.args, **self.kwds)

    def logsf(self, x: Array) -> Array:
        """Its logarithm."""
        return self.dist.logsf(x, *self.args, **self.kwds)

    def ppf(self, q: Array) -> Array:
        """The quantile."""
        return self.dist.ppf(q, *self.args, **self.kwds)

    def isf(self, q: Array) -> Array:
        """The quantile from above."""
        return self.dist.isf(q, *self.args, **self.kwds)

    def mean(self) -> Array:
        """The mean."""
        return self.dist.mean(*self.args, **self.kwds)

    def var(self) -> Array:
        """The variance."""
        return self.dist.var(*self.args, **self.kwds)

    def std(self) -> Array:
        """The standard deviation."""
        return self.dist.std(*self.args, **self.kwds)

    def median(self) -> Array:
        """The median."""
        return self.dist.median(*self.args, **self.kwds)

    def entropy(self) -> Array:
        """The entropy."""
        return self.dist.entropy(*self.args, **self.kwds)

    def rvs(self, size: Any = None, random_state: Any = None) -> Array:
        """Draws."""
        return self.dist.rvs(
            *self.args, **self.kwds, size=size, random_state=random_state
        )


class ArrayOfObjects:
    """What `np.frompyfunc` gives, of which an array of numbers is made."""

    __yota_ast_models__ = np.ndarray
    __yota_ast_handed_on__ = "Make numbers of the objects: x.astype(float)."

    def __init__(self, items: Sequence[Any], shape: tuple[int, ...]) -> None:
        self.items, self.shape = items, shape

    def astype(self, dtype: Any) -> Array:
        """An array of numbers."""
        return np.reshape(np.array([dtype(item) for item in self.items]), self.shape)


class FrozenNormal(Frozen):
    """`stats.multivariate_normal(m, C)`: its mean and covariance are arrays."""

    def __init__(self, dist: Any, mean: Any = None, cov: Any = 1, **kwds: Any) -> None:
        super().__init__(dist, mean, cov, **kwds)
        self.given_mean, self.given_cov = mean, 1.0 if cov is None else cov

    @property
    def mean(self) -> Array:
        """The mean, a vector."""
        if self.given_mean is None:
            return np.zeros(len(np.atleast_2d(self.given_cov)))
        return np.asarray(self.given_mean, dtype=float).reshape(-1)

    @property
    def cov(self) -> Array:
        """The covariance, a matrix."""
        cov = np.asarray(self.given_cov, dtype=float)
        if cov.ndim == 0:
            return cov * np.eye(len(self.mean))
        return np.diag(cov) if cov.ndim == 1 else cov


FROZEN: Final = {"stats.multivariate_normal": FrozenNormal}
"""The models of frozen distributions that have attributes of their own."""


def reduced(function: Function, items: Sequence[Any]) -> Any:
    """`functools.reduce` of items whose number is not known."""
    total = items[0]
    for item in items[1:]:
        total = function(total, item)
    return total


def reduced_from(function: Function, items: Sequence[Any], start: Any) -> Any:
    """`functools.reduce` with a value to start from."""
    total = start
    for item in items:
        total = function(total, item)
    return total


def vectorized(f: Function, x: Array) -> Array:
    """`f` of each element of an array of floats."""
    flat = np.reshape(x, -1)
    values = np.zeros(len(flat))
    for k in range(len(flat)):
        values[k] = f(float(flat[k]))
    return values.reshape(np.shape(x))


def vectorized_pair(f: Function, x: Array, y: Array) -> Array:
    """`f` of each pair of elements of two arrays that broadcast together."""
    both = np.broadcast_arrays(x, y)
    first, second = np.reshape(both[0], -1), np.reshape(both[1], -1)
    values = np.zeros(len(first))
    for k in range(len(first)):
        values[k] = f(float(first[k]), float(second[k]))
    return values.reshape(np.shape(both[0]))


def is_complex_spline(thing: object) -> bool:
    """Whether an object is an interpolant of SciPy's, of complex values."""
    if not type(thing).__module__.startswith("scipy.interpolate"):
        return False
    names = ("c", "y", "values")
    return any(np.iscomplexobj(getattr(thing, name, 0.0)) for name in names)
