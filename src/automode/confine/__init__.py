"""Runs a command under the kernel's guard, within the limits of a profile."""
