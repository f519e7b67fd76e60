"""A drawn program -> whether the compiler does what it promises for it.

The value bit for bit and of its type, the arguments as the function leaves them, the
gradients of their kinds and apart in memory, equal to differences, again in a second
call, under every setting of the passes; the same exception where the function raises.
"""

from __future__ import annotations

import copy
import itertools
import linecache
import math
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np

import yota_ast as ya
from tests.adjoint.checking import (
    direction,
    inner,
    leaves,
    mapped,
    of_the_kind,
    pairs,
    same_bits,
    seed_for,
    still,
    unshared,
)
from yota_ast.api.seeds import seed_options
from yota_ast.errors import (
    DerivativeWarning,
    InternalError,
    UnsupportedCall,
    UnsupportedSyntax,
    YotaError,
)
from yota_ast.frontend.calls import large_functions
from yota_ast.ir.abstract_values import fact_of
from yota_ast.ir.tape import Tape
from yota_ast.pipeline import Request, compiled, differentiated, gradient_program
from yota_ast.support.passes import PASSES

from .differences import Slope, is_closer, line, slope
from .forward import wrong_tangent
from .program import Drawn
from .unread import without_line

NUMBERS = itertools.count()
LARGEST = 1e8
MOST_UNSET = 40  # elements of the arrays that programs make


@dataclass(frozen=True)
class Outcome:
    """kind: right, raises, rough, refused, or what is wrong; lenient: the function
    raises in what nobody reads, the gradient does not; overflow: a gradient that is not
    finite, of a function in which numbers overflow; untaken: a mode was to be tried, and
    `grad` refuses already. detail: of a failure."""

    kind: str
    detail: str = ""
    source: str = ""

    @property
    def failed(self) -> bool:
        return self.kind not in (
            "right",
            "raises",
            "rough",
            "refused",
            "useless",
            "lenient",
            "overflow",
            "untaken",
        )


class WrongError(Exception):
    """What a program shows to be wrong: the kind, then what was seen."""


class LenientError(Exception):
    """The function raises in what its gradient leaves out: nobody reads it."""


@dataclass
class Case:
    """A program made ready: its function, and what it does by itself."""

    fn: Callable[..., Any]
    drawn: Drawn
    value: Any
    after: tuple[Any, ...]
    error: BaseException | None
    asked: list[int]
    overflows: bool = False  # some number on the way, if only one that nobody reads
    not_finite: bool = False  # a gradient where it does
    singular: bool = False  # a gradient is nan here, and none nearby
    kinked: bool = False  # wide differences reach across a kink


@contextmanager
def passes(setting: str) -> Iterator[None]:
    before = os.environ.get("YOTA_AST_PASSES")
    os.environ["YOTA_AST_PASSES"] = setting
    try:
        yield
    finally:
        if before is None:
            del os.environ["YOTA_AST_PASSES"]
        else:
            os.environ["YOTA_AST_PASSES"] = before


@contextmanager
def outlined() -> Iterator[None]:
    """Helpers are functions of the text, however small and seldom called."""
    sizes = {"SMALLEST": 2, "MOST_INLINED": 4, "_SURE": 4}
    with ExitStack() as stack:
        for name, size in sizes.items():
            stack.enter_context(patch.object(large_functions, name, size))
        yield


@contextmanager
def function_of(source: str) -> Iterator[Callable[..., Any]]:
    """The function `program` of a source, which can be located meanwhile."""
    name = f"<random program {next(NUMBERS)}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[name] = (len(source), None, lines, name)
    module = ModuleType("random_program")
    outer = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        exec(compile(source, name, "exec"), vars(module))
        yield module.program
    finally:
        del linecache.cache[name], sys.modules[module.__name__]
        if outer is not None:
            sys.modules[module.__name__] = outer


Try = Callable[[Callable[..., Any], Drawn, int], Outcome]
"""What is tried of a program: its function, the program, a number that chooses."""


def try_program(drawn: Drawn, number: int = 0) -> Outcome:
    """Run all checks; number chooses the pass to leave out, and the general text."""
    return outcome_of(drawn, number, _tried)


def outcome_of(drawn: Drawn, number: int, tried: Try) -> Outcome:
    """What comes of a try: what it raises is a refusal, a crash, or what is wrong."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", DerivativeWarning)
        try:
            compile(drawn.source, "<random program>", "exec")
        except SyntaxError:
            return Outcome("useless", "", drawn.source)
        return _outcome(drawn, number, tried)


def _outcome(drawn: Drawn, number: int, tried: Try) -> Outcome:
    with function_of(drawn.source) as fn:
        try:
            return tried(fn, drawn, number)
        except InternalError as error:
            cause = error.__cause__ or error
            return Outcome("crash", _trace(cause), drawn.source)
        except YotaError as error:
            return Outcome("refused", reason(error), drawn.source)
        except LenientError as error:
            return Outcome("lenient", str(error).partition("(")[0], drawn.source)
        except WrongError as error:
            return Outcome(error.args[0], error.args[1], drawn.source)
        except Exception as error:
            return Outcome("crash", _trace(error), drawn.source)


def reason(error: YotaError) -> str:
    """A refusal's reason without the names in it."""
    text = re.sub(r"`[^`]*`", "`..`", error.reason)
    return f"{type(error).__name__}: {re.sub('[0-9]+', '0', text)[:150]}"


def _trace(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    where = " < ".join(f"{Path(f.filename).name}:{f.name}" for f in frames[::-1])
    return f"{type(error).__name__}: {str(error)[:300]} at {where}"


def _tried(fn: Callable[..., Any], drawn: Drawn, number: int) -> Outcome:
    case = prepared(fn, drawn)
    if case is None:
        return Outcome("useless", "", drawn.source)
    dy = seed_for(case.value, np.random.default_rng(number))
    slopes = [] if case.error else slopes_of(case, dy)
    rough = any(not _good(s) for _, _, s in slopes)
    values = dict(zip(drawn.names, drawn.args, strict=True))
    facts = {name: fact_of(value, name) for name, value in values.items()}
    wrt = tuple(drawn.names[k] for k in case.asked)
    reference: list[Any] = []
    tape: Tape | None = None
    for setting in ("all", "none", f"-{PASSES[number % len(PASSES)]}"):
        with passes(setting):
            if tape is None:  # ints are those of the example where they must be
                tape, program = differentiated(Request(fn, facts, values), wrt)
            else:
                program = gradient_program(tape, wrt, values)
            function = compiled(program)
            options = {"seed": 1.0} if case.error else seed_options(program, dy)
            _check(case, dy, slopes, function, options, setting, reference)
    if number % 5 == 0:
        with outlined(), suppress(UnsupportedSyntax, UnsupportedCall):
            tape, program = differentiated(Request(fn, facts, values), wrt)
            function = compiled(program)
            _check(case, dy, slopes, function, options, "outlined", reference)
    if number % 5 == 1 and not case.error:
        setting = ("all", "none")[number // 5 % 2]
        along = {k: v[k] for k, v, _ in slopes}
        with passes(setting):
            found = wrong_tangent(fn, drawn.args, along, (case.value, dy, reference))
        if found is not None:
            raise WrongError(found[0], f"{found[1]} [{setting}]")
    general = ""
    if drawn.plain and number % 4 == 0:
        setting = ("all", "none")[number // 4 % 2]
        try:
            with passes(setting):
                function = ya.simplegrad(fn, wrt=case.asked)
            _check(
                case,
                dy,
                slopes,
                function,
                {"seed": dy},
                f"general {setting}",
                reference,
            )
        except InternalError:
            raise
        except YotaError as error:  # `a += b` may write into the caller's array
            general = f"without facts: {reason(error)}"
    if case.error:
        return Outcome("raises", type(case.error).__name__, drawn.source)
    if case.not_finite:
        return Outcome("overflow", general, drawn.source)
    rough = rough or case.kinked
    return Outcome("rough" if rough else "right", general, drawn.source)


def prepared(fn: Callable[..., Any], drawn: Drawn) -> Case | None:
    """The program run by itself; None where its value is no use."""
    after = copy.deepcopy(drawn.args)
    value, error = None, None
    overflows: list[object] = []
    before = outside(fn)
    with np.errstate(over="call", call=lambda *what: overflows.append(what)):
        try:
            value = fn(*after)
        except Exception as raised:
            error = raised
    asked = [k for k, x in enumerate(drawn.args) if list(leaves(x))]
    numbers = list(leaves(value))
    if error is None and not numbers:
        return None
    if outside(fn) != before:  # no two calls that are compared would see the same
        return None
    if any(not np.all(np.abs(x) < LARGEST) for x in numbers):
        return None
    if "np.empty(" in drawn.source and _reads_unset(fn, drawn):
        return None
    return Case(fn, drawn, value, after, error, asked, bool(overflows))


def outside(fn: Callable[..., Any]) -> str:
    """All data of a program's module, as text."""
    return repr({k: _told(v) for k, v in fn.__globals__.items()})


def _told(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return [(repr(k), _told(v)) for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return [_told(v) for v in value]
    if isinstance(value, (bool, int, float, complex, str, np.generic)):
        return repr(value)
    own = type(value).__module__.startswith(("random_program", "program_of_"))
    return _told(vars(value)) if own and not isinstance(value, type) else None


def _reads_unset(fn: Callable[..., Any], drawn: Drawn) -> bool:
    """Whether what a program gives depends on memory that it has not written: on what
    arrays of the same sizes have left there."""
    found = []
    for junk in (0.75, -3.5):
        for size in range(1, MOST_UNSET):
            del [np.full(size, junk) for _ in range(8)][:]
        try:
            found.append(fn(*copy.deepcopy(drawn.args)))
        except Exception as error:
            found.append(repr(error))
    return not same_bits(*found)


def slopes_of(case: Case, dy: Any) -> list[tuple[int, list[Any], Slope]]:
    """For each argument a direction and the slope in it."""
    rng = np.random.default_rng(len(case.drawn.source))
    found = []
    for k in case.asked:
        args = case.drawn.args
        v = [direction(x, rng) if j == k else still(x) for j, x in enumerate(args)]
        found.append(
            (k, v, slope(case.fn, args, v, dy, holomorphic=case.drawn.holomorphic))
        )
    return found


def _good(found: Slope) -> bool:
    return found.error <= 1e-4 * max(abs(found.value), 1e-2)


def _check(
    case: Case, dy: Any, slopes: list[tuple[int, list[Any], Slope]],
    function: Any, options: dict[str, Any], setting: str, reference: list[Any],
) -> None:  # fmt: skip
    args = case.drawn.args
    text = f"[{setting}]\n{function.source}"

    def wrong(kind: str, what: object) -> WrongError:
        return WrongError(kind, f"{what} {text}")

    given = copy.deepcopy(args)
    try:
        value, *rest = function(*given, **options)
    except Exception as error:
        if case.error is not None and type(error) is type(case.error):
            return
        if isinstance(error, ValueError) and is_refusal_of_text(error):
            raise YotaError(_refused_by_text(error)) from error
        if case.error is not None and (
            _is_past_forward(error, function.source) or _comes_next(case, error)
        ):
            raise LenientError(repr(case.error)) from error
        raise wrong("raised", f"{_trace(error)}, not {case.error!r}") from error
    if case.error is not None:
        raise LenientError(repr(case.error))
    if not same_bits(value, case.value):
        raise wrong("primal", f"{value!r}, not {case.value!r}")
    if not same_bits(list(given), list(case.after)):
        raise wrong("arguments", f"{given!r}, not {case.after!r}")
    gradients = dict(zip(case.asked, rest, strict=True))
    try:
        for k, d in gradients.items():
            of_the_kind(d, args[k], f"the gradient of argument {k}")
        unshared(gradients, given, value, dy)
    except AssertionError as error:
        raise wrong("kind", error) from error
    if _nans(rest) and not case.overflows:
        case.singular = _is_singular(function, args, options)
    _compare(case, dy, gradients, slopes, reference, wrong)
    kept = copy.deepcopy(rest)
    again, *second = function(*copy.deepcopy(args), **options)
    if not same_bits(again, value) or not all(map(same_bits, rest, second)):
        raise wrong("second call", f"{second!r}, not {rest!r}")
    if not all(map(same_bits, rest, kept)):
        raise wrong("second call", "it changed what the first returned")


def _is_singular(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Whether a gradient is nan at this point, and not at one nearby: there the chain
    rule says 0 times infinity, and no convention says what is meant."""
    rng = np.random.default_rng(0)

    def moved(x: Any) -> Any:
        there = x + 1e-3 * rng.uniform(0.5, 1, np.shape(x))
        return np.asarray(there, x.dtype)[()] if hasattr(x, "dtype") else type(x)(there)

    try:
        near = [mapped(moved, copy.deepcopy(a)) for a in args]
        value, *rest = function(*near, **options)
    except Exception:
        return True  # out of the domain
    return not _nans(rest) or bool(_nans(value))


def _nans(value: Any) -> int:
    """How many numbers of a value are nan."""
    if isinstance(value, Mapping):
        return sum(map(_nans, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(_nans, value))
    floats = np.asarray(value).dtype.kind in "fc"
    return int(np.count_nonzero(np.isnan(value))) if floats else 0


def is_refusal_of_text(error: ValueError) -> bool:
    """Whether generated code refuses what it is given: something that is not handled,
    or arrays that share memory otherwise than it takes for granted, or a point where
    no second derivative is known."""
    return bool(_refused_by_text(error))


def _refused_by_text(error: ValueError) -> str:
    """Why generated code refuses what it is given; "" where it does not."""
    of_memory = str(error).startswith(("made for `", "made for an array "))
    if of_memory:  # "made for `v` as a view of `y`"
        return "what may be a view of an array is the other"
    name, _, why = str(error).partition(": ")
    if why.startswith("no second derivative is known"):
        return why
    return name.endswith(" is not handled") * why


def _is_past_forward(error: BaseException, source: str) -> bool:
    """Whether a text raises after its forward sweep: where it reads the seed, which
    nobody can give for a value that there is not."""
    frames = traceback.extract_tb(error.__traceback__)
    numbers = [f.lineno for f in frames if f.filename.startswith("<generated")]
    if not numbers or numbers[0] is None:
        return False
    before = source.splitlines()[: numbers[0]]
    return "seed" in before[-1] or any(line.strip() == "# reverse" for line in before)


def _comes_next(case: Case, error: BaseException) -> bool:
    """Whether the program raises this, too, without the assignment in which it raised:
    what that makes nobody reads."""
    assert case.error is not None
    source = without_line(case.drawn.source, case.error)
    if source is None:
        return False
    with function_of(source) as fn:
        try:
            fn(*copy.deepcopy(case.drawn.args))
        except Exception as raised:
            return type(raised) is type(error)
    return False


def _compare(
    case: Case, dy: Any, gradients: dict[int, Any],
    slopes: list[tuple[int, list[Any], Slope]], reference: list[Any],
    wrong: Callable[[str, object], WrongError],
) -> None:  # fmt: skip
    found = []
    for k, v, expected in slopes:
        d = gradients[k]
        got = inner(d, v[k])
        size = sum(float(np.sum(np.abs(np.multiply(p, q)))) for p, q in pairs(d, v[k]))
        if (case.overflows or case.singular) and not math.isfinite(got):
            # "An overflowing value may have a gradient that is not finite [...], never
            # a finite wrong one" (docs/conventions.md): no number is promised.
            case.not_finite = True
        elif _good(expected):
            # Of 1 - sqrt(1 + a * a) at small a differences see nothing: what numbers of
            # the size of 1 lose by rounding cannot be told from no slope.
            bound = 20 * expected.error + 1e-9 * max(size, abs(expected.value), 0.1)
            at = line(case.fn, case.drawn.args, v, dy)
            if abs(got - expected.value) <= bound:
                pass
            elif is_closer(at, got, expected.value):
                case.kinked = True
            else:
                raise wrong(
                    "gradient",
                    f"argument {k}: {got!r} for {expected.value!r} +- {expected.error:.1g}",
                )
        found.append((k, got, size))
    if not reference:
        reference.extend(found)
    for (k, got, size), (_, other, _) in zip(found, reference, strict=True):
        both = math.isfinite(got) and math.isfinite(other)
        if both and not abs(got - other) <= 1e-8 * max(size, 1e-3):
            raise wrong("passes differ", f"argument {k}: {got!r}, and {other!r}")
