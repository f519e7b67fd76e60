"""The commands of `yota-ast` that have a module of their own, one each.

`add(commands)` adds the command's parser; what it runs gives the text to print, or the
text and an exit code. NumPy is imported within it, so that `--help` comes at once.
"""

from __future__ import annotations

from yota_ast.tools.cli import (
    emit_subcommand,
    explain_subcommand,
    gradcheck_subcommand,
    rules_subcommand,
)

ALL = (emit_subcommand, explain_subcommand, gradcheck_subcommand, rules_subcommand)
