"""Loops of which few iterations are saved."""
