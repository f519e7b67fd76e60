"""Loops of both sweeps: what they carry, add up and call."""
