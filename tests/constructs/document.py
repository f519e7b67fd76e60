"""The table of constructs -> the page of the docs that says what becomes of each."""

from __future__ import annotations

from pathlib import Path

from .sections import TABLE
from .table import Construct

PEERS = Path(__file__).with_name("peers.txt")
TOOLS = ("Tangent", "autograd", "MyGrad", "JAX", "JAX jit", "Zygote")
HEAD = """\
# Constructs of Python

Each line names a construct and its verdict. Each construct is tried in several forms,
which `tests/constructs/` lists. Each form is tried in six places: alone; in a loop that
runs 0, 1 and 3 times; in an arm of a branch, which is taken or not; in an inlined
helper; in a closure; after its operands have been overwritten.

*Right* means three things. The value is that of the function bit for bit. The gradient
agrees with finite differences. The arguments end as the function leaves them. All this
must be so with all passes and with none, and twice in a row.

*Without examples* is the generated code of `simplegrad(f)`, which serves numbers and
arrays. It is right, or some forms are refused, and need an example or an annotation.
The other tools were measured on one form of each construct, alone. WRONG is a wrong
number without a warning.
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
