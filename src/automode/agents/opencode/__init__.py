"""OpenCode, asked by a plugin that runs inside it."""

from automode.agents.agent import Agent, Disarming, OwnPaths
from automode.agents.opencode.payloads import OpenCode

AGENT = Agent(
    OpenCode,
    "OpenCode",
    "opencode",
    packages=("opencode-ai",),
    oldest="1.18.33",
    update="opencode upgrade",
    paths=OwnPaths(
        home_files=(
            ".config/opencode/opencode.json",
            ".config/opencode/opencode.jsonc",
            ".config/opencode/config.json",
        ),
        home_folders=(".config/opencode/plugin", ".config/opencode/plugins"),
        project_folders=(".opencode/plugin", ".opencode/plugins"),
        system_folders=("/etc/opencode",),
        transcripts=(".local/share/opencode/storage",),
        protected=(".opencode", "opencode.json", "opencode.jsonc"),
    ),
    disarming=Disarming(
        options=("--dangerously-skip-permissions", "--pure"),
        moving={"OPENCODE_CONFIG_DIR": ".config/opencode", "XDG_CONFIG_HOME": ".config"},
        silencing=("OPENCODE_PURE",),
        settling=("plugin", "plugins"),
    ),
)
