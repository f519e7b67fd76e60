"""What is written into texts, records and arrays of objects, and read back: refused;
so is what is an object in another case, and so are whole numbers in containers.

`float(f"{x}")` and `np.array([x], dtype=object)[0]` give numbers that move with x. No
rule follows them there and back, and without a word their slope would be 0. That of
`float(f"{x:.2f}")`, which rounds, is 0.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from typing import assert_never

from yota_ast.adjoint.reverse.contributions import fact_of_end
from yota_ast.adjoint.saving.values_of_entries import hands_value
from yota_ast.analysis.activity import Activity, Through, activity
from yota_ast.errors import UnsupportedCall, UnsupportedSyntax
from yota_ast.ir.abstract_values import (
    CONTAINERS,
    LABELLED,
    MIXED,
    OPAQUE,
    PERHAPS_SEQUENCE,
    UNKNOWN,
    Fact,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import builds
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    Op,
    Simple,
    Store,
    atoms_of,
    defined_by,
    walk,
)
from yota_ast.ir.tape import Tape
from yota_ast.ops.algebra import joins
from yota_ast.support.shown_values import Shown
from yota_ast.support.value_classes import (
    SPARSE_VARIES,
    has_labels,
    has_numbers,
    holds_sparse,
)

OBJECTS, TEXTS = "O", "SU"
_OF_TABLES = (
    "Give its numbers: s.to_numpy() of pandas and xarray, q.magnitude of pint,"
    " np.asarray(a) of others."
)
_OF_UNKNOWN = (
    "Give its numbers: float(value) of a number, value.to_numpy() of a table,"
    " np.asarray(value) of others. Make an object whose methods you call outside of the"
    " function."
)
_READS = ("get", "items", "keys", "values")
_VIEWS = tuple(type(getattr({}, name)()) for name in _READS[1:])
ALL_DIGITS = 15
"""With so many digits a text has all of a float."""
_PERCENT = re.compile(r"%[-+ #0]*\d*(?:\.(\d+))?([a-zA-Z])")
_SPEC = re.compile(r".*?(?:\.(\d+))?([a-zA-Z%])")


def refuse_lost(tape: Tape | Function, wrt: Iterable[Var], through: Through) -> None:
    """Refuse numbers of which the value depends where they are objects or texts.

    Raises:
        UnsupportedSyntax: the value depends on `wrt` by way of such.

    """
    ops = list(walk(tape.block))
    if not any(
        _is_field(op)
        or _joins(op)
        or _has_unknown_key(op)
        or _number_for_key(op) is not None
        or any(map(_hides, _facts_of(op)))
        for op in ops
    ):
        return

    values = {a for op in ops if hands_value(op) for a in op.args[:1]}

    def sources(op: Apply) -> tuple[Atom, ...]:
        if _is_text(op.out.fact):
            return () if _rounds(op) else atoms_of(op)
        key = _number_for_key(op)
        followed = op.out in values or hands_value(op) or _only_counts(op.out.fact)
        matrices = () if followed else _matrices_read(op)
        return (*through(op), *(() if key is None else (key,)), *matrices)

    active = activity(tape, wrt, sources, also=_hides)
    for op in ops:
        if any(_may_be_objects(v.fact) and v in active for v in defined_by(op)):
            _refuse(
                op,
                "a variable that holds an object in other cases",
                "Use numbers in every case: float(value).",
            )
        match op:
            case Apply():
                if _number_for_key(op) in active:
                    _refuse(
                        op,
                        "the keys of a dict",
                        "Compute the value, or leave the number out of `wrt`.",
                    )
                if op.out in active:
                    _refuse_result(op)
                    read = (
                        a for a in sources(op) if isinstance(a, Var) and a in active
                    )
                    _refuse_strings(op, read)
            case Store():
                if op.out in active:
                    _refuse_result(op)
            case Simple() | Compound():
                pass
            case _:
                assert_never(op)


def _refuse_result(op: Apply | Store) -> None:
    """Refuse a differentiated result that may hide numbers."""
    _refuse_tables(op)
    if _is_of(op.out.fact, OBJECTS):
        _refuse(op, "an array of objects (dtype=object)", "Use dtype=float.")
    if _joins(op):
        _refuse(
            op,
            "a joined or repeated tuple or list that is None in other cases",
            "Use one structure in every case, or a variable for each.",
        )
    if _is_field(op):
        _refuse(op, "an array of records", "Use an array for each field.")


def _refuse_strings(op: Apply, read: Iterable[Var]) -> None:
    """Refuse a number made of differentiated ones that are written in a string."""
    if _hides(op.out.fact) or builds(op.fn):
        return
    if any(_hides(a.fact) for a in read):
        _refuse(op, "a string, or a list of strings", "Use the number itself.")


def _refuse_tables(op: Op) -> None:
    """Refuse an op on a differentiated value that a table, or a dict whose keys come
    from one, has a part in."""
    if _has_unknown_key(op):
        raise UnsupportedSyntax(
            "a differentiated value is in a dict whose keys are unknown",
            at=op.origin.location,
            remedy="Keep the values in an array, and the position of each key in a "
            "dict.",
        )
    if any(fact.cls is Shown for fact in _facts_of(op)):
        raise UnsupportedSyntax(
            "a differentiated value is read back from a plot",
            at=op.origin.location,
            remedy="Compute with the numbers that are plotted.",
        )
    if any(holds_sparse(fact.cls) for fact in _facts_of(op)):
        reason, remedy = SPARSE_VARIES
        raise UnsupportedCall(reason, at=op.origin.location, remedy=remedy)
    if any(has_labels(fact.cls) for fact in _facts_of(op)):
        raise UnsupportedSyntax(
            "a differentiated value is combined with a table, or with "
            "an array of another library",
            at=op.origin.location,
            remedy=_OF_UNKNOWN if _reads_unknown(op) else _OF_TABLES,
        )


def refuse_whole_objects(block: Block, asked: Iterable[Var]) -> None:
    """Refuse an object asked for that an op reads as a whole: NumPy and Python may ask
    it for its numbers there, by `__array__` or `__float__`."""
    objects = {v for v in asked if v.fact.kind == "object" and has_numbers(v.fact.cls)}
    for op in walk(block) if objects else ():
        if not objects.isdisjoint(_numbers_read(op)):
            raise UnsupportedSyntax(
                "the derivative goes through an object that is read as a whole",
                at=op.origin.location,
                remedy="Read its array or number first: np.asarray(x), float(x).",
            )


def _numbers_read(op: Op) -> tuple[Atom, ...]:
    """What an op may ask for numbers that it gives or keeps."""
    match op:
        case Apply():
            gives = op.out.fact.holds_floats or builds(op.fn)
            return atoms_of(op) if gives else ()
        case Store():
            return (op.value,)
        case Simple() | Compound():
            return ()
        case _:
            assert_never(op)


def refuse_whole_items(
    block: Block, active: Activity, result: Atom | None = None
) -> None:
    """Refuse whole numbers asked for that go on in a container, which has adjoints for
    items that are floats alone.

    result: what a function gives to its callers, which take it apart.
    """
    for op in walk(block):
        items = _items_moved(op, active, result)
        many = isinstance(op, Apply) and op.out in active and _is_of_whole(op.out.fact)
        if many or any(a in active and _is_whole(a) for a in items):
            raise UnsupportedSyntax(
                "the derivative goes through an integer in a container",
                at=op.origin.location,
                remedy="Give floats: `x.astype(float)`, `1.0` for `1`.",
            )


def _items_moved(op: Op, active: Activity, result: Atom | None) -> tuple[Atom, ...]:
    """The items that an op puts into a container, or takes out of one."""
    match op:
        case Apply():
            return op.args if builds(op.fn) and op.out != result else ()
        case Store():
            return (op.value,) if op.target.fact.kind in ("list", "dict") else ()
        case For():
            within = fact_of_end(op.iterable).kind in CONTAINERS
            return op.targets if within and op.iterable in active else ()
        case Simple() | Compound():
            return ()
        case _:
            assert_never(op)


def _is_of_whole(known: Fact) -> bool:
    """Whether a value is a list of unknown length, of arrays of whole numbers."""
    if known.kind not in ("list", "tuple") or known.items is not None:
        return False
    return known.element is not None and _holds_whole(known.element)


def _is_whole(atom: Atom) -> bool:
    return _holds_whole(fact_of_end(atom))


def _holds_whole(known: Fact) -> bool:
    return known.kind == "int" or (known.dtype is not None and known.dtype.kind in "iu")


def _rounds(op: Apply) -> bool:
    """Whether an op writes numbers with few digits: `"%.1f" % x`, `f"{x:.3g}"`."""
    spec = op.args[-1] if op.fn is format else op.args[0] if op.args else None
    if op.fn not in (format, operator.mod) or not isinstance(spec, Const):
        return False
    if not isinstance(spec.value, str):
        return False
    if op.fn is format:
        whole = _SPEC.fullmatch(spec.value)
        found = [] if whole is None else [whole.groups()]
    else:
        text = spec.value.replace("%%", "")
        found = _PERCENT.findall(text)
        if len(found) != text.count("%"):  # as `%.*f`, whose digits are an argument
            return False
    digits = [int(n or 6) for n, kind in found if kind not in ("r", "s", "a")]
    return bool(found) and len(digits) == len(found) and max(digits) < ALL_DIGITS


def _refuse(op: Op, what: str, remedy: str) -> None:
    raise UnsupportedSyntax(
        f"the result depends on numbers in {what}",
        at=op.origin.location,
        remedy=remedy,
    )


def _facts_of(op: Op) -> list[Fact]:
    return [v.fact for v in defined_by(op)]


def _hides(fact: Fact) -> bool:
    """Whether numbers may be in a value that are not seen there."""
    if fact.kind in CONTAINERS:
        return any(map(_hides, _parts_of(fact))) and not fact.holds_floats
    opaque = fact == OPAQUE or has_labels(fact.cls) or fact.cls in _VIEWS
    opaque = opaque or holds_sparse(fact.cls)
    return opaque or _is_text(fact) or _is_of(fact, OBJECTS)


def _only_counts(fact: Fact) -> bool:
    """Whether a value is a whole number or a name, or a tuple of such: `A.shape`."""
    if fact.kind == "tuple" and fact.items:
        return all(map(_only_counts, fact.items))
    return fact.kind in ("int", "bool", "str")


def _matrices_read(op: Apply) -> tuple[Atom, ...]:
    """The sparse matrices that an op reads."""
    return tuple(a for a in atoms_of(op) if _has_sparse(fact_of_end(a)))


def _has_sparse(fact: Fact) -> bool:
    """Whether a value is a sparse matrix, or holds one."""
    if fact.kind in CONTAINERS:
        return any(map(_has_sparse, _parts_of(fact)))
    return holds_sparse(fact.cls)


def _may_be_objects(fact: Fact) -> bool:
    """Whether a value, or what a container without a float holds, may be an object."""
    if fact.kind in CONTAINERS:
        return any(map(_may_be_objects, _parts_of(fact))) and not fact.holds_floats
    return fact == OPAQUE


def _parts_of(fact: Fact) -> tuple[Fact, ...]:
    return fact.items if fact.items is not None else (fact.element or UNKNOWN,)


def _is_text(fact: Fact) -> bool:
    return fact.kind == "str" or _is_of(fact, TEXTS)


def _is_of(fact: Fact, kinds: str) -> bool:
    """Whether a value is an array of a dtype of one of some kinds, or an item."""
    return fact.dtype is not None and fact.dtype.kind in kinds


def _joins(op: Op) -> bool:
    """Whether an op may join tuples, or repeat one, where numbers would be added."""
    if not isinstance(op, Apply) or not joins(op.fn):
        return False
    known = [fact_of_end(a) for a in op.args]
    if any(k.kind in ("float", "complex") for k in known):  # that would raise
        return False
    return any(k in (PERHAPS_SEQUENCE, MIXED) for k in known)


def _reads_unknown(op: Op) -> bool:
    """Whether an op reads what a function of the user's has made of a table: a number
    or a table, the example does not tell which."""
    return any(isinstance(a, Var) and a.fact == LABELLED for a in atoms_of(op))


def _has_unknown_key(op: Op) -> bool:
    """Whether an op writes or reads a dict by a key that is known only when it runs."""
    if isinstance(op, Apply):
        by_key = op.form == "method" and op.spelling in _READS
        return by_key and fact_of_end(op.args[0]).kind == "dict"
    target = getattr(op, "target", None)  # of a store
    return isinstance(target, Var) and target.fact.kind == "dict"


def _number_for_key(op: Op) -> Var | None:
    """The float by which an op looks numbers up in a dict, as a cache does."""
    if not isinstance(op, Apply) or len(op.args) < 2 or not op.out.fact.holds_floats:
        return None
    owner, key = op.args[:2]
    looks = op.fn is operator.getitem or (op.form == "method" and op.spelling == "get")
    if not looks or fact_of_end(owner).kind != "dict" or not isinstance(key, Var):
        return None
    return key if key.fact.is_floating else None


def _is_field(op: Op) -> bool:
    """Whether an op reads a field of records, or of one of them."""
    if not isinstance(op, Apply) or op.fn is not operator.getitem:
        return False
    owner, key = op.args
    named = isinstance(key, Const) and isinstance(key.value, str)
    kinds = ("array", "scalar", "real")
    return named and isinstance(owner, Var) and owner.fact.kind in kinds
