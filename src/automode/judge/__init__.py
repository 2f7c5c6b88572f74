"""The embedded judge: a small model of this machine's own that clears what is clearly fine."""
