"""Gradients as files: what stands in one, whether it is fresh, how it is written."""
