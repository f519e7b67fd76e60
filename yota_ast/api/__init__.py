"""The public functions, and what they do with a call."""
