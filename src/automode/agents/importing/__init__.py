"""Permission rules of agents, translated into ours. What one agent alone has is in its folder."""
