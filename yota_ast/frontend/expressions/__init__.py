"""Comprehensions: names, operators, attributes, subscripts."""
