"""Gemini CLI, asked by hooks in its settings."""

from automode.agents.agent import Agent, Disarming, OwnPaths
from automode.agents.gemini_cli.payloads import GeminiCli

AGENT = Agent(
    GeminiCli,
    "Gemini CLI",
    "gemini",
    ("gemini",),
    ("@google/gemini-cli",),
    oldest="0.61.0",
    update="npm install -g @google/gemini-cli",
    unattended_options=("-p", "--prompt"),
    paths=OwnPaths(
        home_files=(
            ".gemini/settings.json",
            ".gemini/trustedFolders.json",
            ".gemini/trusted_hooks.json",
        ),
        home_folders=(".gemini/policies", ".gemini/hooks"),
        project_files=(".gemini/settings.json",),
        system_folders=("/etc/gemini-cli", "/Library/Application Support/GeminiCli"),
        transcripts=(".gemini/tmp",),
        protected=(".gemini", "GEMINI.md"),
    ),
    disarming=Disarming(
        options=("--yolo", "-y"),
        moving={"GEMINI_CLI_HOME": "", "GEMINI_CLI_SYSTEM_SETTINGS_PATH": ""},
        settling=("hooks", "hook", "extensions", "extension"),
    ),
)
