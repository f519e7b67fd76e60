"""A callable -> the tree of its definition, and what its source tells."""
