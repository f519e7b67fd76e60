"""What a gradient checks at its entry and returns."""
