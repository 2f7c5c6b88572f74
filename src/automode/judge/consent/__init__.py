"""What the user's words ask for, name and forbid."""
