"""Helpers that undo SciPy's functions."""
