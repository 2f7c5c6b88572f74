"""Commands that decide a call, explain a decision, or screen a result."""
