"""Constructs put in other words before they are lowered."""
