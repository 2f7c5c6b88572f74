"""What Python code does outside of itself."""
