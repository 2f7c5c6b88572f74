"""Everything that automode knows of Claude Code."""
