"""What several agents have in common: reading payloads, writing answers."""
