"""Looks whether the gate stands, and says what to do where it does not."""
