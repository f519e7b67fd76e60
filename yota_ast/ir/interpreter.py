"""A tape, arguments -> the value: the ops done one after the other.

What the records mean, in the form that runs: the text that is printed must give the
same, bit for bit.

>>> from yota_ast.ir.tape import Tape
>>> x, y = Var("x"), Var("y")
>>> tape = Tape("f", (Parameter(x),), Block((Apply(y, abs, (x,)),)), y)
>>> play(tape, -2.5)
2.5
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable, Mapping
from inspect import Parameter as Slot
from inspect import Signature
from typing import Any, Final, Protocol, assert_never

from yota_ast.errors import InternalError
from yota_ast.ir.atoms import UNDEFINED, Atom, Undefined, Var
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.functions import Code, Parameter
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Closed,
    For,
    If,
    Op,
    Outlined,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    path_length,
)
from yota_ast.ir.store_changes import (
    AppendItem,
    Put,
    RemoveLast,
    SharedView,
    Update,
    changes_length,
)
from yota_ast.ops.spellings import AT, METHODS, in_place


class Env(dict[str, object]):
    """What variables stand for; `functions`: those that the program defines."""

    def __init__(self, values: Mapping[str, object], functions: Functions) -> None:
        super().__init__(values)
        self.functions = functions


Functions = Mapping[str, Code]


class Playable(Code, Protocol):
    """What can be called: a tape or a program."""

    @property
    def params(self) -> tuple[Parameter, ...]:
        """The parameters, as a call binds them."""

    @property
    def checks(self) -> tuple[Check, ...]:
        """What is taken for granted of the arguments."""


_KINDS: Final = {
    "positional-only": Slot.POSITIONAL_ONLY,
    "positional": Slot.POSITIONAL_OR_KEYWORD,
    "args": Slot.VAR_POSITIONAL,
    "keyword": Slot.KEYWORD_ONLY,
    "kwargs": Slot.VAR_KEYWORD,
}


def play(tape: Playable, /, *args: object, **kwargs: object) -> object:
    """The value of the tape. Arguments that the function writes into are changed."""
    return play_program(tape, *args, **kwargs)[0]


def play_program(
    program: Playable, /, *args: object, **kwargs: object
) -> tuple[object, ...]:
    """The value and the results: what the function printed from the program returns."""
    functions = {f.name: f for f in program.callees}
    env = Env(_bind(program.params, args, kwargs), functions)
    for check in program.checks:
        _check(check, program.name, env)
    for block in program.sweeps:
        _block(block, env)
    return tuple(_value(r, env) for r in program.returned)


def _bind(
    params: tuple[Parameter, ...], args: tuple[object, ...], kwargs: dict[str, object]
) -> dict[str, object]:
    """The arguments by parameter, as a call binds them. Raises TypeError as it does."""
    slots = [
        Slot(
            p.var.name,
            _KINDS[p.kind],
            default=Slot.empty if p.default is None else p.default.value,
        )
        for p in params
        if p.outside is None
    ]
    bound = Signature(slots).bind(*args, **kwargs)
    bound.apply_defaults()
    outside = {p.var.name: p.outside.value for p in params if p.outside is not None}
    return {**bound.arguments, **outside}


def _check(check: Check, name: str, env: Env) -> None:
    if check.fails(env):
        raise ValueError(f"{name}: {check.told}")


# ---------------------------------------------------------------- atoms


def _raw(atom: Atom | Undefined, env: Env) -> object:
    """What an atom stands for, UNDEFINED where a path did not define it."""
    if isinstance(atom, Undefined):
        return UNDEFINED
    if not isinstance(atom, Var):
        return atom.value
    if atom.name not in env:
        raise InternalError(f"play: {atom.name} is read before it is defined")
    return env[atom.name]


def _value(atom: Atom | Undefined, env: Env) -> Any:
    value = _raw(atom, env)
    if value is not UNDEFINED:
        return value
    name = (atom.hint or atom.name) if isinstance(atom, Var) else "?"
    raise UnboundLocalError(
        f"cannot access local variable {name!r} where it is not associated with a value"
    )


# ---------------------------------------------------------------- ops


def _block(block: Block, env: Env) -> None:
    for op in block:
        _op(op, env)


def _op(op: Op, env: Env) -> None:
    match op:
        case Apply():
            env[op.out.name] = _apply(op, env)
        case Read():
            env[op.out.name] = _read(op, env)
        case Store():
            env[op.out.name] = _store(op, env)
        case If():
            _if(op, env)
        case Raise():
            error: Any = _value(op.exc, env)
            raise error
        case With():
            context: Any = _value(op.context, env)
            with context:
                _block(op.body, env)
        case Try():
            _try(op, env)
        case For():
            _for(op, env)
        case While():
            _while(op, env)
        case _:
            assert_never(op)


def _if(op: If, env: Env) -> None:
    taken = bool(_value(op.test, env))
    _block(op.then if taken else op.orelse, env)
    env.update(
        [(m.out.name, _raw(m.then if taken else m.orelse, env)) for m in op.merges]
    )


def _apply(op: Apply, env: Env) -> object:
    if isinstance(op.fn, Outlined):
        return _call(env.functions[op.fn.name], [_raw(a, env) for a in op.args], env)
    if isinstance(op.fn, Closed):
        return _made(op.fn, [_raw(a, env) for a in op.args], env)
    if op.fn is build_tuple and op.out.fact.kind == "other":
        # What is saved for a reverse sweep, which reads nothing of what has no value.
        return tuple(_raw(a, env) for a in op.args)
    args = [_value(a, env) for a in op.args]
    kwargs = {name: _value(a, env) for name, a in op.kwargs}
    if op.form == "method" and _is_method_of_arrays(op):
        # ndarray.reshape takes ndarrays alone; the program may be played on a float64
        # or an array of another library, whose method of that name is meant. And
        # np.clip asks for both bounds.
        return getattr(args[0], op.spelling)(*args[1:], **kwargs)
    if op.fn is operator.getitem and path_length(*op.args):
        return functools.reduce(operator.getitem, args[1], args[0])
    return op.fn(*args, **kwargs)


def _is_method_of_arrays(op: Apply) -> bool:
    descriptor = isinstance(op.fn, types.MethodDescriptorType)
    return descriptor or METHODS.get(op.spelling) is op.fn


def _made(closed: Closed, held: list[object], env: Env) -> Callable[..., object]:
    """The function that holds some of its arguments."""

    def made(*own: object) -> object:
        given = list(closed.given(own, held))
        value: Any = _call(env.functions[closed.name], given, env)
        return value if closed.item is None else value[closed.item]

    return made


def _call(function: Code, args: list[object], outer: Env) -> object:
    """The result of an outlined function; several are a tuple."""
    given = {v.name: a for v, a in zip(function.variables, args, strict=True)}
    env = Env(given, outer.functions)
    for block in function.sweeps:
        _block(block, env)
    first, *others = function.returned
    value = _value(first, env)
    return (value, *(_raw(r, env) for r in others)) if others else value


def _read(op: Read, env: Env) -> object:
    value: Any = _value(op.root, env)
    for kind, step in op.path:
        value = getattr(value, str(step)) if kind == "attr" else value[step]
    return value


def _store(op: Store, env: Env) -> object:
    whole, index = _value(op.target, env), _value(op.index, env)
    value = _value(op.value, env)
    owner = target = whole
    if changes_length(op.change):
        target = functools.reduce(operator.getitem, index or (), target)
    elif path_length(op.target, op.index):
        owner, index = functools.reduce(operator.getitem, index[:-1], target), index[-1]
    match op.change:
        case Put():
            owner[index] = value
        case Update(fn, repeats=True):
            AT[fn].at(target, index, value)
        case Update(fn):
            owner[index] = in_place(fn)(owner[index], value)
        case AppendItem():
            target.append(value)
        case RemoveLast():
            target.pop()
        case SharedView():
            pass
        case _:
            assert_never(op.change)
    return whole


def _try(op: Try, env: Env) -> None:
    caught: Any = _value(op.caught, env)
    inner = Env(env, getattr(env, "functions", {}))
    try:
        _block(op.body, inner)
    except caught as error:
        env[op.error.name] = error
        _block(op.handler, env)
        env.update([(m.out.name, _raw(m.orelse, env)) for m in op.merges])
    else:
        env.update(inner)
        _block(op.orelse, env)
        env.update([(m.out.name, _raw(m.then, env)) for m in op.merges])


def _for(op: For, env: Env) -> None:
    _enter(op, env)
    for item in _value(op.iterable, env):
        if len(op.targets) == 1:
            env[op.targets[0].name] = item
        else:
            pairs = zip(op.targets, item, strict=True)
            env.update((target.name, part) for target, part in pairs)
        _block(op.body, env)
        if _iterated(op, env):
            break
    _leave(op, env)


def _while(op: While, env: Env) -> None:
    _enter(op, env)
    while True:
        _block(op.cond, env)
        if not _value(op.test, env):
            break
        _block(op.body, env)
        if _iterated(op, env):
            break
    _leave(op, env)


def _enter(op: For | While, env: Env) -> None:
    env.update([(c.inside.name, _raw(c.init, env)) for c in op.carries])
    if op.stack is not None:
        env[op.stack.name] = []


def _iterated(op: For | While, env: Env) -> bool:
    """End an iteration: save, hand on what is carried. Whether the loop ends here."""
    ends = op.stop is not None and bool(_value(op.stop, env))
    if op.stack is not None:
        saved = tuple(_raw(v, env) for v in op.saved)
        stack: Any = env[op.stack.name]
        stack.append(saved[0] if len(saved) == 1 else saved)
    # All at once: the next of one may be the inside of another.
    env.update([(c.inside.name, _raw(c.next, env)) for c in op.carries])
    return ends


def _leave(op: For | While, env: Env) -> None:
    env.update([(c.out.name, env[c.inside.name]) for c in op.carries])
