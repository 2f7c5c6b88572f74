"""Antigravity (`agy`), known from what others say of it and never run here."""
