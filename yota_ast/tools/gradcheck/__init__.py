"""A gradient -> whether it holds, by differences: what `gradcheck` does and prints.

slopes: of a function of one number. parts: the leaves of values. runs: the function
near its arguments. judging: what of a leaf agrees. table: how it is printed.
"""

from __future__ import annotations

from yota_ast.tools.gradcheck.check_table import GradCheck, Row
from yota_ast.tools.gradcheck.gradient_check import check_call, gradcheck

__all__ = ["GradCheck", "Row", "check_call", "gradcheck"]
