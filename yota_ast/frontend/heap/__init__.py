"""Objects, containers and arrays while a function is lowered."""
