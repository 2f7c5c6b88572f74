"""Claude Code, asked by hooks in its settings: over HTTP, or by a command per call."""

from automode.agents.agent import Agent, Disarming, OwnPaths
from automode.agents.claude_code.payloads import ClaudeCode

AGENT = Agent(
    ClaudeCode,
    "Claude Code",
    "claude",
    ("claude",),
    ("@anthropic-ai/claude-code",),
    oldest="2.1.197",
    update="claude update",
    unattended_variable=("CLAUDE_CODE_SESSION_ATTENDED", "0"),
    paths=OwnPaths(
        home_files=(
            ".claude.json",
            ".claude/settings.json",
            ".claude/settings.local.json",
            ".claude/managed-settings.json",
            ".claude/remote-settings.json",
        ),
        home_folders=(".claude/hooks", ".claude/policies", ".claude/plugins", ".claude/dev-mods"),
        project_files=(".claude/settings.json", ".claude/settings.local.json"),
        system_folders=("/etc/claude-code", "/Library/Application Support/ClaudeCode"),
        transcripts=(".claude/projects", ".claude/sessions"),
        histories=(".claude/history.jsonl",),
        protected=(".claude", ".claude.json", "CLAUDE.md", "CLAUDE.local.md"),
    ),
    disarming=Disarming(
        options=(
            "--dangerously-skip-permissions",
            "--allow-dangerously-skip-permissions",
            "--bare",
            "--safe-mode",
            "--plugin-dir",
            "--plugin-dir-no-mcp",
            "--plugin-url",
        ),
        moving={
            "CLAUDE_CONFIG_DIR": ".claude",
            "CLAUDE_CODE_MANAGED_SETTINGS_PATH": "",
            "CLAUDE_CODE_SHELL_PREFIX": "",
            "CLAUDE_CODE_PLUGIN_DIRS": "",
            # A proxy answers in the place of hooks that are asked over HTTP.
            **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), ""),
        },
        silencing=("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"),
        settling=("plugin", "plugins", "config"),
    ),
)
