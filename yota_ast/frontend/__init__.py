"""Callable -> tape."""
