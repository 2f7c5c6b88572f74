"""What a call runs: scripts, tests and targets, and what this session put into them."""
