"""How each real agent is started on the scripted model, one module per agent."""
