"""Everything that automode knows of Antigravity."""
