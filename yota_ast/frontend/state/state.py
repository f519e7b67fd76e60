"""The lowest layers of lowering, together."""

from __future__ import annotations

from yota_ast.frontend.state.operations import Operations


class State(Operations):
    """The variables, the ops, the heap and the place in the source."""
