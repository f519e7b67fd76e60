"""Gradients as files: what stands in them, whether they are fresh, how written."""
