"""Passes that make generated code faster, at the price of its simplicity."""
