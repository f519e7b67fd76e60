"""Tape of a gradient -> Python text, and text -> function."""
