"""Trains the probe's model of planted orders. Not part of the package: see README.md."""
