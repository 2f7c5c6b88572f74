"""What keeps the gate standing: its files, its verbs, its process, the hosts' switches."""

from automode.core.files import Kind
from automode.guards.guard import Guard, Sight, Target, bare_name, shown, words
from automode.shell.script import HOLE, Script


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

_LOOSENING = words("off approve trust model reset uninstall purge import serve hook-alone")
_RUNNERS = words("uvx pipx uv python python3 npx bunx pnpm poetry rye hatch tox nix")
_SUBVERBS = {
    "config": words("set unset edit reset"),
    # One that an agent starts may read other settings than the person's.
    "daemon": words("stop kill restart start run"),
    "audit": words("purge delete"),
}
_FOLDER_OPTIONS = ("--state-folder", "--config-folder")  # they may stand before a verb
_INSTALLERS = words("pip pip3 uv pipx poetry npm pnpm yarn brew apt apt-get dnf pacman conda")
_KILLERS = words("pkill killall pgrep kill systemctl launchctl taskkill stop-process")
_NAMES = words("automode automode-daemon automoded automode.daemon")


def _own_words(sight: Sight) -> list[str] | None:
    """The words after the name of automode, however it is started; None when it is not."""
    if sight.name == "automode":
        return sight.texts
    texts = sight.texts
    if sight.name.startswith("python") and "-m" in texts:
        at = texts.index("-m") + 1
        starts = texts[at : at + 1] in (["automode"], ["automode.cli"], ["automode.cli.main"])
        return texts[at + 1 :] if starts else None
    if sight.name not in _RUNNERS:
        return None
    at = _first_operand(texts)
    return texts[at + 1 :] if at < len(texts) and _is_own_name(texts[at]) else None


def _first_operand(texts: list[str]) -> int:
    """Where a runner's options and verbs end and what it runs begins."""
    at = 0
    while at < len(texts):
        text = texts[at]
        if text in ("--from", "--with", "--spec", "-p", "--python", "--package"):
            at += 2
        elif text.startswith("-") or text in ("run", "tool", "exec", "x", "dlx"):
            at += 1
        else:
            break
    return at


def _is_own_name(text: str) -> bool:
    return text.rsplit("/", 1)[-1].partition("@")[0].partition("=")[0] == "automode"


def _sees_verbs(sight: Sight) -> str | None:
    uninstalled = _uninstalls(sight)
    if uninstalled:
        return uninstalled
    if any(text.endswith("automode/hook/client.py") for text in sight.texts) or (
        "automode.hook.client" in sight.texts
    ):
        return "the hook speaks for the agent's host"
    given = _own_words(sight)
    if given is None:
        return _kills(sight)
    if "--help" in given or "-h" in given:
        return None
    verbs = [
        text
        for before, text in zip(["", *given], given, strict=False)
        if not text.startswith("-") and before not in _FOLDER_OPTIONS
    ]
    verb = verbs[0] if verbs else ""
    if verb in _LOOSENING and not (verb == "model" and len(verbs) == 1):
        return f"`automode {verb}` is for the person"
    writes = verb == "denials" and any(text.startswith("--w") for text in given)
    if writes or (len(verbs) > 1 and verbs[1] in _SUBVERBS.get(verb, ())):
        return f"`automode {verb} {'--write' if writes else verbs[1]}` is for the person"
    return None


def _uninstalls(sight: Sight) -> str | None:
    texts = sight.texts
    removes = {"uninstall", "remove", "rm", "un", "purge"} & set(texts)
    pip = sight.name in _INSTALLERS or (sight.name.startswith("python") and "pip" in texts)
    if pip and removes and any(_is_own_name(text) for text in texts):
        return "it removes automode"
    return None


def _kills(sight: Sight) -> str | None:
    if sight.name in ("kill", "stop-process"):
        return _kills_found(sight) if HOLE in " ".join(sight.texts) else None
    named = any(_is_daemon(text) for text in sight.texts)
    if sight.name in ("pkill", "killall", "taskkill") and named:
        return "it stops automode"
    stops = {"stop", "disable", "kill", "mask", "unload", "bootout"} & set(sight.texts)
    return (
        "it stops automode"
        if sight.name in ("systemctl", "launchctl") and stops and named
        else None
    )


def _is_daemon(text: str) -> bool:
    parts = text.strip("^$").removesuffix(".service").removesuffix(".exe").split()
    return any(part.rsplit("/", 1)[-1] in _NAMES for part in parts)


def _kills_found(sight: Sight) -> str | None:
    """`kill $(pgrep automode)`, `pgrep automode | xargs kill`."""
    return "it stops automode" if _looks_for_daemon(sight.script) else None


def _looks_for_daemon(script: Script) -> bool:
    finders = words("pgrep pidof grep rg lsof cat")
    return any(
        bare_name(command) in finders and any(_is_daemon(word.text) for word in command.args)
        for command in script.commands
    )


OWN_VERBS = Guard(
    id="own-verbs",
    reason="this loosens, stops or removes automode",
    advice="ask the person; looking (`automode status`, `automode explain`) is fine",
    about=(
        "automode's verbs that loosen it, in every spelling, stopping its daemon and removing it."
        " They are for the person."
    ),
    sees=_sees_verbs,
    programs=words("automode pkill killall kill pgrep") | _RUNNERS | _INSTALLERS | _KILLERS,
    stops=(
        "automode off",
        "automode approve 3 --session",
        "python -m automode off --all",
        "python3 -m automode trust .",
        "uvx automode off",
        "uvx --from ./dist/automode.whl automode off",
        "uv tool run automode@latest trust",
        "uv run automode off",
        "/usr/local/bin/automode uninstall claude",
        ".venv/bin/automode config set mode shadow",
        "automode daemon stop",
        "automode daemon run --config-folder x",
        "automode --state-folder x --config-folder y off --all",
        "python -I -S /opt/lib/automode/hook/client.py --state x claude-code prompt",
        "automode denials --propose 3 --write",
        "pipx run automode reset",
        "pkill -f automode",
        "kill $(pgrep automode)",
        "pip uninstall -y automode",
        "automode purge",
        "automode model local/tiny",
    ),
    passes=(
        "automode status",
        "automode check 'rm -rf build'",
        "automode explain 'git push'",
        "automode config",
        "automode denials",
        "automode daemon status",
        "automode audit verify",
        "automode off --help",
        "automode schema",
        "python -m automode status",
        "uvx automode defaults",
        "pip install automode",
        "pkill -f webpack",
        "grep -rn 'automode off' docs",
        "cd automode && git switch off",
        "python scripts/build.py src/automode reset",
        "uv run pytest tests/automode trust",
    ),
)
