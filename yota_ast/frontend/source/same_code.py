"""Two code objects -> whether they are of the same text.

>>> one, two, other = (compile(t, "x", "eval") for t in ("a + 1", "a+1", "a + 1.0"))
>>> same_code(one, two), same_code(one, other)
(True, False)
"""

from types import CodeType

_EXACT = (
    "co_code",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
    "co_exceptiontable",
)
_PARAMETERS = (
    "co_name",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_freevars",
)


def same_code(one: CodeType, other: CodeType) -> bool:
    """Say whether two code objects do the same, wherever their text stands."""
    return _equal(one, other, (*_EXACT, *_PARAMETERS)) and _same_constants(one, other)


def same_positions(one: CodeType, other: CodeType) -> bool:
    """Say whether the instructions of two code objects stand in the same places."""
    return list(one.co_positions()) == list(other.co_positions())


def same_but_asserts(code: CodeType, rewritten: CodeType) -> bool:
    """Say whether `rewritten` may be `code` after pytest rewrote its asserts.

    What pytest adds are names beginning with ``@``, calls and texts; nothing that
    the function itself names or holds may be gone.
    """
    if not _equal(code, rewritten, _PARAMETERS):
        return False
    own = [name for name in rewritten.co_varnames if not name.startswith("@")]
    if tuple(own) != code.co_varnames:
        return False
    if not set(code.co_names) <= {*rewritten.co_names, "AssertionError"}:
        return False
    return all(
        isinstance(constant, str) or _among(constant, rewritten.co_consts)
        for constant in code.co_consts
    )


def _among(constant: object, constants: tuple[object, ...]) -> bool:
    if isinstance(constant, CodeType):
        codes = (c for c in constants if isinstance(c, CodeType))
        return any(
            same_code(constant, c) or same_but_asserts(constant, c) for c in codes
        )
    return constant is None or any(_same_constant(constant, c) for c in constants)


def _equal(one: CodeType, other: CodeType, attributes: tuple[str, ...]) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in attributes)


def _same_constants(one: CodeType, other: CodeType) -> bool:
    pairs = zip(one.co_consts, other.co_consts, strict=False)
    return len(one.co_consts) == len(other.co_consts) and all(
        _same_constant(a, b) for a, b in pairs
    )


def _same_constant(one: object, other: object) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, CodeType) and isinstance(other, CodeType):
        return same_code(one, other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_same_constant(a, b) for a, b in pairs)
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return {(type(a), repr(a)) for a in one} == {(type(b), repr(b)) for b in other}
    # repr tells 0.0 from -0.0 and finds nan equal to itself.
    return repr(one) == repr(other)
