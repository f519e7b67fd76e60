"""Plan of array statements -> plan of explicit loops, and its source for Numba."""
