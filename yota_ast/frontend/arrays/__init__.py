"""Arrays, their memory and what is written into them."""
