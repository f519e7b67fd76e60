"""The helpers of code for JAX, which alone import it."""
