"""A function and arguments -> whether its gradient there is the slope it claims to be.

Each leaf of each argument is moved along random directions; the slope that the gradient
gives, <dx, v>, is compared with that of the function: by the complex step where the
function takes one and differences bear it out, else by differences. Forward mode is
held against the gradient by <dy, J v> = <dx, v>.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.api.call_target import callee_of
from yota_ast.api.directional import tangent_of_call
from yota_ast.api.grad import grad_of_call, gradient_entry
from yota_ast.api.values.given_tangents import fitting
from yota_ast.api.values.leaves import is_leaf, refuse_other_arrays
from yota_ast.api.values.updating import Path
from yota_ast.api.wrt import Default, names_in_call, refuse_reserved
from yota_ast.errors import InternalError, YotaError
from yota_ast.frontend.heap.reachable_objects import places_in
from yota_ast.support.tracebacks import public
from yota_ast.tools.gradcheck.check_table import GradCheck, Row
from yota_ast.tools.gradcheck.difference_slopes import (
    FIRST,
    RESIDUE,
    Kink,
    Slope,
    slope,
)
from yota_ast.tools.gradcheck.judging import Judgement, add_up, agreeing, along, judged
from yota_ast.tools.gradcheck.nearby_runs import Runs
from yota_ast.tools.gradcheck.value_parts import (
    Part,
    direction_of,
    inner,
    is_complex,
    is_narrow,
    is_real_scalar,
    like,
    parts_of,
    same_bits,
    seed_like,
    shape_text,
    size_of,
    spelled,
    widened,
)

Fn = Callable[..., Any]
_NONE: Any = Default(None)
_TWO: Any = Default(2)
_ZERO: Any = Default(0)
MOST_ELEMENTS: Final = 64
"""Of a leaf with more elements it is not looked for the one that is to blame."""
SLIGHT: Final = 1e-3
"""Of the greatest share in a slope: what is less is looked at by itself."""
TOLERANCE: Final = 1e-6
NARROW: Final = 2.5e3
"""How many units in the last place a gradient in single precision may be off."""


@public
def gradcheck(
    f: Fn,
    /,
    *args: object,
    wrt: object = _NONE,
    directions: int = _TWO,
    tolerance: float | None = _NONE,
    rng: int = _ZERO,
    **kwargs: object,
) -> GradCheck:
    """Compare the gradient of f at these arguments with its slope along directions.

    wrt: as for `grad`.
    directions: the number of random directions for each array or number.
    tolerance: the largest relative difference that is accepted. The default is 1e-6,
    and more in single precision.
    rng: the seed of the random directions. The same seed gives the same table.

    The result is true if the two agree. It prints as a table. `gradcheck` changes
    neither the arguments nor the shared random generators of NumPy and Python. At a
    kink, a gradient between the slopes of the two sides is accepted.

    Raises the errors of `grad`. Errors that f itself raises pass through.
    """
    given = {"wrt": wrt, "directions": directions, "tolerance": tolerance, "rng": rng}
    refuse_reserved(callee_of(f), given, "gradcheck")
    options: dict[str, Any] = {
        k: v.value if isinstance(v, Default) else v for k, v in given.items()
    }
    return check_call(f, args, kwargs, **options)


def check_call(
    f: Fn,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    *,
    wrt: object = None,
    directions: int = 2,
    tolerance: float | None = None,
    rng: int = 0,
) -> GradCheck:
    """`gradcheck` of a call, of a function whose parameters may be called anything."""
    callee = callee_of(f)
    runs = Runs(callee, callee.bind(args, kwargs))
    # What is refused is refused before anything is run.
    refuse_other_arrays(runs.call.values)
    gradient_entry(callee, runs.call, names_in_call(callee, runs.call, wrt))
    try:
        return _checked(runs, wrt, directions, tolerance, rng)
    finally:
        runs.draws.put()


def _checked(
    runs: Runs, wrt: object, directions: int, tolerance: float | None, rng: int
) -> GradCheck:
    generator = np.random.default_rng(rng)
    name = getattr(runs.callee.fn, "__name__", "f")
    value = runs.value()
    dy = 1.0 if is_real_scalar(value) else seed_like(value, generator)
    runs.draws.put()
    with np.errstate(all="ignore"):
        seed = copy.deepcopy(dy)
        got, gradients = grad_of_call(runs.callee, runs.copied(), wrt, seed)
    parts_by_name = {
        name: list(parts_of(runs.call.values[name], gradients[name]))
        for name in runs.call.arguments
        if name in gradients
    }
    runs.wide = tuple(
        (name, part.path)
        for name, parts in parts_by_name.items()
        for part in parts
        if is_narrow(part.leaf)
    )
    check = _Check(runs, dy, value, generator, max(directions, 1), tolerance)
    rows: list[Row] = []
    notes: list[str] = []
    for argument in runs.call.arguments:
        original = runs.call.values[argument]
        parts = parts_by_name.get(argument, [])
        found = [check.row(argument, original, part, notes) for part in parts]
        if parts:
            found = check.forward(argument, gradients[argument], found, notes)
        rows += found or [Row(argument, type(original).__name__, "no derivative")]
    if runs.drew:
        notes.append("random numbers are drawn: each run began with the same ones")
    return GradCheck(name, tuple(rows), tuple(notes), same_bits(got, value))


@dataclass(slots=True)
class _Tried:
    """A leaf moved along one direction."""

    v: Any
    got: float
    size: float
    found: Slope
    method: str
    judgement: Judgement


class _Check:
    """All leaves of one call, one after the other."""

    def __init__(
        self,
        runs: Runs,
        dy: Any,
        value: Any,
        rng: np.random.Generator,
        directions: int,
        tolerance: float | None,
    ) -> None:
        self.runs, self.dy, self.rng, self.directions = runs, dy, rng, directions
        self.value = inner(dy, value)
        self.tolerance = _tolerance(runs, value) if tolerance is None else tolerance
        self.along: dict[tuple[str, Path], _Tried] = {}

    def row(self, name: str, original: Any, part: Part, notes: list[str]) -> Row:
        """Compare along each direction, and tell of the worst."""
        tried = [self.tried(name, part, v) for v in self.drawn(part)]
        self.along[name, part.path] = tried[0]
        worst = min(tried, key=_how_good)
        spelling = spelled(name, part.path, original)
        if worst.found.kink is not None and np.isfinite(worst.got):
            left, right = worst.found.kink
            worst, where = self.beside_kinks(name, part, worst)
            places = _listed([f"{spelling}{at}" for at in where]) or spelling
            notes.append(
                f"{places}: a kink; the slope is {left:.6g} on one side and "
                f"{right:.6g} on the other"
            )
        if worst.judgement.verdict == "differs":
            notes += self.furthest(name, spelling, part)
        if worst.judgement.why:
            notes.append(f"{spelling}: {worst.judgement.why}")
        elif worst.found.sides != "both":
            what = "jumps" if worst.found.jumps else "ends"
            notes.append(f"{spelling}: f {what} here; its slope is that of one side")
        return Row(
            spelling, shape_text(part.leaf), worst.judgement.verdict,
            worst.got, worst.found.value, worst.found.error,
            worst.judgement.digits, worst.method,
        )  # fmt: skip

    def drawn(self, part: Part) -> Iterator[Any]:
        """Directions: the first has the signs of the gradient, so that what it gives
        does not cancel; a single number grows. Where elements go under beside others,
        one more moves them alone."""
        v: Any = None
        for k in range(self.directions):
            v = direction_of(part.leaf, self.rng)
            if not is_complex(part.leaf) and (k == 0 or np.size(v) == 1):
                down = np.real(part.gradient) < 0 if np.size(v) > 1 else False
                v = like(part.leaf, np.abs(v) * np.where(down, -1.0, 1.0))
            yield v
        slight = _slight(part, v)
        if slight is not None:
            yield slight

    def tried(self, name: str, part: Part, v: Any) -> _Tried:
        """Compare along one direction."""
        got, size = inner(part.gradient, v), size_of(part.gradient, v)
        found, method = self.slope(name, part, v)
        judgement = judged(got, found, size, self.tolerance)
        if judgement.verdict == "differs":
            still = max(found.still, RESIDUE * self.slope_nearby(name, part, v))
            found = replace(found, still=still)
            judgement = judged(got, found, size, self.tolerance)
        return _Tried(v, got, size, found, method, judgement)

    def slope_nearby(self, name: str, part: Part, v: Any) -> float:
        """How steep f is along a direction a small step off. Where values and slopes
        are 0, as of the determinant of ones, only this tells how large what cancels
        in the gradient is; 0 where f is not defined there."""
        off = direction_of(part.leaf, np.random.default_rng(0))
        ends = [like(part.leaf, FIRST * (off + side * v)) for side in (1, -1)]
        ups = [
            self.runs.along({(name, part.path): d}, self.dy, lambda f: f(1.0))
            for d in ends
        ]
        steep = abs(ups[0] - ups[1]) / (2 * FIRST)
        return steep if np.isfinite(steep) else 0.0

    def slope(self, name: str, part: Part, v: Any) -> tuple[Slope, str]:
        """The slope of the function, and how it was found."""
        directions = {(name, part.path): v}
        found = self.runs.along(directions, self.dy, slope)
        if found.kink is not None:
            return found, "one-sided"
        method = "differences" if found.sides == "both" else f"from the {found.sides}"
        unsure = found.sides != "both" or found.jumps or not np.isfinite(found.error)
        if is_complex(part.leaf) or unsure:
            return found, method
        exact = self.runs.complex_step(directions, self.dy)
        if exact is None:
            return found, method
        slack = 10 * found.error + 1e-9 * abs(found.value)
        if not abs(exact - found.value) <= slack:
            return found, method
        error = max(1e-15 * abs(exact), 1e-18 * found.reach)
        return replace(found, value=exact, error=error), "complex step"

    # ------------------------------------------------------------ single elements

    def elements(self, name: str, part: Part) -> Iterator[tuple[str, Any, _Tried]]:
        """Each element of a small array moved alone: its index, how far it moves."""
        shape = np.shape(part.leaf)
        if shape == () or not 0 < np.size(part.leaf) <= MOST_ELEMENTS:
            return
        size = np.abs(np.asarray(widened(part.leaf)))
        for index in np.ndindex(shape):
            v = np.zeros(shape)
            v[index] = size[index] or 1.0
            text = f"[{', '.join(map(str, index))}]"
            yield text, v, self.tried(name, part, v)

    def beside_kinks(
        self, name: str, part: Part, worst: _Tried
    ) -> tuple[_Tried, list[str]]:
        """What comes of moving only elements that are at no kink; those that are.

        Where each kink is of one element, as those of `abs` are and those of `max` are
        not, the gradient is between the slopes of the two sides in each of them.
        """
        rest, where, corners = np.array(worst.v), list[str](), list[Kink]()
        for text, v, tried in self.elements(name, part):
            if tried.found.kink is not None:
                corners.append(along(tried.found.kink, worst.v[v != 0][0] / np.sum(v)))
                rest = np.where(v != 0, 0.0, rest)
                where.append(text)
                if tried.judgement.verdict != "kink":
                    return tried, where
        if not where:
            return worst, where
        tried, smooth = worst, 0.0
        if np.any(rest):
            tried = self.tried(name, part, like(part.leaf, rest))
            smooth = tried.found.value
            if tried.judgement.verdict != "agrees":
                return tried, where
        if worst.judgement.verdict == "kink" or add_up(worst.found, corners, smooth):
            tried.judgement = Judgement("kink", tried.judgement.digits)
        else:
            tried = worst
        return tried, where

    def furthest(self, name: str, spelling: str, part: Part) -> Iterator[str]:
        """Which element of an array is furthest off."""
        found: list[tuple[float, str]] = []
        for text, v, tried in self.elements(name, part):
            if tried.judgement.verdict == "differs":
                step = float(np.sum(v))
                got, slope = tried.got / step, tried.found.value / step
                both = f"the gradient is {got:.8g}, the slope {slope:.8g}"
                found.append((-abs(got - slope), f"{spelling}{text}: {both}"))
        if found:
            yield min(found)[1]

    # ------------------------------------------------------------ forward mode

    def forward(
        self, name: str, gradient: Any, rows: list[Row], notes: list[str]
    ) -> list[Row]:
        """The rows of an argument, with what forward mode says."""
        paths = [path for argument, path in self.along if argument == name]
        done: list[Row] = []
        for row, path in zip(rows, paths, strict=True):
            tried = self.along[name, path]
            self.runs.draws.put()
            call = self.runs.copied()
            given = call.values[name]
            tangent = tangent_like(given, gradient, {path: tried.v})
            if isinstance(given, (list, tuple, dict)):
                tangent = fitting(name, given, tangent)
            try:
                with self.runs.quiet(), self.runs.anew():
                    _, t = tangent_of_call(self.runs.callee, call, {name: tangent})
            except InternalError:
                raise
            except YotaError as error:
                notes.append(f"no forward mode in {name}: {error.reason}")
                return [*done, *rows[len(done) :]]
            except np.linalg.LinAlgError as error:  # the text refuses these numbers
                notes.append(f"no forward mode in {name} here: {error}")
                return [*done, *rows[len(done) :]]
            apart = abs(inner(self.dy, t) - tried.got)
            if not np.isfinite(apart):
                done.append(row)
                continue
            size = max(tried.size, abs(tried.got))
            same = apart <= self.tolerance * size + max(
                1e-15 * abs(self.value), tried.found.still
            )
            digits = agreeing(apart, size)
            done.append(replace(row, forward=digits, forward_agrees=same))
        return done


def _slight(part: Part, v: Any) -> Any:
    """A direction of the elements whose share in a slope would not be seen, if any."""
    shares = np.abs(np.asarray(part.gradient) * np.asarray(v))
    slight = shares < SLIGHT * np.max(shares, initial=0.0)
    return like(part.leaf, np.where(slight, v, 0.0)) if np.any(slight) else None


def _how_good(tried: _Tried) -> tuple[int, float]:
    order = ("differs", "undecided", "kink", "agrees")
    return order.index(tried.judgement.verdict), tried.judgement.digits


def _listed(places: list[str]) -> str:
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    return ", ".join(places[:3]) + more


def _tolerance(runs: Runs, value: Any) -> float:
    """How far off a gradient may be for the precision in which it is computed."""
    held = (v for _, _, v in places_in({"": value, **runs.call.values}))
    precisions = [float(np.finfo(x.dtype).eps) for x in held if is_narrow(x)]
    return max([TOLERANCE, *(NARROW * eps for eps in precisions)])


def tangent_like(m: Any, g: Any, along: Mapping[Path, Any], at: Path = ()) -> Any:
    """A tangent built like a gradient: the directions given, else zeros."""
    if g is None:
        return None
    if is_leaf(m):
        return along[at] if at in along else _zero(g)
    if isinstance(m, (tuple, list)):
        parts = [
            tangent_like(a, b, along, (*at, k))
            for k, (a, b) in enumerate(zip(m, g, strict=True))
        ]
        return type(g)(*parts) if hasattr(g, "_fields") else type(g)(parts)
    if isinstance(m, dict):
        return {k: tangent_like(m[k], d, along, (*at, k)) for k, d in g.items()}
    return {path: along.get((*at, *path), _zero(d)) for path, d in g.items()}


def _zero(g: Any) -> Any:
    return np.zeros_like(g) if isinstance(g, np.ndarray) else 0.0 * g
