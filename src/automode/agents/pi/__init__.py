"""Everything that automode knows of Pi."""
