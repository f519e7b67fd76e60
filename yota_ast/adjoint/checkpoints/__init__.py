"""Long loops of which the reverse sweep finds few iterations saved."""
