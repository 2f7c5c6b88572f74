"""Looks whether automode really stands between the agents and their tools. Changes nothing."""
