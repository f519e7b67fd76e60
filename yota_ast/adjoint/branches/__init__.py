"""What one way of a choice alone adds, in a branch."""
