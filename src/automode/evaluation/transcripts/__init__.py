"""What agents and automode itself wrote down of real sessions, read back call by call."""
