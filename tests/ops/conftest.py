"""Rules registered by a test are taken out after it."""

from ..rules.conftest import book

__all__ = ["book"]
