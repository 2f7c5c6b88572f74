"""GitHub Copilot CLI, asked by one file in its folder of hooks."""

from collections.abc import Mapping

from automode.agents.agent import Agent, Disarming, OwnPaths
from automode.agents.copilot_cli.guest import is_copilot
from automode.agents.copilot_cli.payloads import CopilotCli


def _guest(payload: Mapping[str, object], attended: bool) -> CopilotCli | None:  # noqa: FBT001
    return CopilotCli(attended, guest=True) if is_copilot(payload) else None


AGENT = Agent(
    CopilotCli,
    "Copilot CLI",
    "copilot",
    ("copilot",),
    ("@github/copilot",),
    oldest="1.0.102",
    update="copilot update",
    unattended_options=("-p", "--prompt"),
    guest=_guest,
    paths=OwnPaths(
        home_files=(
            ".copilot/config.json",
            ".copilot/hooks.json",
            ".copilot/settings.json",
            ".copilot/mcp-config.json",
        ),
        home_folders=(".copilot/hooks",),
        project_files=(".github/copilot/settings.json", ".github/copilot/settings.local.json"),
        transcripts=(".copilot/session-state", ".copilot/history-session-state"),
        protected=(".copilot",),
    ),
    disarming=Disarming(
        options=("--allow-all-tools", "--allow-all", "--yolo", "--config-dir"),
        moving={"COPILOT_HOME": ".copilot", "XDG_CONFIG_HOME": ".config"},
        settling=("plugin", "plugins"),
    ),
)
