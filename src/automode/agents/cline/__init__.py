"""Cline, asked by scripts in its folder of hooks."""
