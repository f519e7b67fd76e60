"""What the forward sweep saves for the reverse sweep."""
