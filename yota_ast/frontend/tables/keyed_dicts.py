"""What dicts do whose keys the text computes, in Python: lowered like a helper.

>>> d = KeyedDefault()
>>> d.default_factory = float
>>> d["b"] += 2.0
>>> list(d.items()), d.places
([('b', 2.0)], {'b': 0})
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from typing import Any, Final


def no_places() -> dict[Any, int]:
    """Return an empty dict, which the text holds as a whole."""
    return {}


def places_at(keys: tuple[Any, ...]) -> dict[Any, int]:
    """Return where each of some keys stands, in a dict that the text holds."""
    return {key: k for k, key in enumerate(keys)}


def held_by(values: tuple[Any, ...]) -> list[Any]:
    """Return a list of some values that the text holds as a whole."""
    return list(values)


def has_place(places: dict[Any, int], key: Any) -> bool:
    """Return whether a key is there, which an arm of a branch may know."""
    return key in places


def place_of(places: dict[Any, int], key: Any) -> int:
    """Return where a key stands, which is a whole number."""
    return places[key]


class KeyedDict:
    """A dict whose keys the text computes: its values are a list.

    >>> d = KeyedDict()
    >>> d["b"], d["a"] = 1.0, 2.0
    >>> d["b"], d.names, d.held, d.places
    (1.0, ['b', 'a'], [1.0, 2.0], {'b': 0, 'a': 1})
    """

    __yota_ast_models__: type = dict
    __yota_ast_items__ = "names"
    __yota_ast_handed_on__ = "Use its items, d[k] and d.get(k), or list(d.values())."

    def __init__(self) -> None:
        self.places = no_places()
        self.names: list[Any] = []
        self.held: list[Any] = []
        self.default_factory: Any = None

    def begin(self, keys: tuple[Any, ...], values: tuple[Any, ...]) -> None:
        """Take items whose keys are known."""
        self.places = places_at(keys)
        self.names = list(keys)
        self.held = held_by(values)

    def __contains__(self, key: Any) -> bool:
        return has_place(self.places, key)

    def __len__(self) -> int:
        return len(self.held)

    def __iter__(self) -> Iterator[Any]:
        yield from self.names

    def __getitem__(self, key: Any) -> Any:
        return self.held[self.place(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        if has_place(self.places, key):
            self.held[place_of(self.places, key)] = value
        else:
            self.add(key, value)

    def place(self, key: Any) -> int:
        """Where the value of a key stands, which is made where there is none."""
        if self.default_factory is not None and not has_place(self.places, key):
            self.add(key, self.default_factory())
        return place_of(self.places, key)

    def add(self, key: Any, value: Any) -> None:
        """A key that is a new one."""
        self.places[key] = len(self.held)
        self.names.append(key)
        self.held.append(value)

    def get(self, key: Any, default: Any = None) -> Any:
        """The value, or another where there is none."""
        if not has_place(self.places, key):
            return default
        return self.held[place_of(self.places, key)]

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The value, which is set where there is none."""
        if not has_place(self.places, key):
            self.add(key, default)
        return self.held[place_of(self.places, key)]

    def update(self, other: Any) -> None:
        """Set the items of another dict."""
        for key, value in other.items():
            self[key] = value

    def copy(self) -> KeyedDict:
        """Another one of the same items."""
        made = KeyedDict()
        made.update(self)
        return made

    def pop(self, key: Any) -> Any:
        """Remove a key: those after it move up."""
        place = place_of(self.places, key)
        self.names.pop(place)
        self.places = no_places()
        for k in range(len(self.names)):
            self.places[self.names[k]] = k
        return self.held.pop(place)

    def keys(self) -> list[Any]:
        """The keys, in the order in which they came."""
        return self.names

    def values(self) -> list[Any]:
        """The values in that order."""
        return self.held

    def items(self) -> Any:
        """Both."""
        return zip(self.names, self.held, strict=True)


class KeyedDefault(KeyedDict):
    """A `collections.defaultdict` of that kind."""

    __yota_ast_models__ = defaultdict


class KeyedOrdered(KeyedDict):
    """A `collections.OrderedDict` of that kind."""

    __yota_ast_models__ = OrderedDict


KEYED: Final[dict[type, type]] = {defaultdict: KeyedDefault, OrderedDict: KeyedOrdered}
"""The models of dicts of other classes."""
