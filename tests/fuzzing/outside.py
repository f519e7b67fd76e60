"""A source of choices -> what a random program's module holds beside its functions.

Arrays, numbers, a list, a dict and an object of the module, which programs read; some of
their names and keys are no identifiers, and hold what would be code if it were written
into a program unquoted.

>>> from random import Random
>>> found = outside(Random(3), 1.0)
>>> found.parts[0].startswith("GRID = "), "GRID" in found.values
(True, True)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from .patterns import M, S, Shape, U, V

HOSTILE = (
    "a b", "w + 1", "x'", 'q"', "if", "0", "", "a\nb", "\\", "é\u2028",
    "__import__('os').abort()", "{xy}", "#", "ﬁ",
)  # fmt: skip
"""Names of fields, and keys."""
NAMESPACE = """
class Bag:
    pass


BAG = Bag()
BAG.s, BAG.v = 0.35, np.array([0.2, -0.6, 0.9])
"""


@dataclass
class Outside:
    """parts: the source. values: what expressions may read, with its shape."""

    parts: list[str] = field(default_factory=list)
    values: dict[str, Shape] = field(default_factory=dict)
    lists: list[str] = field(default_factory=list)


def outside(random: Random, chance: float = 0.35) -> Outside:
    """What a module holds; chance: how often it holds anything."""
    found = Outside()
    if random.random() >= chance:
        return found

    def numbers(count: int) -> list[float]:
        return [round(random.uniform(-1, 1), 3) for _ in range(count)]

    if random.random() < 0.8:
        found.parts.append(f"GRID = np.array({numbers(3)})")
        found.values["GRID"] = V
    if random.random() < 0.4:
        found.parts.append(f"EDGE = np.array({numbers(2)})")
        found.values["EDGE"] = U
    if random.random() < 0.4:
        found.parts.append(f"TABLE = np.array({[numbers(2) for _ in range(3)]})")
        found.values["TABLE"] = M
    if random.random() < 0.4:
        found.parts.append(f"RATE = {numbers(1)[0]}")
        found.values["RATE"] = S
    if random.random() < 0.3:
        found.parts.append(f"WEIGHTS = {numbers(3)}")
        found.values["WEIGHTS[1]"] = S
    if random.random() < 0.3:
        key = random.choice(HOSTILE)
        found.parts.append(f"BOOK = {{{key!r}: {numbers(1)[0]}, 'v': GRID}}"
                           if "GRID" in found.values else f"BOOK = {{{key!r}: 0.4}}")  # fmt: skip
        found.values[f"BOOK[{key!r}]"] = S
    if random.random() < 0.3:
        found.parts.append(NAMESPACE.strip())
        found.values |= {"BAG.s": S, "BAG.v": V}
        called = random.choice(HOSTILE)
        found.parts.append(f"Bag.__name__ = Bag.__qualname__ = {called!r}")
        name = random.choice(HOSTILE)
        found.parts.append(f"setattr(BAG, {name!r}, {numbers(1)[0]})")
        found.values[f"getattr(BAG, {name!r})"] = S
    return found
