"""Codex CLI, asked by hooks that it runs only where it trusts them."""
