"""What a session is between two calls: its words, its past, approvals; and how calls are
decided."""
