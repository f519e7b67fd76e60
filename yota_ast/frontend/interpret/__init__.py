"""Statements and expressions -> ops."""
