"""`automode ui`: a window in the browser on what agents do, and what waits for a person there.

A process of its own beside the daemon. It reads the store as `automode audit` does, and asks the
daemon for everything that changes something.
"""
