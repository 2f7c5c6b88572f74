"""automode's own verbs that loosen it, and whatever stops its processes or removes it."""

import re
from fnmatch import fnmatchcase

from automode.guards.guard import Guard, Sight, bare_name, words
from automode.shell.script import HOLE, Script

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
_KILLERS = words("pkill killall pgrep kill systemctl launchctl taskkill stop-process prlimit")
_NAMES = words("automode automode-daemon automoded automode.daemon")
_COMMAND_LINES = ("automode/hook/client.py", "-m automode daemon run", "-m automode hook-alone")
_HOOK = ("automode/hook/client.py", "automode.hook.client")
_LONGEST_PATTERN = 200  # characters
_SOMEBODYS = ("tests/client.py", "-m http daemon run")  # what a pattern may just as well mean
_PYTHON_VALUES = words("-W -X --check-hash-based-pycs")
_ENTRY = re.compile(r"automode\.cli|automode\.__main__|automode\.hook|run_module\(.{0,40}automode")


def _own_words(sight: Sight) -> list[str] | None:
    """The words after the name of automode, however it is started; None when it is not."""
    if sight.name == "automode":
        return sight.texts
    if sight.name.startswith(("python", "pypy")):
        return _python_words(sight.texts)
    texts = sight.texts
    if sight.name not in _RUNNERS:
        return None
    at = _first_operand(texts)
    if at < len(texts) and _is_own_name(texts[at]):
        return texts[at + 1 :]
    # `uv run python -m automode`
    return _python_words(texts[at + 1 :]) if _starts_python(texts[at : at + 1]) else None


def _starts_python(texts: list[str]) -> bool:
    return bool(texts) and texts[0].rsplit("/", 1)[-1].startswith(("python", "pypy"))


def _python_words(texts: list[str]) -> list[str] | None:
    """`-m automode`, `-mautomode`, `-Im automode.cli.main`, and code that calls the same."""
    at = 0
    while at < len(texts) and texts[at].startswith("-"):
        text = texts[at]
        if text in _PYTHON_VALUES:
            at += 2
            continue
        option = re.match(r"-[A-Za-ln-z]*?([mc])(.*)", text, re.DOTALL)
        at += 1
        if option is None or text.startswith("--"):
            continue
        given = [option[2], *texts[at:]] if option[2] else texts[at:]
        if not given:
            return None
        if option[1] == "m":
            return given[1:] if given[0].split(".")[0] == "automode" else None
        return _code_words(given[0], given[1:])
    # A file of the package, run by its path.
    entry = texts[at : at + 1]
    own = bool(entry) and re.search(r"(?:^|/)automode(?:/__main__\.py|/cli/main\.py)?$", entry[0])
    return texts[at + 1 :] if own else None


def _code_words(code: str, given: list[str]) -> list[str] | None:
    """Words in code that starts the command line: its arguments, or texts that set them."""
    if _ENTRY.search(code) is None:
        return None
    return [*re.findall(r"[\"']([a-z-]+)[\"']", code), *given]


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
    if sight.name not in _KILLERS and not any(
        "automode" in word.text.casefold() for word in sight.command.words
    ):
        return None  # killing by pattern or number need not name it; everything else does
    uninstalled = _uninstalls(sight)
    if uninstalled:
        return uninstalled
    if _runs_hook(sight):
        return "the hook speaks for the agent's host"
    given = _own_words(sight)
    if given is None:
        return _kills(sight)
    if "--help" in given or "-h" in given:
        return None
    return _for_the_person(given)


def _runs_hook(sight: Sight) -> bool:
    runs = sight.name in _RUNNERS or _starts_python([sight.name])
    texts = sight.texts if runs else [word.text for word in sight.command.words[:1]]
    return any(text.endswith(_HOOK) for text in texts)


def _for_the_person(given: list[str]) -> str | None:
    verbs = [
        text
        for before, text in zip(["", *given], given, strict=False)
        if not text.startswith("-") and text != "automode" and before not in _FOLDER_OPTIONS
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
    if sight.name == "prlimit":
        return _limits(sight.texts)
    if sight.name in ("kill", "stop-process"):
        return _kills_found(sight) if HOLE in " ".join(sight.texts) else None
    named = sight.name in _KILLERS and any(_is_daemon(text) for text in sight.texts)
    if sight.name in ("pkill", "killall", "taskkill") and named:
        return "it stops automode"
    stops = {"stop", "disable", "kill", "mask", "unload", "bootout"} & set(sight.texts)
    return (
        "it stops automode"
        if sight.name in ("systemctl", "launchctl") and stops and named
        else None
    )


def _limits(texts: list[str]) -> str | None:
    """Without files or memory the hook cannot answer. Looking at limits sets none."""
    other = any(text.startswith(("-p", "--pid")) for text in texts)
    sets = any("=" in text and not text.startswith(("--pid", "--output")) for text in texts)
    return "it takes files or memory from a running process" if other and sets else None


def _is_daemon(text: str) -> bool:
    parts = text.strip("^$").removesuffix(".service").removesuffix(".exe").split()
    return any(part.rsplit("/", 1)[-1] in _NAMES for part in parts) or _finds_own(text)


def _finds_own(pattern: str) -> bool:
    """Whether a pattern for command lines picks out those of the hook or the daemon. One that is
    as good for any other program says nothing."""
    plain = re.sub(r"[\[\]\\^$()]", "", pattern).replace(".*", "*").replace(".", "?")
    if not plain.strip("*? ") or len(plain) > _LONGEST_PATTERN:
        return False
    found = any(fnmatchcase(line, f"*{plain}*") for line in _COMMAND_LINES)
    return found and not any(fnmatchcase(line, f"*{plain}*") for line in _SOMEBODYS)


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
        " They are for the person. So is taking files or memory from other processes: the hook may"
        " be one of them."
    ),
    sees=_sees_verbs,
    everywhere=True,
    remote=True,
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
        "python3 -mautomode off",
        "python3 -Im automode off",
        "python3.12 -W ignore -m automode off",
        "python3 -m automode.__main__ off",
        'python3 -c "from automode.cli.main import main; main()" off',
        "python3 -c \"import sys; sys.argv = ['automode', 'off']; import automode.__main__\"",
        "python3 src/automode off",
        "uv run python -m automode off",
        "ssh localhost automode off",
        "prlimit --pid $PPID --nofile=3",
        "prlimit -p 4242 --as=8000000",
        "pkill -9 -f hook/client.py",
        "pkill -STOP -f automode/hook",
        "pkill -f '[a]utomode.*daemon'",
        "kill -9 $(pgrep -f hook/client.py)",
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
        "python3 -c 'from automode.guards.floor import Floor; print(Floor)' off",
        "python3 -m pytest tests -k off",
        "cat src/automode/hook/client.py",
        "ssh localhost automode status",
        "prlimit --nofile=4096 make",
        "prlimit --pid 4242",
        "pkill -f client.py",
        "pkill -f 'node server.js'",
        "pkill -f python",
    ),
)
