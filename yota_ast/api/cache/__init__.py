"""Gradients made earlier: what they serve, and what makes them stale."""
