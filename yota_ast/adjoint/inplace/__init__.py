"""Adjoints that add up in memory of their own."""
