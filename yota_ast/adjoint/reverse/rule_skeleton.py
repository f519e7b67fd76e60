"""An op without a rule -> the text of a rule to fill in."""

from __future__ import annotations

from yota_ast.ir.nodes import Apply
from yota_ast.support.public_names import plain_name


def rule_skeleton(op: Apply) -> str:
    """The remedy of `NoRule`: a rule for the function as it was called."""
    name = plain_name(op.fn, "f")
    params = (
        [chr(ord("u") + k) for k in range(len(op.args))] if len(op.args) > 1 else ["x"]
    )
    if len(op.args) > 6:
        params = [f"x{k}" for k in range(len(op.args))]
    adjoints = "; ".join(f"d{p} = ..." for p in params)
    call = ", ".join([*params, *(f"{k}={k}" for k, _ in op.kwargs)])
    signature = ", ".join([*params, "*", *(k for k, _ in op.kwargs), "dy"])
    return (
        f"State its rule:\n"
        f"    @ya.diffrule\n"
        f"    def _({signature}):\n"
        f"        y = {name}({call})\n"
        f"        {adjoints}"
    )
