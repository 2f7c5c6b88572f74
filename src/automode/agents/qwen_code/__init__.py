"""Qwen Code, asked by hooks in its settings."""
