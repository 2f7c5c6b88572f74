"""The walk of a tool call. Knows the shape of layers, not their names."""
