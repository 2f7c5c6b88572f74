"""What keeps the gate standing: its files, the hosts' switches, what sessions have said."""

from automode.core.files import Kind
from automode.guards.guard import Guard, Sight, Target, shown
from automode.shell.script import HOLE


def _sees_files(sight: Sight) -> str | None:
    for target in sight.targets:
        if _is_setting(sight, target):
            return f"`{shown(target.path)}` belongs to the gate or to the agent's permissions"
    return None


def _is_setting(sight: Sight, target: Target) -> bool:
    own = sight.own
    paths = {target.path, target.resolved}
    if any(own.setting(path) for path in paths):
        return True
    if target.whole and any(own.removed_with(path) for path in paths):
        return True
    return _hard_link(sight, target.resolved)


def _hard_link(sight: Sight, path: str) -> bool:
    """Another name for the very same file."""
    files = sight.workspace.files
    if HOLE in path or not sight.own.files or files.kind(path) is not Kind.FILE:
        return False
    return any(files.same(path, one) for one in sight.own.files)


SAFETY_FILES = Guard(
    id="safety-files",
    reason="this changes files that decide what agents may do",
    advice="tell the person what to change, and why",
    about=(
        "automode's configuration and state, the hosts' permission and hook files, and the"
        " project files that can switch hooks off, each by where it is, links followed. Files that"
        " merely have such a name are ordinary files."
    ),
    sees=_sees_files,
    writes=True,
    stops=(
        "echo '{}' > ~/.config/automode/config.json",
        "rm -rf ~/.config/automode",
        "echo '{\"disableAllHooks\": true}' > .claude/settings.json",
        "jq . x | tee ~/.claude/settings.json",
        "sed -i 's/ask/allow/' ~/.codex/config.toml",
        "cp my.json ~/.gemini/settings.json",
        "mv ~/.claude/hooks /tmp/",
        "rm ~/.local/state/automode/audit.db",
        "ln ~/.claude/settings.json x",
        "python3 -c \"open('.claude/settings.local.json', 'w').write('{}')\"",
        "write: ~/.pi/agent/extensions/x.ts",
        "write: .automode/config.local.json",
        "write: .codex/config.toml",
        "write: /etc/automode/config.json",
        "write: .opencode/plugin/x.ts",
    ),
    passes=(
        "cat ~/.claude/settings.json",
        "jq .hooks .claude/settings.json",
        "write: docs/auto-mode.md",
        "write: src/automode/config.json",
        "write: .claude/commands/review.md",
        "write: opencode.json",
        "write: examples/.claude/settings.json",
        "grep -rn automode ~/.config/automode/config.json",
        "ls -la ~/.local/state/automode",
        "write: .automode/config.json",
    ),
)


def _sees_transcripts(sight: Sight) -> str | None:
    for target in sight.targets:
        gone = target.whole and any(
            target.path.casefold() == folder.casefold() for folder in sight.own.transcripts
        )
        if gone or any(sight.own.transcript(path) for path in (target.path, target.resolved)):
            return f"`{shown(target.path)}` is a record of an agent's session"
    return None


TRANSCRIPTS = Guard(
    id="session-records",
    reason="this changes what an agent's session is on record as having said",
    advice="leave the records as they are",
    about="The session records of the hosts. Reading them is fine, and so are notes beside them.",
    sees=_sees_transcripts,
    writes=True,
    stops=(
        "echo '{}' >> ~/.claude/projects/p/session.jsonl",
        "sed -i 's/no/yes/' ~/.claude/projects/p/session.jsonl",
        "rm -rf ~/.claude/projects",
        "rm ~/.codex/sessions/2026/01/01/rollout.jsonl",
        "write: ~/.pi/agent/sessions/p/s.jsonl",
        "truncate -s 0 ~/.gemini/tmp/p/chats/session.json",
    ),
    passes=(
        "cat ~/.claude/projects/p/session.jsonl",
        "tail -n 5 ~/.codex/sessions/2026/01/01/rollout.jsonl",
        "write: ~/.claude/projects/p/memory/MEMORY.md",
        "jq .type ~/.claude/projects/p/session.jsonl",
        "write: test/fixtures/session.jsonl",
        "ls ~/.pi/agent/sessions",
    ),
)
