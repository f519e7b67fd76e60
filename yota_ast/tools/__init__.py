"""What is built on gradients: files, reports, checks, explanations, commands."""
