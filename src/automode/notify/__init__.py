"""Messages to a person who is elsewhere, and the answers that come back."""
