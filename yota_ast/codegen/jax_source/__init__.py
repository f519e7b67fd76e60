"""Plan of a program -> the source of functions on arrays of JAX."""
