"""A generated function and what it was made from -> what keeps it right.

The text reads globals of the user's by names of its own. Where one of them is bound
anew, to a number or an array of the same kind, which merely enters the computation, the
text reads the new one; where anything else has changed that the function or a helper
reads, another text may be right, and the call raises ValueError.

>>> import yota_ast as ya
>>> def scaled(x):
...     return SCALE * x
>>> scaled.__globals__["SCALE"] = 2.0
>>> dscaled = ya.simplegrad(scaled, 1.0)
>>> scaled.__globals__["SCALE"] = 3.0
>>> dscaled(1.0)
(3.0, 3.0)
"""

from __future__ import annotations

import math
import re
import sys
import threading
import types
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.api.cache.dependencies import Dependencies, Watch, content_of
from yota_ast.api.cache.fast_guard import glance
from yota_ast.codegen.compile import GeneratedFunction
from yota_ast.codegen.printers.global_names import Global
from yota_ast.files.file_source import Made
from yota_ast.files.module_constants import fixed_constants
from yota_ast.ir.atoms import Const
from yota_ast.ir.nodes import Apply, Block, atoms_of, walk
from yota_ast.ir.tape import Tape
from yota_ast.syntax.value_paths import follow, steps_of

_NUMBERS: Final = (bool, int, float, complex, str, np.generic)


class Keeper:
    """What a generated function calls before anything else.

    watched: what the function rests on. reads: names of the text that stand for what
    it reads at each call.
    """

    def __init__(
        self, made: Made, function: GeneratedFunction, watched: Dependencies
    ) -> None:
        self.made, self.function = made, function
        self.watched = _without_written(watched, made.tape)
        self.unchanged = glance(self.watched)
        named = [g for g in function.reads if g.home]
        self.reads = tuple(g for g in named if self._now(g) is g.value)
        self.lock = threading.Lock()

    def __call__(self) -> None:
        """Bring what the text reads up to date; raises ValueError where it may be
        another text that is right."""
        if not self.unchanged():
            with self.lock:
                self._renew()

    @cached_property
    def live(self) -> frozenset[tuple[int, str]]:
        """The names, by the scope's identity, that the text reads at each call: asked
        for when one of them is bound anew for the first time."""
        tape = self.made.tape
        read, decided = list(_constants(tape)), fixed_constants(tape, shaped=False)
        return frozenset(
            _key(watch)
            for watch in self.watched.watches
            if isinstance(watch.scope, Mapping)
            and any(_reads(c, watch) for c in read)
            and not any(_reads(c, watch) for c in decided)
            and self._follows(watch)
        )

    def _follows(self, watch: Watch) -> bool:
        """Whether every name of the text for a value is one that is bound anew."""
        bound = [g for g in self.function.reads if g.value is watch.value]
        return all(any(g is r for r in self.reads) for g in bound)

    def _renew(self) -> None:
        watches = self.watched.watches
        for watch in watches:
            if not watch.holds and not self._may_change(watch):
                raise ValueError(
                    f"{self.function.__name__}: {watch.path} has changed since this "
                    "gradient was made: make it again"
                )
        for each in self.reads:
            self.function.rebind(each.name, self._now(each))
        self.watched = _without_written(self.watched.renewed, self.made.tape)
        self.unchanged = glance(self.watched)

    def _may_change(self, watch: Watch) -> bool:
        if _key(watch) not in self.live or type(watch.now) is not type(watch.value):
            return False
        if watch.content is not None:
            return _alike_inside(watch.content, content_of(watch.now))
        return _alike(watch.value, watch.now)

    def _now(self, each: Global) -> object:
        """What a name of the text stands for in the user's module."""
        try:
            root, steps = steps_of(each.path) or ("", ())
            return follow(self._module(each.home)[root], steps)
        except Exception:  # noqa: BLE001  it is there no more
            return each.value

    def _module(self, home: str) -> Mapping[str, Any]:
        for fn in (self.made.fn, *self.made.tape.used):
            if isinstance(fn, types.FunctionType):
                if fn.__globals__.get("__name__") == home:
                    return fn.__globals__
        return vars(sys.modules[home])


def _without_written(watched: Dependencies, tape: Tape) -> Dependencies:
    """The same, but for what is in the containers that the function itself changes:
    of that its text takes nothing for granted."""
    blocks = (tape.block, *(f.block for f in tape.functions))
    ops = [op for block in blocks for op in walk(block)]
    acts = [op for op in ops if isinstance(op, Apply) and op.effect]
    given = {id(a.value) for op in acts for a in atoms_of(op) if isinstance(a, Const)}
    found = (
        replace(w, content=None) if id(w.value) in given else w for w in watched.watches
    )
    return Dependencies(tuple(found), watched.names)


def _key(watch: Watch) -> tuple[int, str]:
    return id(watch.scope), watch.name


def _constants(tape: Tape) -> Iterator[Const]:
    """Those of a tape that its text reads from modules."""
    for block in (tape.block, *(f.block for f in tape.functions)):
        for op in walk(Block(tuple(block))):
            for atom in atoms_of(op):
                if isinstance(atom, Const) and atom.is_live:
                    yield atom


def _reads(const: Const, watch: Watch) -> bool:
    """Whether a constant is what a name stands for, or is reached from there."""
    text = const.text or ""
    if watch.name not in re.findall(r"[^\W\d]\w*", text):
        return False
    own = watch.scope.get("__name__", None) == const.home
    return own or ("." in text and const.value is watch.value)


def _alike(old: object, new: object) -> bool:
    """Whether one value may stand for another in the same text."""
    if type(old) is not type(new):
        return False
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray):
        plain = type(old) is np.ndarray and old.dtype.kind in "fc"
        layout = old.flags.c_contiguous == new.flags.c_contiguous
        return plain and old.dtype == new.dtype and old.shape == new.shape and layout
    if isinstance(old, (float, np.floating)) and isinstance(new, (float, np.floating)):
        return math.isinf(old) == math.isinf(new)  # the order of a norm
    return isinstance(old, _NUMBERS)


def _alike_inside(old: Any, new: Any) -> bool:
    """Whether what a container held may be what it holds now: floats for floats."""
    if isinstance(old, Const) and isinstance(new, Const):
        inexact = isinstance(old.value, (float, np.floating, np.ndarray))
        return old == new or (inexact and _alike(old.value, new.value))
    if isinstance(old, tuple) and isinstance(new, tuple):
        return len(old) == len(new) and all(map(_alike_inside, old, new))
    return old is new
