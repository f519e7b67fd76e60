"""Functions and classes of libraries in Python: lowered like the user's helpers."""
