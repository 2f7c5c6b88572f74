"""Pi, asked by an extension that runs inside it."""
