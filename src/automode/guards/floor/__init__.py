"""The floor: hard denies that nobody may permit."""
