"""Reads bash: text → Script. Runs nothing; the parsers themselves live in `facts`."""
