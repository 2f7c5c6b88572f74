"""automode: decides the tool calls of AI coding agents."""
