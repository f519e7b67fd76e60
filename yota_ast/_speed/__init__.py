"""What is done for speed alone."""
