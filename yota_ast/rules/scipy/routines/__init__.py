"""Rules of routines of LAPACK and BLAS, which SciPy has by their names."""
