"""Starts a real agent on a scripted model, to see whether it asks automode."""

CANARY = "automode approve automode-doctor-canary"
"""The call that the doctor has an agent try: for a person only, and of a record that does not
exist."""
