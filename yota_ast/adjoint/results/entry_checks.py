"""A tape, and what the rewrites took for granted -> the checks at the entry.

Generated code knows of its arguments that some are real numbers, and others arrays of
floats. It begins with a test that this holds of what it is given, whatever that is: a
list, None, complex numbers. Then the shapes are compared.

>>> from yota_ast.ir.abstract_values import FLOAT
>>> from yota_ast.ir.nodes import Block
>>> x, w = Var("x", fact_of(np.ones((3, 2)), "x"), "x"), Var("w", FLOAT, "w")
>>> tape = Tape("f", (Parameter(x), Parameter(w)), Block(), x)
>>> for check in checks_of(tape, Assumptions(), ("x", "w")):
...     print(check.test, "->", check.message)
getattr(x, "ndim", 0) != 2 or x.dtype.kind != "f" -> made for x (n, m), floats
hasattr(w, "__len__") -> made for a number w
"""

from __future__ import annotations

import operator
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeGuard, assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.rewrites.rewrite_engine import LITERALS
from yota_ast.adjoint.rewrites.shape_assumptions import Shaped, arguments_of, shaped
from yota_ast.ir.abstract_values import (
    CONTAINERS,
    NUMBERS,
    Fact,
    fact_of,
    keys_of_items,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import ends_of, handed_on
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.entry_tests import FLOATS, Check
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import (
    Apply,
    Compound,
    For,
    Op,
    Read,
    Simple,
    Store,
    While,
    atoms_of,
    walk,
)
from yota_ast.ir.tape import Program, Tape
from yota_ast.ops import info
from yota_ast.ops.result_kinds import allocates
from yota_ast.support.value_classes import REAL_KINDS
from yota_ast.syntax.value_paths import follow, item_text

_FLOATS: Final = "f"
_COMPLEX: Final = "c"
_QUOTED: Final = {_FLOATS: '"f"', _COMPLEX: '"c"'}
_HELD: Final = {
    _FLOATS: "floats",
    _COMPLEX: "complex numbers",
    REAL_KINDS: "real numbers",
}
"""What arrays hold, by the kinds of their dtypes."""
LINE: Final = 60
"""How long a comparison of several kinds is, to stand on one line."""
MOST_ITEMS: Final = 12
"""How many items of a container are checked one by one."""


@dataclass(frozen=True, slots=True)
class Given:
    """What generated code is given at a place.

    text: a parameter, a field, an item; `*p` are all items of p. facts: of that, or of
    each item. name: the variable that it becomes.
    """

    text: str
    facts: tuple[Fact, ...]
    name: str = ""

    @property
    def fact(self) -> Fact:
        """What is known of it, where it is one value."""
        return self.facts[0]


def checks_of(
    tape: Tape, assumed: Assumptions, wrt: Container[str] = ()
) -> tuple[Check, ...]:
    """The checks that generated code makes of its arguments before it starts.

    wrt: the parameters whose gradients it gives, also where nothing reads them.
    """
    assumed.take(tape.granted)
    read, every, before = _read(tape), arguments_of(tape), tape.granted.texts
    plain = [(t, v) for t, v in every if v.name in read or v.name in wrt or t in before]
    given = [Given(t, (v.fact,), v.name) for t, v in plain]
    given += [g for t, v in every if v.name in read for g in _items(t, v.fact)]
    given = _together(given, [(t, v.fact) for t, v in every])
    arrays = [(g.text, Var(g.name, g.fact)) for g in given if g.fact.kind == "array"]
    odd = frozenset(_odd_fields(tape))
    usual = [each for each in given if each.name not in odd]
    asked, fixed = _asked_alone(tape), _fixed(tape, wrt)
    of_arrays = tuple(_arrays(given, shaped(tape, assumed, arrays)))
    told = frozenset(text for check in of_arrays for text in check.arrays)
    return (
        *of_arrays,
        *_many(t for t in every if t[1].name in read),
        *_numbers(given, assumed),
        *_of_any_kind(usual, tape.params, asked | fixed),
        *_of_real_numbers(usual, fixed - asked),
        *_complex(tape.params),
        *_whole(given, assumed),
        *_rising(assumed),
        *_distinct(tape),
        *tape.granted.rest(told),
    )


def left_out(tape: Tape, program: Program) -> tuple[Check, ...]:
    """That no number is None with which an op computes that the program leaves out.

    There is nothing left to raise, unless the program computes with the number in any
    case: outside its branches and loops.
    """
    numbers = [p.var for p in tape.params if p.var.fact.is_number]
    if not numbers:
        return ()
    clauses = (guard.block for guard in program.guards)
    own = program.plain or program.forward
    blocks = (own, *clauses, program.reverse)
    kept = {key for block in blocks for op in walk(block) for key in _keys(op)}
    ops = [*walk(tape.block)]
    gone = [op for op in ops if (keys := _keys(op)) and kept.isdisjoint(keys)]
    idle = [op for op in ops if not _keys(op) or _holds(op)]
    left = _computed(op for op in own if isinstance(op, Apply))
    found = _computed([*idle, *gone]) - left
    return tuple(Check.present(v.name) for v in numbers if v in found)


def _keys(op: Op) -> tuple[object, ...]:
    """What tells an op that computes from others: its result, and what it does."""
    match op:
        case Store():
            return (op.out.name,)
        case Apply():
            return (op.out.name, (op.fn, op.args, op.kwargs))
        case Simple() | Compound():
            return ()
        case _:
            assert_never(op)


def _computed(ops: Iterable[Op]) -> set[object]:
    """What these ops compute with, also where another one holds it for them."""
    last_first = [*reversed([*ops])]
    found, before = set[object](), -1
    while before != len(found):  # what a loop hands on may be computed with above it
        before = len(found)
        for op in last_first:
            found |= _computed_by(op, found)
    return found


def _computed_by(op: Op, found: set[object]) -> set[object]:
    """What one op computes with, where those are computed with that are found.

    An op that selects takes an item of any kind, and leaves it as it is.
    """
    if isinstance(op, Apply):
        idle = info(op.fn).selects or (_holds(op) and op.out not in found)
        return set() if idle else {*atoms_of(op)}
    if not (handed := [*handed_on(op)]):
        return {*atoms_of(op), *ends_of(op)}
    read = {a for ends, outs in handed if not found.isdisjoint(outs) for a in ends}
    return {*read, *_deciding(op)}


def _deciding(op: Op) -> tuple[Atom, ...]:
    """What an op reads of its own to tell what it does: a test, what a loop runs over
    and where it ends."""
    match op:
        case For():
            return (op.iterable, *(() if op.stop is None else (op.stop,)))
        case While():
            return (op.test, *(() if op.stop is None else (op.stop,)))
        case Simple() | Compound():
            return atoms_of(op)
        case _:
            assert_never(op)


def _holds(op: Op) -> TypeGuard[Apply]:
    """Whether an op takes values of any kind: it holds them, or asks what they are."""
    if not isinstance(op, Apply):
        return False
    holding = op.fn in (*LITERALS, build_tuple)
    return holding or allocates(op.fn) or info(op.fn).asks


def _read(tape: Tape) -> frozenset[str]:
    """The variables that the tape reads as they are; not those that it takes apart."""
    ops = [op for op in walk(tape.block) if not isinstance(op, Read)]
    atoms = [a for op in ops for a in (*atoms_of(op), *ends_of(op))]
    return frozenset(a.name for a in (*atoms, tape.result) if isinstance(a, Var))


def _asked_alone(tape: Tape) -> frozenset[str]:
    """The variables that are compared or asked for their class, and read no further: a
    string that selects, a class, an object of some classes, an index, and what such are
    items of.
    """
    asked, computed = set[str](), set[str]()
    loops = list[For]()
    for op in walk(tape.block):
        match op:
            case Read():
                asked.add(op.root.name)
                continue
            case For():
                loops.append(op)
                op = replace(op, iterable=Const(None))
            case Simple() | Compound():
                pass
            case _:
                assert_never(op)
        alone = _asks(op)
        read = [a for a in (*atoms_of(op), *ends_of(op)) if isinstance(a, Var)]
        index = _index_of(op)
        asked.update(a.name for a in read if alone or a is index)
        computed.update(a.name for a in read if not alone and a is not index)
    for loop in reversed(loops):  # the inner ones first
        items = {v.name for v in loop.targets}
        names = asked if items <= asked - computed else computed
        names.update({loop.iterable.name} if isinstance(loop.iterable, Var) else ())
    return frozenset(asked - computed)


def _asks(op: Op) -> bool:
    """Whether an op compares, or asks for a class, and does no more."""
    return isinstance(op, Apply) and info(op.fn).asks


def _index_of(op: Op) -> Atom | None:
    """The index by which an op takes or writes a part."""
    match op:
        case Store():
            return op.index
        case Apply():
            return op.args[1] if op.fn is operator.getitem else None
        case Simple() | Compound():
            return None
        case _:
            assert_never(op)


def _fixed(tape: Tape, wrt: Container[str]) -> frozenset[str]:
    """The parameters that need be no floats, where nothing is written into memory: they
    have no gradient, and no adjoint is made like them."""
    if any(isinstance(op, Store) for op in walk(tape.block)):
        return frozenset()
    return frozenset(p.var.name for p in tape.params if p.var.name not in wrt)


def _items(text: str, fact: Fact) -> Iterator[Given]:
    """The items of a container that is read as a whole: all at once, or each.

    >>> [g.text for g in _items("p", fact_of([1.0, (2.0, 3.0)]))]
    ['p[0]', 'p[1]', '*p[1]']
    """
    items = fact.items or ()
    if fact.kind not in CONTAINERS or not items:
        return
    if fact.kind != "dict" and all(map(_is_real, items)):
        yield Given(f"*{text}", items)
    elif len(items) <= MOST_ITEMS:
        for key, item in zip(keys_of_items(fact), items, strict=True):
            one = item_text(text, key)
            yield Given(one, (item,))
            yield from _items(one, item)


def _many(every: Iterable[tuple[str, Var]]) -> Iterator[Check]:
    """That the items of long lists are arrays of floats, all of as many axes.

    >>> (check,) = _many([("W", Var("W", fact_of([np.ones(3)] * 20)))])
    >>> check.test
    'any(getattr(v, "ndim", 0) != 1 or v.dtype.kind != "f" for v in W)'
    """
    for text, var in every:
        items = var.fact.items or ()
        kinds = {(_held_by(f), f.rank) for f in items}
        if len(items) <= MOST_ITEMS or len(kinds) > 1:
            continue
        values = f"{text}.values()" if var.fact.kind == "dict" else text
        kind, rank = kinds.pop()
        if kind == _FLOATS and rank:
            axes = f'getattr(v, "ndim", 0) != {rank} or v.dtype.kind != "f"'
            told = "1 axis" if rank == 1 else f"{rank} axes"
            message = f"made for arrays of {told}, floats, in {text}"
            yield Check(f"any({axes} for v in {values})", message)


def _together(
    given: Sequence[Given], containers: Sequence[tuple[str, Fact]]
) -> list[Given]:
    """The same, numbers as `*p` that are all the items of one list.

    >>> one, two = (Given(f"p[{k}]", (fact_of(1.0),)) for k in range(2))
    >>> [g.text for g in _together([one, two], [("p", fact_of([1.0, 2.0]))])]
    ['*p']
    """
    known = {each.text for each in given}
    found = {each.text: each for each in given}
    for text, fact in containers:
        items = fact.items or ()
        if fact.kind not in ("list", "tuple") or not items:
            continue
        within = [item_text(text, k) for k in keys_of_items(fact)]
        if all(map(_is_real, items)) and (f"*{text}" in known or known >= {*within}):
            found = {t: each for t, each in found.items() if t not in within}
            found[f"*{text}"] = Given(f"*{text}", items)
        deeper = list(zip(within, items, strict=True))
        found = {each.text: each for each in _together([*found.values()], deeper)}
    return list(found.values())


# ------------------------------------------------------------------------- arrays


def _arrays(given: Sequence[Given], shapes: Shaped) -> Iterator[Check]:
    """That arrays are such, of the kinds and of the shapes that are known."""
    by_kind = {kind: [g for g in given if _kind_of(g) == kind] for kind in _HELD}
    others = [g.text for g in given if _kind_of(g) and g.text not in shapes.arrays]
    tests = [f'not hasattr({text}, "dtype")' for text in others]
    tests += [*shapes.tests, *_kinds(by_kind)]
    told = [shapes.told] if shapes.arrays else [f"arrays {', '.join(others)}"]
    told += _told_of(by_kind, shapes.arrays)
    if tests:
        message = f"made for {', '.join(told)}"
        asked = (*shapes.arrays, *others)
        yield Check(" or ".join(tests), message, kinds=True, arrays=asked)


def _kinds(by_kind: Mapping[str, Sequence[Given]]) -> Iterator[str]:
    """The tests of the numbers that arrays hold: floats are tested for all arrays that
    held such, for the adjoints of others may be cut off."""
    for kind in (_FLOATS, _COMPLEX):
        texts = [f"{each.text}.dtype.kind" for each in by_kind[kind]]
        while texts:
            n = len(texts)
            while n > 1 and len(" == ".join(texts[:n])) > LINE:
                n -= 1
            some, texts = texts[:n], texts[n:]
            no = f"{some[0]} !=" if n == 1 else f"not {' == '.join(some)} =="
            yield f"{no} {_QUOTED[kind]}"


def _kind_of(given: Given) -> str:
    """The kinds of numbers that an array holds, or each of several arrays."""
    kinds = {_held_by(fact) for fact in given.facts}
    return kinds.pop() if len(kinds) == 1 else ""


def _listed(found: Iterable[Given]) -> str:
    return ", ".join(each.text for each in found)


def _held_by(fact: Fact) -> str:
    """The kinds of numbers that an argument holds which is an array as NumPy's are."""
    if fact.kind != "array" or not _is_plain(fact.cls):
        return ""
    if fact.dtype is None or fact.dtype.kind == "f":
        return _FLOATS
    kind = fact.dtype.kind
    return _COMPLEX if kind == "c" else REAL_KINDS if kind in "biu" else ""


def _is_plain(cls: type | None) -> bool:
    """Whether a class of arrays is none that somebody has derived of NumPy's."""
    own = cls is not None and cls not in (np.ndarray, np.memmap)
    return not (own and np.ndarray in getattr(cls, "__mro__", ()))


def _told_of(
    by_kind: Mapping[str, Sequence[Given]], shapes: Iterable[str]
) -> Iterator[str]:
    """What the arrays hold, as a message tells it after their shapes."""
    if [each.text for each in by_kind[_FLOATS]] == [*shapes]:
        yield _HELD[_FLOATS]
        return
    for kind in (_FLOATS, _COMPLEX):
        if by_kind[kind]:
            yield f"{_HELD[kind]} in {_listed(by_kind[kind])}"


# ------------------------------------------------------------------------- numbers


def _numbers(given: Iterable[Given], assumed: Assumptions) -> Iterator[Check]:
    """That numbers are such, and none of arrays; whole ones where it matters."""
    texts, picking = [], dict[str, list[str]]()
    for each in given:
        single = each.name in assumed.single or each.name in assumed.unsliced
        number = each.fact.is_scalar and each.fact.kind != "array"
        if all(map(_is_real, each.facts)) or (single and each.fact.kind == "bool"):
            texts.append(each.text)
        elif each.fact.is_complex and number:
            test = (
                f'hasattr({each.text}, "__len__") or not np.iscomplexobj({each.text})'
            )
            yield Check(test, f"made for a complex number {each.text}")
        elif single and number:
            types = "(bool, slice)" if each.name in assumed.unsliced else "bool"
            picking.setdefault(types, []).append(each.text)
        elif each.fact.present is not None and _is_real(each.fact.present):
            test = f"{each.text} is not None and {Check.number(each.text).test}"
            yield Check(test, f"made for a number {each.text}, or None")
    yield from (Check.indices(some, types) for types, some in picking.items())
    if texts:
        yield Check.numbers(texts)


def _is_real(fact: Fact) -> bool:
    """Whether a value is a float, of Python or of NumPy."""
    return fact.kind in NUMBERS and (fact.dtype is None or fact.dtype.kind == "f")


def _of_any_kind(
    given: Iterable[Given], params: Iterable[Parameter], others: Container[str]
) -> Iterator[Check]:
    """That arguments of which nothing is known are real numbers or arrays of floats, as
    their defaults are, where they are computed with and none of the others."""
    odd = {p.var.name for p in params if p.default and not _may_be_real(p.default)}
    texts = [t for t, name in _unknown(given) if name not in odd and name not in others]
    if texts:
        listed = ", ".join(texts)
        kind = "a number or an array" if len(texts) == 1 else "numbers or arrays"
        test = f"not {FLOATS}({listed})"
        yield Check(test, f"made for {kind} of floats {listed}", kinds=True)


def _of_real_numbers(given: Iterable[Given], fixed: Container[str]) -> Iterator[Check]:
    """That what has no gradient holds no complex numbers: adjoints are without
    conjugates."""
    texts = [text for text, name in _unknown(given) if name in fixed]
    if texts:
        test, listed = f"np.iscomplexobj({texts[0]})", ", ".join(texts)
        if len(texts) > 1:
            test = f"any(np.iscomplexobj(v) for v in ({listed}))"
        yield Check(test, f"made for real numbers {listed}", kinds=True)


def _unknown(given: Iterable[Given]) -> Iterator[tuple[str, str]]:
    """The texts and names of what is computed with, and of which nothing is known."""
    return ((each.text, each.name) for each in given if each.fact.kind == "real")


def _odd_fields(tape: Tape) -> Iterator[str]:
    """The fields which are no numbers in the default of their parameter."""
    defaults = {p.var.name: p.default for p in tape.params if p.default}
    for op in tape.block:
        if isinstance(op, Read) and op.root.name in defaults:
            try:
                value = follow(defaults[op.root.name].value, op.path)
            except (AttributeError, LookupError, TypeError):
                continue  # the default has no such field
            if not _may_be_real(Const(value)):
                yield op.out.name


def _may_be_real(default: Const) -> bool:
    return fact_of(default.value).is_numeric


def _complex(params: Iterable[Parameter]) -> Iterator[Check]:
    """That what may be anything holds no complex numbers: adjoints are without
    conjugates."""
    for param in params:
        text, fact = param.var.name, param.var.fact
        if fact.kind == "unknown":
            test = f"np.iscomplexobj({text})"
        elif param.kind in ("args", "kwargs") and fact.items is None:
            values = text if param.kind == "args" else f"{text}.values()"
            test = f"any(np.iscomplexobj(v) for v in {values})"
        else:
            continue
        yield Check(test, f"made for real numbers {text}")


def _whole(given: Iterable[Given], assumed: Assumptions) -> Iterator[Check]:
    """That arrays hold whole numbers, where a function cuts floats that it stores."""
    for each in given:
        if each.name in assumed.whole and each.fact.may_be_array:
            test = f'{each.text}.dtype.kind in "fc"'
            yield Check(test, f"made for whole numbers in {each.text}")


def _rising(assumed: Assumptions) -> Iterator[Check]:
    """That the segments between the numbers of an array lie one after another, within
    other arrays."""
    for text, ends in assumed.rising.items():
        beyond = "".join(f" or {text}[-1] > {end}" for end in ends)
        falls = f"np.any({text}[1:] < {text}[:-1])"
        test = f"len({text}) < 1 or {text}[0] < 0 or {falls}{beyond}"
        reach = " and ".join(map(str, ends))
        message = f"made for numbers {text} that do not fall, from 0 to at most {reach}"
        yield Check(test, message)


def _distinct(tape: Tape) -> Iterator[Check]:
    """That an argument which is written is not part of another."""
    if not tape.distinct:
        return
    tests = " or ".join(f"np.shares_memory({a}, {b})" for a, b in tape.distinct)
    written = " and ".join(dict.fromkeys(f"`{a}`" for a, _ in tape.distinct))
    message = f"{written} is written: the arguments must share no memory"
    yield Check(tests, message)
