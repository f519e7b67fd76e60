"""Functions without a source, recorded by their values."""
