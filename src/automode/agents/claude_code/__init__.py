"""Claude Code, asked by hooks in its settings: over HTTP, or by a command per call."""
