"""Transforms called inside a function that is itself differentiated."""
