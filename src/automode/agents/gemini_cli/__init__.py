"""Gemini CLI, asked by hooks in its settings."""
