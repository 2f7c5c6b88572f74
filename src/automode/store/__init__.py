"""State that survives: decisions, sessions, approvals, usage; SQLite or PostgreSQL."""
