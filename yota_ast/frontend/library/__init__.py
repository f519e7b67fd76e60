"""Models of Python's builtins and of its standard library."""
