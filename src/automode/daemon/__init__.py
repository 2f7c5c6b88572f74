"""The resident process that serves every agent of one user."""
