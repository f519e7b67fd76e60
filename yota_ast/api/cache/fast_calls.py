"""Calls of plain functions that have been answered -> the same answered again at once.

What decides which generated code serves a call is compared; the rest may have changed
and is looked at: the rules, the passes, the outside values that the function reads,
and what the generated code takes for granted of its arguments. Where anything is not
as it was, or is not known here, the call takes the long way.

>>> def double(x):
...     return 2.0 * x
>>> FastCalls().find(double, None, (1.0,), {}) is None
True
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping, Sequence
from inspect import CO_VARKEYWORDS
from types import CodeType, FunctionType
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.api.cache.call_forms import Form, is_data, kinds_of, plain_call
from yota_ast.api.cache.known_calls import MISFITS, Known
from yota_ast.api.cache.variadic_calls import (
    Spread,
    SpreadForm,
    are_same,
    form_of,
    parameters_of,
    wrapped_by,
)
from yota_ast.ir.atoms import Const
from yota_ast.rules.notation.rule import BOOK
from yota_ast.support.captured_data import content_of, outside_names, written_names

OF_ONE_CODE: Final = 64
CODES: Final = 512


@dataclass(slots=True)
class Site:
    """The calls of the functions of one code in one module.

    It holds both, so that their ids, by which it is found, stay theirs.

    names: of the cells, then of what is read of the module. held: what they stood for
    at the last call. varying: the places of those that stand for data, other data from
    call to call. fixed: the types of data that are
    constants all the same, for the function cannot be followed otherwise.
    """

    code: CodeType
    scope: Mapping[str, object]
    names: tuple[str, ...]
    calls: dict[tuple[object, ...], Known] = field(default_factory=dict)
    latest: dict[tuple[object, ...], tuple[Form | SpreadForm, Known]] = field(
        default_factory=dict
    )
    held: tuple[object, ...] | None = None
    varying: tuple[int, ...] = ()
    fixed: tuple[type, ...] = ()

    @property
    def key(self) -> tuple[int, int]:
        """What it is found by."""
        return id(self.code), id(self.scope)

    def other(
        self, f: FunctionType, called: tuple[object, ...], form: Form | SpreadForm,
        varying: tuple[int, ...], values: tuple[object, ...],
    ) -> tuple[Known, tuple[object, ...]] | None:  # fmt: skip
        """What answers a call that is not like the last of its form."""
        kinds = kinds_of(values)
        known = None if kinds is None else self.calls.get((called[0], varying, kinds))
        if known is None or not known.has_cells(f):
            return None
        try:
            if not known.matches(*values) and not known.renewed(*values):
                return None
        except MISFITS:
            return None
        self.latest[called] = form, known
        return known, values

    def captured(self, f: FunctionType) -> dict[str, object]:
        """The data that varies, by the names that the function has for it."""
        held = content_of(f, self.names)
        spread = self.code.co_flags & CO_VARKEYWORDS  # a key may be one of the names
        if held is None or spread or BOOK.rules_of(f):
            return {}
        if self.held is not None:
            places = range(len(held))
            self._note([k for k in places if _differ(self.held[k], held[k])])
        self.held = held
        return {self.names[k]: held[k] for k in self.varying if is_data(held[k])}

    def _note(self, places: Sequence[int]) -> None:
        """Note that names stand for other data than before."""
        written = written_names(self.code) if places else ()
        held = self.held or ()
        found = {
            k for k in places
            if self.names[k] not in written and not isinstance(held[k], self.fixed)
        }  # fmt: skip
        if not found <= {*self.varying}:
            self.varying = tuple(sorted(found.union(self.varying)))

    def fix(self) -> None:
        """Take fewer names for parameters: first whole numbers are constants,
        which may say what is done, then everything."""
        self.fixed = (object,) if self.fixed else (int, np.integer)
        held = self.held or ()
        self.varying = tuple(
            k for k in self.varying if not isinstance(held[k], self.fixed)
        )


def _differ(one: object, other: object) -> bool:
    """Whether two values are data, and not the same."""
    return is_data(one) and is_data(other) and Const(one) != Const(other)


NEVER: Final = object()
"""With respect to what never is found again."""
Asked = tuple[Any, Hashable, tuple[Any, ...], Mapping[str, Any]]
"""A function, with respect to what, and the arguments by position and by name."""


def _values(
    f: FunctionType, form: Form | SpreadForm, site: Site, varying: tuple[int, ...],
    args: tuple[object, ...], kwargs: Mapping[str, object],
) -> tuple[object, ...] | None:  # fmt: skip
    """The values of all parameters, those that stand for outside names last; None where
    one is not there, or is no data."""
    values = form.values(f, args, kwargs)
    if values is None or not varying:
        return values
    cells, module, held = f.__closure__ or (), f.__globals__, list[object]()
    try:
        for k in varying:
            cell = k < len(cells)
            held.append(cells[k].cell_contents if cell else module[site.names[k]])
    except (ValueError, KeyError):
        return None
    return (*values, *held) if all(map(is_data, held)) else None


@dataclass(slots=True)
class FastCalls:
    """All that have been answered; safe to use from several threads."""

    sites: dict[tuple[int, int], Site] = field(default_factory=dict)
    answering: dict[int, set[tuple[int, int]]] = field(default_factory=dict)
    """The id of each entry that the cache holds -> the sites whose calls it answers."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def find(
        self, f: Any, wrt: Hashable, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[Known, tuple[Any, ...]] | None:
        """What answers a call, and the values of all parameters; None where the call
        takes the long way."""
        if type(f) is not FunctionType:
            f, args, kwargs, mark = plain_call(f, args, kwargs)
            if type(f) is not FunctionType:
                return None
            wrt = (mark, wrt)
        inner = f
        if f.__dict__:
            chain = wrapped_by(f)
            if chain is None:
                return None
            wrt, inner = (chain, wrt), chain[-1]
        site = self.sites.get((id(inner.__code__), id(inner.__globals__)))
        if site is None:
            return None
        latest = site.latest.get((wrt, len(args), *kwargs))
        if latest is None:
            return None
        form, known = latest
        varying = site.varying if inner is f else ()
        values = args
        if varying or not form.is_plain:
            found = _values(inner, form, site, varying, args, kwargs)
            if found is None:
                return None
            values = found
        try:
            if known.matches(*values) and (not known.cells or known.has_cells(f)):
                return known, values
        except MISFITS:
            pass
        return site.other(f, (wrt, len(args), *kwargs), form, varying, values)

    def site_of(self, f: FunctionType) -> Site:
        """The calls of the functions of the code of one."""
        site = self.sites.get((id(f.__code__), id(f.__globals__)))
        if site is not None:
            return site
        site = Site(f.__code__, f.__globals__, outside_names(f.__code__))
        with self.lock:
            while len(self.sites) >= CODES:
                del self.sites[next(iter(self.sites))]
            return self.sites.setdefault(site.key, site)

    def note(
        self, asked: Asked, entry: Any, values: Mapping[str, object], ahead: int,
        told: object,
    ) -> None:  # fmt: skip
        """Note that a call has been answered, where it is one that can be found again;
        values: those of all parameters, of which so many are ahead of `*args`."""
        f, args, kwargs, mark = plain_call(asked[0], *asked[2:])
        chain = wrapped_by(f) if type(f) is FunctionType else None
        if asked[1] is NEVER or chain is None:
            return
        wrt, inner = asked[1] if mark is None else (mark, asked[1]), chain[-1]
        wrt = wrt if inner is f else (chain, wrt)
        site, form = self.site_of(inner), form_of(inner, len(args), tuple(kwargs))
        varying = site.varying if inner is f else ()
        found = _values(inner, form, site, varying, args, kwargs)
        kinds = None if found is None else kinds_of(found)
        if found is None or kinds is None or not are_same(found, [*values.values()]):
            return
        names = (*parameters_of(inner), *(site.names[k] for k in varying))
        if names != tuple(values) or ahead != inner.__code__.co_argcount:
            return
        others = tuple(
            (k, cell.cell_contents)
            for k, cell in enumerate(f.__closure__ or ())
            if k not in varying
        )
        known = Known(entry, names, ahead, others, told, Spread.of(inner))
        with self.lock:
            site.calls[wrt, varying, kinds] = known
            self.answering.setdefault(id(entry), set()).add(site.key)
            site.latest[wrt, len(args), *kwargs] = form, known
            for table in (site.calls, site.latest):
                while len(table) > OF_ONE_CODE:
                    del table[next(iter(table))]

    def drop(self, entries: Sequence[object]) -> None:
        """Forget what is answered by entries that the cache has dropped."""
        dropped = {*map(id, entries)}
        with self.lock:
            keys = {key for k in dropped for key in self.answering.pop(k, ())}
            for site in filter(None, map(self.sites.get, keys)):
                calls = {
                    key: known
                    for key, known in site.calls.items()
                    if id(known.entry) not in dropped
                }
                if len(calls) < len(site.calls):
                    site.calls, site.latest = calls, {}
