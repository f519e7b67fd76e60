"""What stands in an emitted file."""
