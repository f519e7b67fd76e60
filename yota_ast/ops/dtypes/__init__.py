"""Which numbers the functions of each library give: whole, real or complex ones."""
