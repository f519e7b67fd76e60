"""Texts that a change of the compiler may change; `make golden` rewrites them."""
