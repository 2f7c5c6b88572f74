"""The thin client that an agent starts for every tool call: standard library only."""
