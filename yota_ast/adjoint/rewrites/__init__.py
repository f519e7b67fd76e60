"""A raw sweep -> the same in fewer and plainer statements."""
