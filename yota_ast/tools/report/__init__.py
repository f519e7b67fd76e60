"""A gradient and where it comes from -> pages and tables that show the two together."""
