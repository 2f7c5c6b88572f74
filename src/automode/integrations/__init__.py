"""automode in frameworks for agents in Python: one module each, and no framework is needed to load
any of them. Each closes where its framework would go on after a failure."""
