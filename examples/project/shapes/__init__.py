"""Two models, their helpers, and their gradients, which are files of their own."""
