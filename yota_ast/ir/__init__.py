"""The tape, what is known of its values, and what reads, prints and runs it."""
