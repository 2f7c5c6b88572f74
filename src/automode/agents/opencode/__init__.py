"""Everything that automode knows of OpenCode."""
