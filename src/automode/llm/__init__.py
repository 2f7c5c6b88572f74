"""Talks to models; knows nothing of permissions."""
