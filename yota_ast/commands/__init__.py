"""The commands of `yota-ast` that have a module of their own, one each.

`add(commands)` adds the command's parser; what it runs gives the text to print, or the
text and an exit code. NumPy is imported within it, so that `--help` comes at once.
"""

from __future__ import annotations

from . import emit, explain, gradcheck, rules

ALL = (emit, explain, gradcheck, rules)
