"""Everything that automode knows of GitHub Copilot CLI."""
