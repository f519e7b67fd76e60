"""What has been inlined and outlined so far, and which globals are rebound."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from yota_ast.errors import Location
from yota_ast.frontend.components import Component, Components
from yota_ast.frontend.state.lowering_records import (
    GlobalName,
    Snapshot,
)
from yota_ast.ir.atoms import Const


class InliningRecords(Component):
    """Functions that have been inlined or outlined, and globals that are rebound."""

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.rebound: dict[GlobalName, tuple[Const, Location]] = {}  # rebound here
        self.inlined: dict[object, tuple[int, int]] = {}  # how often, and how large
        self.capturing: dict[Any, tuple[Any, ...]] = {}  # those that capture variables
        self.outlines: dict[Any, tuple[Any, ...]] = {}  # those that are done

    def rebind_globals(
        self, rebound: Mapping[GlobalName, tuple[Const, Location]]
    ) -> None:
        """Set the globals that have another value after a branch."""
        self.rebound = dict(rebound)

    def restore_inlined(self, inlined: dict[object, tuple[int, int]]) -> None:
        """Count what has been inlined as it was counted elsewhere."""
        self.inlined = inlined

    def restore_records(self, before: Snapshot) -> None:
        """Take the records as they were."""
        self.capturing, self.rebound = dict(before.capturing), dict(before.globals)
