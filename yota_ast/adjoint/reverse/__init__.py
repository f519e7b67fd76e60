"""Tape -> the raw reverse sweep, by rules alone."""
