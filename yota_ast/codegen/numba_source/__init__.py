"""Plan of explicit loops -> the source of functions for Numba."""
