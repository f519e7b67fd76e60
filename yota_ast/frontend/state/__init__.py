"""What a lowering knows at one moment: place, heap, ops, variables."""
