"""Starts a real agent on a scripted model, to see whether it asks automode."""
