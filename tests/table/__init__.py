"""Every operation of the tables in every mode: right, or refused with a message."""
