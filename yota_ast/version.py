"""The version of the package, which generated files name."""

__version__ = "0.2.0"
