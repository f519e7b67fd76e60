"""Loops over windows of arrays, of the reverse sweep -> statements on whole arrays."""
