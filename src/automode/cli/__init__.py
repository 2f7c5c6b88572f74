"""The command line: one module per command, and the only room that looks at the environment."""
