"""Screens what tools bring back for instructions that are not the user's."""
