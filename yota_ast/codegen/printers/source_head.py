"""The names that a source reads and does not define -> the comment above it.

>>> from yota_ast.codegen.printers.global_names import Global
>>> import math
>>> read = (Global("pi", math.pi, "pi", "math"), Global("data", [1.0], "data"))
>>> head_comment(read, {}, 88)
['# Names of math: pi.', '# Values of this process: data.']
"""

from __future__ import annotations

import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Mapping

from yota_ast.codegen.printers.global_names import Global
from yota_ast.syntax.names import shown_name


def head_comment(
    read: Iterable[Global], nameless: Mapping[str, str], width: int
) -> list[str]:
    """Return the lines. nameless: the classes of values that have no path, by name."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for each in read:
        if each.name in nameless:
            entry = f"{each.name} (of class {nameless[each.name]})"
            groups[""].append(entry)
        else:
            groups[_module_of(each)].append(each.name)
    lines = []
    for home, names in sorted(groups.items(), reverse=True):
        title = f"Names of {shown_name(home)}" if home else "Values of this process"
        lines += textwrap.wrap(
            f"{title}: {', '.join(names)}.", width, initial_indent="# ",
            subsequent_indent="# ", break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
    return lines


def _module_of(read: Global) -> str:
    """Return the module that binds the name to the value, "" if there is none."""
    module = sys.modules.get(read.home)
    found = getattr(module, read.name, _module_of)
    return read.home if found is read.value else ""
