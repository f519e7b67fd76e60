"""What a lowering is asked to do; it changes nothing of it."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.errors import (
    InternalError,
    Location,
    NoRule,
)
from yota_ast.frontend.calls.explain_hooks import Watch
from yota_ast.frontend.calls.large_functions import Foresight
from yota_ast.frontend.calls.nested_code import NestedCode
from yota_ast.frontend.state.lowering_records import (
    GlobalName,
    Infer,
    IsPrimitive,
    Spot,
)


def no_slope(*_: Any) -> NoReturn:
    """Refuse to make the gradient of a tape."""
    raise InternalError("nothing makes gradients of tapes here")


def no_effect(_: object) -> bool:
    """Say of no primitive that a call must happen."""
    return False


@dataclass(frozen=True, slots=True)
class Settings:
    """What a lowering is asked to do, and what earlier ones of the function have found.

    is_primitive: which functions stay one op. infer: the fact of a primitive's result.
    fixed: the parameters whose strings, booleans and integers are taken as they are,
    and lengths too; None: what can be done for all values is. sized: so are lengths
    that are compared. owned: the arguments, and
    parts of them, that are written; and, by the constants alone, what is written
    outside. set_outside: names of modules, classes and functions that are set, with the
    identities of these. lenient: whether the arm of a branch that cannot be lowered
    raises in the text. avoided: the calls that have turned out to have no derivative.
    copied: where what may be a view or a copy is taken for a copy. sliced: the calls of
    np.split that are slices instead. keyed: where dicts are made whose keys the text
    computes. numbers: where what is augmented is taken for a
    number. assuming: whether the text may check what lengths are equal.
    has_effect: whether a call of a primitive must happen once, in its place, as random
    draws. slope_of: gives the value of a tape, and then gradients. watch: who is told
    of each statement, call and constant. outlining: large functions become functions of
    the text too; else those that call themselves. looping: loops over known items stay
    loops, where copies are too many; rows: and those over rows of numbers that are
    given. listing: dicts stand for objects in lists. compiled: code that Numba
    compiles. foresight: what the code tells of how often it is called; foreseen: large
    code, before it is
    met; unforeseen: of which that was wrong; much_called: large code, from before.
    sources, in_common and nested_code are handed from one lowering to the next;
    in_common: what calls of outlined code have in common, by parameter, and None where
    no function serves several.
    """

    is_primitive: IsPrimitive
    infer: Infer
    fixed: frozenset[str] | None = None
    sized: bool = False
    owned: Mapping[Any, Location | None] = field(default_factory=dict)
    set_outside: frozenset[GlobalName] = frozenset()
    lenient: bool = False
    avoided: Mapping[Any, NoRule] = field(default_factory=dict)
    copied: frozenset[Spot] = frozenset()
    sliced: frozenset[Spot] = frozenset()
    keyed: frozenset[Spot] = frozenset()
    numbers: frozenset[Spot] = frozenset()
    assuming: bool = False
    has_effect: IsPrimitive = no_effect
    slope_of: Callable[..., Any] = no_slope
    watch: Watch | None = None
    outlining: bool = True
    looping: bool = False
    rows: bool = False
    listing: bool = False
    compiled: frozenset[object] = frozenset()
    foresight: Foresight = field(default_factory=Foresight)
    foreseen: frozenset[object] = frozenset()
    unforeseen: frozenset[object] = frozenset()
    much_called: frozenset[object] = frozenset()
    sources: dict[types.FunctionType, Any] = field(default_factory=dict)
    in_common: dict[object, Mapping[Any, Any] | None] = field(default_factory=dict)
    nested_code: NestedCode = field(default_factory=NestedCode)
