"""Functions that ask what a value is, of whatever kind, or tell it in words.

>>> from yota_ast.ops.registry import info
>>> info(isinstance).asks, info(abs).asks, info(repr).text
(True, False, True)
"""

from __future__ import annotations

from yota_ast.ops.registry import named, state

state(
    *named("builtins", "isinstance type callable hasattr"),
    *named("operator", "is_ is_not eq ne contains"),
    asks=True,
)
state(*named("builtins", "ascii format print repr str"), text=True)
