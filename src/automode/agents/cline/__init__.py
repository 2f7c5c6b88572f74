"""Everything that automode knows of Cline."""
