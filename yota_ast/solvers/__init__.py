"""SciPy's solvers: what they are given, and the derivatives of what they find."""
