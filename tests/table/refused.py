"""What is refused of the table -> the text of `refused.txt`, and back.

>>> text = written({"forward: min(a) of a: list": "NoRule: min has no rule"}, 4)
>>> print(text.partition("\\n\\n")[2])
forward
> NoRule: min has no rule
- min(a) of a: list
<BLANKLINE>
>>> read(text)
{'forward: min(a) of a: list': 'NoRule: min has no rule'}
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

HEAD = """\
# The operations and functions of the tables that are refused, by mode: the whole
# message, and the uses that it is raised for. All others are right.
# `make fuzz-tests PYTEST_ARGS='tests/table --rewrite-golden'` rewrites it.
"""


def written(refused: Mapping[str, str], count: int, head: str = HEAD) -> str:
    """The text. refused: messages by cells; count: of all cells."""
    groups: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for cell, message in sorted(refused.items()):
        mode, _, name = cell.partition(": ")
        groups[mode, message].append(name)
    counts = Counter(cell.partition(":")[0] for cell in refused)
    each = "".join(f"; {mode} {n}" for mode, n in sorted(counts.items()))
    blocks = [f"{head}# Refused {len(refused)} of {count}{each}\n"]
    for (mode, message), names in sorted(groups.items()):
        told = "".join(f"> {line}\n" for line in message.split("\n"))
        uses = "".join(f"- {name}\n" for name in names)
        blocks.append(f"{mode}\n{told}{uses}")
    return "\n".join(blocks)


def read(text: str) -> dict[str, str]:
    """The messages by cells."""
    found: dict[str, str] = {}
    for block in text.split("\n\n")[1:]:
        mode, *lines = block.splitlines()
        message = "\n".join(line[2:] for line in lines if line.startswith("> "))
        names = [line[2:] for line in lines if line.startswith("- ")]
        found |= {f"{mode}: {name}": message for name in names}
    return found
