"""A function that has no source -> the source of what it does with its arguments."""
