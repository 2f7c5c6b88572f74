"""What needs no opinion: the floor nobody may permit, and the reads nobody need review."""
