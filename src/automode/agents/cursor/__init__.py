"""Cursor's terminal agent, known from its documentation and never run here."""

from collections.abc import Mapping

from automode.agents.agent import Agent, Disarming, OwnPaths
from automode.agents.cursor.payloads import Cursor, is_cursor


def _guest(payload: Mapping[str, object], attended: bool) -> Cursor | None:  # noqa: FBT001
    return Cursor(attended) if is_cursor(payload) else None


AGENT = Agent(
    Cursor,
    "Cursor",
    "cursor-agent",
    update="cursor-agent update",
    guest=_guest,
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
