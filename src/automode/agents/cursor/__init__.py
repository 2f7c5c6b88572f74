"""Cursor's terminal agent, known from its documentation and never run here."""

from automode.agents.agent import Agent, Disarming, OwnPaths
from automode.agents.cursor.payloads import Cursor

AGENT = Agent(
    Cursor,
    "Cursor",
    "cursor-agent",
    update="cursor-agent update",
    paths=OwnPaths(
        home_files=(".cursor/hooks.json", ".cursor/cli-config.json", ".cursor/permissions.json"),
        home_folders=(".cursor/hooks",),
        project_files=(".cursor/hooks.json",),
        system_folders=("/etc/cursor",),
        transcripts=(".cursor/chats",),
        protected=(".cursor", ".cursorrules"),
    ),
    disarming=Disarming(options=("--force", "-f", "--yolo")),
)
