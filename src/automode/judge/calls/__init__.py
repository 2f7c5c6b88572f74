"""Which deeds a call is: its commands, files, code, packages, and what the user has to name."""
