"""The read-only layer, and what speaks against letting a read pass."""
