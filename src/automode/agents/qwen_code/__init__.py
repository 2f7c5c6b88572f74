"""Everything that automode knows of Qwen Code."""
