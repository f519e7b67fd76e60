"""A function and arguments -> the text of what it does with them.

The function is called once, with values that record what is done with them. The text
has a parameter for each argument of the call, and raises ValueError where the function
might do something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.errors import UnsupportedCall
from yota_ast.ir.abstract_values import fact_of
from yota_ast.ir.atoms import Var
from yota_ast.ir.tape import RECORDED
from yota_ast.recording.caught_functions import caught
from yota_ast.recording.drawn_numbers import Draws
from yota_ast.recording.recorded_arguments import recorded
from yota_ast.recording.recorded_call import RecordedCall, title_of
from yota_ast.recording.recorded_steps import Written, written
from yota_ast.recording.recorder import Recorder, holds_recorded
from yota_ast.recording.settled_values import without_known
from yota_ast.rules.notation.rule import BOOK
from yota_ast.syntax import Node, literal, nodes, print_stmts

_MOST_TOLD: Final = 8
"""How many branches the docstring names."""


@dataclass(frozen=True, slots=True)
class Record:
    """name: of the function that the text defines. names: what it reads."""

    name: str
    text: str
    names: Mapping[str, object]


def record(
    fn: Callable[..., Any], call: RecordedCall, more: Sequence[Any] = ()
) -> Record:
    """Record what a function does in a call.

    more: functions that stay one operation, beside those with rules.

    Raises UnsupportedCall where something of it cannot be seen.
    """
    title = title_of(fn)
    recorder = Recorder(title, [*call.names, title])
    given = {p.name: recorded(recorder, p.name, p.value) for p in call.parameters}
    before = _layout(given)
    fns = (*_of_the_book(), *more)
    recorder.is_whole = partial(_is_whole, tuple(more))
    with Draws() as draws, caught(fns, recorder.called, holds_recorded):
        result = _run(recorder, fn, call, given)
    recorder.ended = True
    if draws.found:
        raise UnsupportedCall(
            f"`{title}` draws random numbers, which would be the same in every call",
            remedy="Draw outside of it, and give it what is drawn as an argument.",
        )
    if before != _layout(given):
        raise UnsupportedCall(
            f"`{title}` changes a list or a dict among its arguments",
            remedy="Return what is new instead.",
        )
    return _text(recorder, call, result)


def _of_the_book() -> tuple[Any, ...]:
    """The functions with rules. Those of `math` are read by their names, which are not
    theirs while they are caught: this is done before."""
    BOOK.open_chapters()
    fns = BOOK.primitives()
    for fn in fns:
        if getattr(fn, "__module__", None) in ("math", "cmath"):
            BOOK.rules_of(fn)
    return fns


def _is_whole(more: Any, fn: Any, args: Any, kwargs: Mapping[str, Any]) -> bool:
    """Whether a call stays one operation: a rule fits, where the user states one."""
    atoms = [Var("x", fact_of(a)) for a in args]
    keywords = [(name, Var("x", fact_of(a))) for name, a in kwargs.items()]
    return any(fn is m for m in more) or BOOK.is_primitive(fn, atoms, keywords)


def _run(
    recorder: Recorder, fn: Callable[..., Any], call: RecordedCall, given: Any
) -> Node:
    """Call the function; return the expression of its result."""
    try:
        result = call.of(fn, given)
        recorder.raw(result)
        tree = recorder.trees.of(result)
    except Exception as caught_error:  # noqa: BLE001  it has raised none before
        refusal = recorder.refusal or _raised(recorder.title, caught_error)
        raise refusal from None
    if recorder.refusal is not None:  # which the function has caught
        raise recorder.refusal
    if recorder.failed is not None:
        name, error = recorder.failed
        raise UnsupportedCall(
            f"`{recorder.title}` catches a {type(error).__name__} of `{name}`, which"
            " other arguments may not raise",
            remedy="Ask for what raises it before, or give the function a source.",
        )
    if not holds_recorded(result):
        raise UnsupportedCall(
            f"the result of `{recorder.title}` does not follow from what is recorded of"
            " its arguments",
            remedy="Return a number, an array, or a list, tuple or dict of such.",
        )
    return tree


def _raised(title: str, error: Exception) -> UnsupportedCall:
    """The refusal of a function that has not raised before, of the values alone."""
    return UnsupportedCall(
        f"`{title}` raises a {type(error).__name__} of recorded values, which NumPy's"
        f" protocols do not reach: {error}",
        remedy="Make `np.stack([x, y])` of lists, or give the function a source.",
    )


def _layout(value: Any) -> Any:
    """Which values a container holds, and where."""
    if type(value) is dict:
        return [(key, _layout(item)) for key, item in value.items()]
    if type(value) in (list, tuple):
        return [type(value), *map(_layout, value)]
    return id(value)


# ---------------------------------------------------------------- the text


def _text(recorder: Recorder, call: RecordedCall, result: Node) -> Record:
    trees, title = recorder.trees, recorder.title
    head = call.head(trees)  # before the names of other values are given
    steps = without_known(recorder.steps, recorder.made)
    body = written(steps, result, trees.pool, title)
    doc = nodes.Expr(literal("\n".join(_doc(title, body, trees.constants)) + "\n    "))
    statements = [doc, *body.statements]
    made = nodes.FunctionDef(title, head, statements, [], None, None, [])
    return Record(title, print_stmts([made]), trees.names)


def _doc(title: str, body: Written, constants: Mapping[str, str]) -> Iterable[str]:
    """What the record rests on, as its docstring."""
    yield f"Value of {title}, recorded from the values of one call."
    branches = [f"`{subject}`, which {told}" for subject, told in body.branches]
    branches = [*dict.fromkeys(branches)]
    if branches:
        yield ""
    for branch in branches[:_MOST_TOLD]:
        yield f"    {RECORDED}the branch {branch} at the example."
    if len(branches) > _MOST_TOLD:
        more = len(branches) - _MOST_TOLD
        yield f"    {RECORDED}{more} more branches, which the code checks."
    if constants:
        yield ""
    for name, told in constants.items():
        yield f"    {name}: an array that was met, {told}."
