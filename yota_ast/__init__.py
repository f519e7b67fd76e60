"""Gradients of NumPy functions, as readable Python source."""

__version__ = "0.1.0"
