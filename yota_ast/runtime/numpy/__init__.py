"""Helpers that undo NumPy's functions."""
