"""The page of constructs in the docs is what the table says now."""

from pathlib import Path

from .document import document

PAGE = Path(__file__).parents[2] / "docs" / "constructs.md"


def test_the_page_is_current(golden):
    golden(PAGE, document())
