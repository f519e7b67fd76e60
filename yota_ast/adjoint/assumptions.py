"""What the rewrites took for granted -> the checks at the entry of a text."""

from __future__ import annotations

from collections.abc import Sequence

from ..tape import Check, Read, Tape, Var
from .results import Argument
from .rewrite import Assumptions


def checks_of(
    tape: Tape, arguments: Sequence[Argument], assumed: Assumptions
) -> tuple[Check, ...]:
    """The checks that a text makes of its arguments before it starts."""
    checks = []
    if assumed.shapes:
        for text, var in _arrays(tape):
            checks += _rank_checks(text, var)
    for p, q in assumed.equal:
        checks.append(Check(f"{p} != {q}", f"{p} equal to {q}"))
    return tuple(checks)


def _arrays(tape: Tape) -> list[tuple[str, Var]]:
    found = [
        (p.var.hint or p.var.name, p.var) for p in tape.params if p.var.fact.is_numeric
    ]
    found += [
        (path_text(op), op.out)
        for op in tape.block
        if isinstance(op, Read) and op.out.fact.is_numeric
    ]
    return found


def path_text(op: Read) -> str:
    """How the text reads a field: `m.first.W`, `params["W"]`."""
    text = op.root.hint or op.root.name
    for kind, step in op.path:
        if kind == "attr":
            text += f".{step}"
        else:
            text += f'["{step}"]' if isinstance(step, str) else f"[{step!r}]"
    return text


def _rank_checks(text: str, var: Var) -> list[Check]:
    shape, name = var.fact.shape, var.fact.kind
    if name != "array" or not isinstance(shape, tuple):
        return []
    checks = [Check(f"{text}.ndim != {len(shape)}", f"{text} with {len(shape)} axes")]
    for k, dim in enumerate(shape):
        if dim is not None and dim.is_unit:
            where = f"{text}.shape[{k}]"
            checks.append(Check(f"{where} != 1", f"{where} equal to 1"))
    return checks
