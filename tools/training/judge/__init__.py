"""How the embedded judge is trained. Nothing of this is in the wheel."""
