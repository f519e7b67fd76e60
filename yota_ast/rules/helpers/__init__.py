"""Rules of the runtime helpers, so that gradients of gradients work."""

from yota_ast.rules.helpers import (
    complexes,
    factors,
    general,
    kinks,
    ordering,
    signals,
    squares,
)

__all__ = [
    "complexes",
    "factors",
    "general",
    "kinks",
    "ordering",
    "signals",
    "squares",
]
