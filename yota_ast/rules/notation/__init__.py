"""The notation of rules, and the book that they stand in."""
