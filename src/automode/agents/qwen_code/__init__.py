"""Qwen Code, asked by hooks in its settings."""

from automode.agents.agent import Agent, Disarming, OwnPaths
from automode.agents.qwen_code.payloads import QwenCode

AGENT = Agent(
    QwenCode,
    "Qwen Code",
    "qwen",
    ("qwen",),
    ("@qwen-code/qwen-code",),
    oldest="0.24.4",
    update="qwen update",
    unattended_options=("-p", "--prompt"),
    paths=OwnPaths(
        home_files=(".qwen/settings.json", ".qwen/trustedFolders.json"),
        home_folders=(".qwen/hooks",),
        project_files=(".qwen/settings.json",),
        system_folders=("/etc/qwen-code",),
        transcripts=(".qwen/tmp", ".qwen/projects"),
        protected=(".qwen", "QWEN.md"),
    ),
    disarming=Disarming(
        options=("--yolo", "-y"),
        moving={"QWEN_HOME": ".qwen", "QWEN_CODE_SYSTEM_SETTINGS_PATH": ""},
        settling=("hooks", "hook", "extensions", "extension"),
    ),
)
