"""Which files keep the gate standing: automode's own, and the hosts' switches and records.

They are named by where they are, never by what they are called: a project about auto mode may call
its files what it likes.
"""

from dataclasses import dataclass

from automode.core.paths import within
from automode.shell.script import HOLE


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """Absolute paths. A `folder` stands for everything below it."""

    files: tuple[str, ...] = ()  # settings, hooks and permission files
    folders: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()  # the daemon's socket and tokens: not even to be talked to
    transcripts: tuple[str, ...] = ()  # folders of the hosts' session records

    def setting(self, path: str) -> bool:
        return holds(path, self.files, self.folders)

    def removed_with(self, path: str) -> bool:
        """Whether removing `path` as a whole takes one of them away."""
        return HOLE not in path and any(within(one, path) for one in (*self.files, *self.folders))

    def transcript(self, path: str) -> bool:
        """Hosts keep notes for the agent beside the records; those are its to write."""
        return path.endswith((".jsonl", ".json")) and any(
            within(path, folder) for folder in self.transcripts
        )

    def secret(self, path: str) -> bool:
        return any(within(path, folder) for folder in self.secrets)


def holds(path: str, files: tuple[str, ...], folders: tuple[str, ...]) -> bool:
    low = path.casefold()
    return any(low == one.casefold() for one in files) or any(
        within(path, folder) for folder in folders
    )


_HOME_FILES = """.pi/agent/automode.json .pi/agent/settings.json
.claude.json .claude/settings.json .claude/settings.local.json .claude/managed-settings.json
.claude/remote-settings.json
.codex/config.toml .codex/hooks.json .codex/requirements.toml .codex/managed_config.toml
.gemini/settings.json .gemini/trustedFolders.json .gemini/trusted_hooks.json
.qwen/settings.json .qwen/trustedFolders.json
.config/opencode/opencode.json .config/opencode/opencode.jsonc .config/opencode/config.json
.copilot/config.json .copilot/hooks.json .copilot/settings.json .copilot/mcp-config.json
.cursor/hooks.json .cursor/cli-config.json .cursor/permissions.json
.codeium/windsurf/hooks.json .factory/settings.json .kimi/config.toml""".split()
_HOME_FOLDERS = """.config/automode .claude/hooks .claude/policies .codex/rules .codex/hooks
.gemini/policies .gemini/hooks .qwen/hooks .copilot/hooks .cursor/hooks .pi/agent/extensions
.config/opencode/plugin .config/opencode/plugins .clinerules/hooks Documents/Cline/Hooks
.cline/hooks""".split()
_STATE_FOLDERS = """.local/state/automode .local/share/automode .cache/automode
Library/Application\tSupport/automode Library/Caches/automode""".split()
_PROJECT_FILES = """.automode/config.local.json .pi/automode.json .pi/automode.local.json
.pi/settings.json .claude/settings.json .claude/settings.local.json
.codex/config.toml .codex/hooks.json .gemini/settings.json .qwen/settings.json
.cursor/hooks.json .github/copilot/settings.json .github/copilot/settings.local.json""".split()
_PROJECT_FOLDERS = ".pi/extensions .opencode/plugin .opencode/plugins".split()
_SYSTEM_FOLDERS = """/etc/automode /etc/claude-code /etc/codex /etc/gemini-cli /etc/qwen-code
/etc/opencode /etc/cursor""".split() + [
    "/Library/Application Support/ClaudeCode",
    "/Library/Application Support/automode",
    "/Library/Application Support/GeminiCli",
]
_TRANSCRIPTS = """.claude/projects .claude/sessions .codex/sessions .codex/archived_sessions
.pi/agent/sessions .gemini/tmp .qwen/tmp .qwen/projects .copilot/session-state
.copilot/history-session-state .local/share/opencode/storage .cursor/chats""".split()
_TRANSCRIPT_FILES = ".claude/history.jsonl .codex/history.jsonl".split()


def own_files(
    home: str, root: str, *, config: str = "", state: str = "", runtime: str = ""
) -> OwnFiles:
    """The usual places. `config`, `state` and `runtime` are automode's folders where they are not
    at their usual places."""
    states = tuple(f"{home}/{name}".replace("\t", " ") for name in _STATE_FOLDERS)
    mine = tuple(folder for folder in (config, state, runtime) if folder)
    return OwnFiles(
        files=(
            *(f"{home}/{name}" for name in (*_HOME_FILES, *_TRANSCRIPT_FILES)),
            *(f"{root}/{name}" for name in _PROJECT_FILES),
        ),
        folders=(
            *(f"{home}/{name}" for name in _HOME_FOLDERS),
            *(f"{root}/{name}" for name in _PROJECT_FOLDERS),
            *_SYSTEM_FOLDERS,
            *states,
            *mine,
        ),
        secrets=(*states, *(folder for folder in (state, runtime) if folder)),
        transcripts=tuple(f"{home}/{name}" for name in _TRANSCRIPTS),
    )
