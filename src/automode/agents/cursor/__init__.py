"""Everything that automode knows of Cursor."""
