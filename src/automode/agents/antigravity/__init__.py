"""Antigravity (`agy`), known from what others say of it and never run here."""

from automode.agents.agent import Agent, OwnPaths
from automode.agents.antigravity.payloads import Antigravity

AGENT = Agent(
    Antigravity,
    "Antigravity",
    "agy",
    ("agy",),
    update="agy update",
    unattended_options=("-p", "--print", "--prompt"),
    paths=OwnPaths(
        home_files=(
            ".gemini/config/hooks.json",
            ".gemini/hooks.json",
            ".gemini/antigravity-cli/settings.json",
        ),
        project_files=(".agents/hooks.json", ".antigravitycli/hooks.json"),
    ),
)
