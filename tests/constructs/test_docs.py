"""The page of constructs in the docs, and the readme, are what the table says now."""

from pathlib import Path

from .document import TOOLS, document, peers, verdict
from .sections import TABLE

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "constructs.md"


def test_the_page_is_current(golden):
    golden(PAGE, document())


def test_the_counts_of_the_readme():
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    header = next(line for line in text.splitlines() if "| Tangent |" in line)
    tools = [cell.strip() for cell in header.strip("|").split("|")][2:]
    known, listed = peers(), [entry.name for entry in TABLE if entry.listed]

    def row(word):
        counts = [
            sum(known[name][TOOLS.index(tool)] == word for name in listed)
            for tool in tools
        ]
        return " | ".join(map(str, counts))

    right = sum(verdict(e).startswith("right") for e in TABLE if e.listed)
    assert f"right, of {len(listed)} | {right} | {row('yes')} |" in text
    assert f"silently wrong | 0 | {row('WRONG')} |" in text
