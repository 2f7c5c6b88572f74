"""Codex CLI, asked by hooks that it runs only where it trusts them."""

from automode.agents.agent import Agent, Disarming, OwnPaths
from automode.agents.codex.payloads import Codex

AGENT = Agent(
    Codex,
    "Codex",
    "codex",
    packages=("@openai/codex",),
    oldest="0.166.0",
    update="codex update",
    paths=OwnPaths(
        home_files=(
            ".codex/config.toml",
            ".codex/hooks.json",
            ".codex/requirements.toml",
            ".codex/managed_config.toml",
        ),
        home_folders=(".codex/rules", ".codex/hooks"),
        project_files=(".codex/config.toml", ".codex/hooks.json"),
        system_folders=("/etc/codex",),
        transcripts=(".codex/sessions", ".codex/archived_sessions"),
        histories=(".codex/history.jsonl",),
        protected=(".codex",),
    ),
    disarming=Disarming(
        options=(
            "--yolo",
            "--dangerously-bypass-approvals-and-sandbox",
            "--full-auto-unsafe",
            "--dangerously-bypass-hook-trust",
            "--ignore-user-config",
        ),
        moving={"CODEX_HOME": ".codex"},
        speaking=("queue", "remote-control"),
        settling=("features", "feature", "plugin"),
    ),
)
