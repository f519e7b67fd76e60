"""The parts of the page, by what a user wants to do; `works.md` opens each of them."""

from __future__ import annotations

WRITE = "Write into arrays"
CALL = "Call functions, methods and classes"
LOOP = "Loop, branch and recurse"
CONTAINERS = "Use lists, dicts and objects"
SOLVE = "Find roots, integrate, minimise"
LIBRARIES = "Use SciPy and other libraries"
NEST = "Take second derivatives and nest"
SOURCE = "Have the source found"
