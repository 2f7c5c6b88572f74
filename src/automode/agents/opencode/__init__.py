"""OpenCode, asked by a plugin that runs inside it."""
