"""Rules of SciPy's functions, a file a chapter."""
