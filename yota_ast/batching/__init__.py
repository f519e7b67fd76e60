"""Tapes and programs of one example -> those of a batch of them."""
