"""What a session is between two calls: its words, history, approvals; and the desk that decides."""
