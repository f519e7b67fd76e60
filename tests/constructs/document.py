"""The table of constructs -> the page of the docs that says what becomes of each."""

from __future__ import annotations

from pathlib import Path

from .sections import TABLE
from .table import Construct

PEERS = Path(__file__).with_name("peers.txt")
TOOLS = ("Tangent", "autograd", "MyGrad", "JAX", "JAX jit", "Zygote")
HEAD = """\
# Constructs of Python

Each line names a construct and its verdict. `tests/constructs/` has the forms in which
each is tried. The tests try a form alone, in a loop that runs 0, 1 and 3 times, in one
arm of a branch, taken and not, in an inlined helper, in a closure, and after its
operands have been overwritten. *Right* means that the value is that of the function bit
for bit, the gradient is that of finite differences, and the arguments end as the
function leaves them. It must hold with all passes and with none, and twice in a row.

*Without examples* is generated code that serves numbers and arrays alike, as
`simplegrad(f)` makes it. It is right, or some forms are refused: there an example or an
annotation decides. The other tools were measured on one form of each construct, alone.
WRONG is a wrong number without a warning.
"""


def peers() -> dict[str, list[str]]:
    """What the other tools manage, by construct."""
    lines = PEERS.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and line[0] != "#"]
    return {name: found for name, *found in rows}


def verdict(entry: Construct) -> str:
    """What becomes of a construct when the arguments are at hand."""
    refused = [bool(f.refused.keys() - {"general"}) for f in entry.forms]
    whole = [bool("all" in f.refused) for f in entry.forms]
    if all(whole):
        return f"refused: {entry.note}"
    return f"right; refused: {entry.note}" if any(refused) else "right"


def without_facts(entry: Construct) -> str:
    """The same where nothing is known of the arguments."""
    tried = [f for f in entry.forms if f.general and "all" not in f.refused]
    if not tried:
        return "-"
    return "some forms" if any("general" in f.refused for f in tried) else "right"


def document() -> str:
    """The page."""
    known = peers()
    listed = [e for e in TABLE if e.listed]
    right = sum(verdict(e).startswith("right") for e in listed)
    parts = [HEAD, f"{right} of {len(listed)} are right.\n"]
    for section in dict.fromkeys(e.section for e in TABLE):
        here = [e for e in TABLE if e.section == section]
        parts.append(f"## {section[0].upper()}{section[1:]}\n")
        parts.append(row(["construct", "yota_ast", "without examples", *TOOLS]))
        parts.append(row(["---"] * (3 + len(TOOLS))))
        for entry in here:
            others = known.get(entry.name, [""] * len(TOOLS))
            name = f"`{entry.name}`".replace("|", "\\|")
            parts.append(row([name, verdict(entry), without_facts(entry), *others]))
        parts.append("")
    return "\n".join(parts)


def row(cells: list[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"
