"""The command line: one module per topic, and the only room that looks at the environment."""
