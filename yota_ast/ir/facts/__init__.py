"""What is known of values, beyond what one value tells."""
