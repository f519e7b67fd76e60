"""What every layer may use: files, names of the public, passes."""
