"""A function without usable source -> the error that says why, and what to do."""

import linecache
from collections.abc import Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType, FunctionType

from yota_ast.errors import (
    InternalError,
    Location,
    NoRule,
    SourceUnavailable,
    YotaError,
)
from yota_ast.support.file_owners import is_ours
from yota_ast.support.proxies import poses_as_another
from yota_ast.syntax.names import GENERATED

_DIFFERENCES = "Take differences of gradients: (g(x + h * v) - g(x - h * v)) / (2 * h)."
_RULE = "State its derivative with `diffrule`."
_IN_A_FILE = "Put the function into a file and import it."


def _called(fn: object) -> str:
    """What a message calls something: its name, or its class if it has none."""
    name = getattr(fn, "__name__", None)
    return f"`{name}`" if name else f"an object of class `{_type_name(fn)}`"


def not_a_function(fn: object, called: str = "") -> SourceUnavailable:
    """Return the refusal of what is no Python function, which a call may name."""
    if poses_as_another(fn):
        return _stand_in(fn, called)
    name = getattr(fn, "__name__", None) or type(fn).__name__
    if isinstance(fn, type):
        return SourceUnavailable(
            f"`{name}` is a class, not a function", remedy="Name one of its methods."
        )
    if type(fn).__module__ == "numpy" and type(fn).__name__ == "ufunc":
        return SourceUnavailable(
            f"`{name}` is a NumPy ufunc, implemented in C", remedy=_RULE
        )
    if is_vectorized(fn):
        return SourceUnavailable(
            f"`{name}` is an object of class vectorize",
            remedy=f"Differentiate a function that calls it: lambda x: {name}(x).",
        )
    for attribute in ("__wrapped__", "py_func"):
        inner = getattr(fn, attribute, None)
        if isinstance(inner, FunctionType):
            return SourceUnavailable(
                f"`{name}` is a {_type_name(fn)} that wraps a Python function",
                remedy=f"Use the function itself: `{name}.{attribute}`.",
            )
    if isinstance(fn, BuiltinFunctionType) or callable(fn):
        return SourceUnavailable(f"{_called(fn)} is implemented in C", remedy=_RULE)
    return SourceUnavailable(
        f"an object of class `{_type_name(fn)}` cannot be called",
        remedy="Give a function, or an object that can be called.",
    )


def is_vectorized(fn: object) -> bool:
    """Whether something is what `np.vectorize` makes: it is followed where it is called
    in a function."""
    cls = type(fn)
    return (cls.__module__, cls.__name__) == ("numpy", "vectorize")


def _stand_in(fn: object, called: str) -> SourceUnavailable:
    """Return the refusal of a proxy, which `isinstance` takes for a function."""
    own = getattr(fn, "__name__", None)
    name = called or (own if isinstance(own, str) else "this")
    wraps = callable(getattr(fn, "__wrapped__", None))
    inside = f": `{name}.__wrapped__`" if wraps else ""
    kind = _type_name(fn)
    return SourceUnavailable(
        f"`{name}` is a {kind}, which wraps a function and may change what it computes",
        remedy=f"Use the function itself{inside}.",
    )


def no_text(fn: FunctionType) -> SourceUnavailable:
    """Return the refusal of a function whose text is nowhere."""
    filename, name = fn.__code__.co_filename, fn.__qualname__
    if not is_virtual(filename):
        return SourceUnavailable(
            f"`{name}` was defined in {filename}, which cannot be read",
            remedy="Run where its source file is installed and readable.",
        )
    return _never_kept(fn)


def other_text(fn: FunctionType) -> SourceUnavailable:
    """Return the refusal of a function that is not what its file says."""
    if is_virtual(fn.__code__.co_filename):
        return _never_kept(fn)
    at, name = first_line(fn), fn.__name__
    why = "the file changed since it was imported"
    remedy = "Import it again: restart Python, or use `importlib.reload`."
    before = linecache.getline(at.filename, at.lineno - 1)
    if "@" in (at.text.lstrip()[:1], before.lstrip()[:1]):
        why = f"a decorator has rewritten it, or {why}"
        remedy = (
            f"Leave the decorator out, `checked = decorator({name})`,\n"
            f"and differentiate `{name}`; or import it again."
        )
    return SourceUnavailable(
        f"`{fn.__qualname__}` differs from the source in its file: {why}",
        at=at,
        remedy=remedy,
    )


def ambiguous(fn: FunctionType) -> SourceUnavailable:
    """Return the refusal of a lambda that cannot be told from its neighbour."""
    return SourceUnavailable(
        "this line has several lambdas, and Python keeps no columns "
        "(`-X no_debug_ranges` or PYTHONNODEBUGRANGES)",
        at=first_line(fn),
        remedy="Put each lambda on a line of its own.",
    )


def asserts_are_rewritten(fn: FunctionType) -> bool:
    """Say whether the module of `fn` was imported by pytest, which rewrites asserts."""
    loader = type(fn.__globals__.get("__loader__"))
    return (loader.__module__, loader.__name__) == (
        "_pytest.assertion.rewrite",
        "AssertionRewritingHook",
    )


def _never_kept(fn: FunctionType) -> SourceUnavailable:
    filename, name = fn.__code__.co_filename, fn.__qualname__
    if fn.__code__.co_qualname.startswith("__create_fn__"):
        return SourceUnavailable(
            f"`{name}` was generated by `dataclasses`, which keeps no source",
            remedy="Write the method out in the class.",
        )
    if str(fn.__globals__.get("__name__", "")).startswith("namedtuple_"):
        return SourceUnavailable(
            f"`{name}` was generated by `namedtuple`, which keeps no source",
            remedy="Write a function that builds the tuple.",
        )
    if filename == "<stdin>":
        return SourceUnavailable(
            f"`{name}` was typed at the prompt, which kept no source",
            remedy=f"{_IN_A_FILE[:-1]}, or use IPython.",
        )
    if filename == "<magic-timeit>":
        return SourceUnavailable(
            f"`{fn.__name__}` may use the setup line of `%%timeit`, which is not kept",
            remedy="Define it in a cell of its own.",
        )
    if filename.startswith("<frozen "):
        return SourceUnavailable(
            f"`{name}` is frozen into Python itself, without its source", remedy=_RULE
        )
    return SourceUnavailable(
        f"`{name}` was made by `exec` or `eval`, and its source was not kept",
        remedy="Make it by `ya.from_source(text, namespace)`, which keeps the source,\n"
        'or record a call by `ya.trace(f, *args, tracer="values")`.',
    )


def first_line(fn: FunctionType) -> Location:
    """Return the place of the line at which a function begins."""
    filename, line = fn.__code__.co_filename, fn.__code__.co_firstlineno
    text = linecache.getline(filename, line).rstrip("\r\n")
    start = len(text) - len(text.lstrip())
    end = len(text.encode("utf-8", "replace"))
    return Location(filename, line, start, end, text)


def is_virtual(filename: str) -> bool:
    """Say whether a name is none of a file: `<stdin>`, `<string>`."""
    return filename.startswith("<") and filename.endswith(">")


def _type_name(fn: object) -> str:
    return type(fn).__qualname__


@contextmanager
def refused_again(fn: object) -> Iterator[None]:
    """While the gradient of a function is differentiated: say of a refusal in its
    generated code which function of the user's it is about, and what can be done."""
    try:
        yield
    except InternalError:
        raise
    except YotaError as error:
        at = error.place
        if at is None or not isinstance(fn, FunctionType) or not is_generated(at):
            raise
        raise type(error)(
            f"the gradient of `{fn.__name__}` is not differentiated again: "
            f"{error.reason}",
            at=first_line(fn),
            remedy=error.remedy if isinstance(error, NoRule) else _DIFFERENCES,
        ) from None


def is_generated(at: Location) -> bool:
    """Whether a place is in generated code, or in a helper that is copied there."""
    return at.filename.startswith(GENERATED) or is_ours(at.filename)
