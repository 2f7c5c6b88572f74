"""Everything that automode knows of Codex."""
