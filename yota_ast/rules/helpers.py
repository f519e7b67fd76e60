"""Rules of the helpers, so that gradients of gradients work."""
