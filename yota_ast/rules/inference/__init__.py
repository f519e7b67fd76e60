"""Facts of results: a call's atoms -> what is known of its value."""
