"""Everything that automode knows of Gemini CLI."""
