"""How the answers of a model file become a probability. Nothing of this is in the wheel."""
