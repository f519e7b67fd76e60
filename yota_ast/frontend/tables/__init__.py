"""Labelled tables of other libraries, and what is computed of them."""
