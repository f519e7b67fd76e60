"""How the iterations of a loop are kept for the reverse sweep: all, or some.

Values of `simplegrad(checkpoint=...)`, words of `emit --checkpoint` -> a `Schedule`.

>>> schedules({12: "sqrt", 20: ("slots", 30)})[20]
Schedule(slots=30, every=None)
>>> schedules(dict(map(parsed, ["12=sqrt", "20=slots:30"])))[12]
Schedule(slots=None, every=None)
"""

from __future__ import annotations

from collections.abc import Mapping

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.errors import YotaError


@dataclass(frozen=True, slots=True)
class Schedule:
    """slots: how many states of a loop are kept at once. every: how many iterations
    there are from one to the next. Where both are None, it is about the square root of
    the number of iterations."""

    slots: int | None = None
    every: int | None = None


def schedules(given: Mapping[int, object] | None) -> dict[int, Schedule]:
    """Return the schedules by the lines of their loops. Raises YotaError for others."""
    found: dict[int, Schedule] = {}
    for line, value in (given or {}).items():
        slots = _slots(value)
        if type(line) is not int or slots == 0:
            raise YotaError(
                f"checkpoint: {line!r}: {value!r} is no schedule of a loop",
                remedy='Write the line of the loop and "sqrt" or ("slots", 30): '
                'checkpoint={12: "sqrt"}.',
            )
        found[line] = Schedule(slots)
    return found


def _slots(value: object) -> int | None:
    """Return the number of slots; 0 for what is no schedule."""
    if value == "sqrt":
        return None
    match value:
        case ("slots", int(n)) if type(n) is int and n > 0:
            return n
    return 0


def words_of(found: Mapping[int, Schedule]) -> tuple[str, ...]:
    """Return the schedules as words of the command line.

    >>> words_of({12: Schedule(), 20: Schedule(30)})
    ('12=sqrt', '20=slots:30')
    """
    return tuple(
        f"{line}={'sqrt' if s.slots is None else f'slots:{s.slots}'}"
        for line, s in sorted(found.items())
    )


def parsed(word: str) -> tuple[int, object]:
    """Return what a word of the command line says: `12=sqrt`, `12=slots:30`.

    >>> parsed("12=often")
    Traceback (most recent call last):
    yota_ast.errors.YotaError: --checkpoint: expected LINE=sqrt or LINE=slots:N, \
got '12=often'
    """
    line, _, how = word.partition("=")
    kind, colon, number = how.partition(":")
    if line.strip().isdecimal() and how == "sqrt":
        return int(line), "sqrt"
    if line.strip().isdecimal() and kind == "slots" and number.isdecimal() and colon:
        return int(line), ("slots", int(number))
    raise YotaError(f"--checkpoint: expected LINE=sqrt or LINE=slots:N, got {word!r}")
