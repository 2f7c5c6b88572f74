"""GitHub Copilot CLI, asked by one file in its folder of hooks."""
