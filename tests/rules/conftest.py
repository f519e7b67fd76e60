"""Rules registered by a test are taken out after it."""

import pytest

from yota_ast.rules import BOOK


@pytest.fixture
def book():
    """The book; what the test adds to it, or replaces, is undone."""
    # All of it, for a chapter that is opened meanwhile is not opened again.
    BOOK.open_chapters(tuple(BOOK._closed))
    rules = dict(BOOK._rules)
    primitives = dict(BOOK._primitives)
    yield BOOK
    BOOK._rules.clear()
    BOOK._rules.update(rules)
    BOOK._primitives.clear()
    BOOK._primitives.update(primitives)
    BOOK.version += 1
