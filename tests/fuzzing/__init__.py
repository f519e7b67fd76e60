"""Random programs: whole functions are written, differentiated, run and compared."""
