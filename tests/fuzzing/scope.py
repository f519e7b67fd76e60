"""What may be read and written at a place of a program: names, by shape.

A name is whatever Python takes as a target: `y`, `box.s`, `d["a"]`, `L[0]`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .patterns import Shape


@dataclass(frozen=True)
class Entry:
    """own: the memory is the function's own. target: it may be assigned."""

    shape: Shape
    own: bool = False
    target: bool = True


@dataclass
class Scope:
    """ints: by name, what they lie below. Helpers: by shape of result, call texts.

    writers: by shape of what they write into, call texts with `{w}` for it.
    lists: names of lists of numbers that are never empty.
    actions: calls that change something, as statements.
    changing: calls that do and have a number for their value, which tests may ask.
    locked: names whose shape must stay.
    """

    values: dict[str, Entry] = field(default_factory=dict)
    ints: dict[str, int] = field(default_factory=dict)
    tests: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    helpers: dict[Shape, list[str]] = field(default_factory=dict)
    writers: dict[Shape, list[str]] = field(default_factory=dict)
    actions: list[str] = field(default_factory=list)
    changing: list[str] = field(default_factory=list)
    locked: frozenset[str] = frozenset()

    def copy(self) -> Scope:
        return Scope(
            dict(self.values), dict(self.ints), list(self.tests), list(self.lists),
            {k: list(v) for k, v in self.helpers.items()},
            {k: list(v) for k, v in self.writers.items()}, list(self.actions),
            list(self.changing), self.locked,
        )  # fmt: skip

    def inner(self) -> Scope:
        """The scope of a loop's body: names of before keep their shapes."""
        made = self.copy()
        made.locked = frozenset(self.values)
        return made

    def meet(self, other: Scope) -> Scope:
        """What holds after either."""
        values = {
            name: replace(entry, own=entry.own and other.values[name].own)
            for name, entry in self.values.items()
            if name in other.values and other.values[name].shape == entry.shape
        }
        ints = {
            name: max(bound, other.ints[name])
            for name, bound in self.ints.items()
            if name in other.ints
        }
        made = self.copy()
        made.values, made.ints = values, ints
        made.tests = [t for t in self.tests if t in other.tests]
        made.lists = [t for t in self.lists if t in other.lists]
        made.actions = [t for t in self.actions if t in other.actions]
        made.changing = [t for t in self.changing if t in other.changing]
        for mine, yours in (
            (made.helpers, other.helpers), (made.writers, other.writers)
        ):  # fmt: skip
            for shape, calls in mine.items():
                mine[shape] = [c for c in calls if c in yours.get(shape, ())]
        return made

    def drop(self, root: str) -> None:
        """Forget a name that is bound anew, and what is reached through it."""
        starts = (f"{root}.", f"{root}[", f"{root}(")

        def stays(name: str) -> bool:
            return name != root and not name.startswith(starts)

        self.values = {n: e for n, e in self.values.items() if stays(n)}
        self.ints = {n: b for n, b in self.ints.items() if stays(n)}
        self.tests = [t for t in self.tests if stays(t)]
        self.lists = [t for t in self.lists if stays(t)]
        self.actions = [t for t in self.actions if stays(t)]
        self.changing = [t for t in self.changing if stays(t)]
        for calls in (self.helpers, self.writers):
            for shape in calls:
                calls[shape] = [c for c in calls[shape] if stays(c)]

    def of(self, shape: Shape) -> list[str]:
        return [name for name, entry in self.values.items() if entry.shape == shape]
