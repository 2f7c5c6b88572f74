"""The words: what a tool call, a decision and a session are. Imports nothing of ours."""
