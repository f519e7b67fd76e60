"""Blocks of a tape -> what is true of their variables."""
