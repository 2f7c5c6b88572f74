"""A model file on this machine, asked in a child process: a first look that can only clear."""
