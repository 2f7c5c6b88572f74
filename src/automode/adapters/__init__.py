"""One module per agent: its payloads into our words, our decisions into its answers."""
