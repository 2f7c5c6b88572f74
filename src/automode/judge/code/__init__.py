"""Reading code of any language: what it does outside of itself, as acts that can be judged."""
