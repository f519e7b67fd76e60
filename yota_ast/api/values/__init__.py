"""Structured values: what is a leaf of them, how they are moved and raveled."""
