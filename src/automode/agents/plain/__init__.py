"""automode's own JSON protocol, for hosts that have none."""
