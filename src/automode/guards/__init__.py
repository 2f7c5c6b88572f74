"""Checks without a model: the floor, read-only calls and workspace edits."""
