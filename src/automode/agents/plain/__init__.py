"""automode's own JSON protocol, for hosts that have none."""

from automode.agents.agent import Agent
from automode.agents.plain.payloads import Plain

AGENT = Agent(Plain)
