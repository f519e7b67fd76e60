"""The table, a module per section."""

from ..table import TABLE
from . import (  # noqa: F401 - each enters its constructs
    assignment,
    builtin,
    classes,
    containers,
    control_flow,
    functions,
    indexing,
    inputs,
    statements,
)

__all__ = ["TABLE"]
