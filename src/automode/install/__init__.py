"""Puts automode into agents and takes it out again, to the byte."""
