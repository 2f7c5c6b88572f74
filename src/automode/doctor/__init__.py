"""Checks that automode is asked before every call of an agent. Changes nothing."""
