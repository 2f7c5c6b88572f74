"""The prose rules a classifier judges by. Words only: nothing here decides a call."""
