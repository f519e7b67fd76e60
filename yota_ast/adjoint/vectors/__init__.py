"""Loops, and sums of products, of the reverse sweep -> statements on arrays."""
