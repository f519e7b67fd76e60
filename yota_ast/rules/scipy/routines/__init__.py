"""Rules of compiled routines, which SciPy has by their names, and of trees."""
