"""Cursor's terminal agent, known from its documentation and never run here."""
