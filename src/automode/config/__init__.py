"""What people wrote down: finds, reads and merges settings, and says what is wrong with them."""
