"""A dependency group of pyproject.toml -> its requirements, a line each.

What `pip install --group NAME` reads, for a pip that has no such option.
"""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def requirements(groups: dict[str, list[Any]], name: str) -> Iterator[str]:
    """The requirements of a group, and of those that it includes (PEP 735)."""
    for entry in groups[name]:
        if isinstance(entry, str):
            yield entry
        else:
            yield from requirements(groups, entry["include-group"])


if __name__ == "__main__":
    found = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["dependency-groups"]
    for line in requirements(found, sys.argv[1]):
        print(line)
