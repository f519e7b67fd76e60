"""Calls of the user's functions and of solvers, inlined or outlined."""
