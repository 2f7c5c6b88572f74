"""Whatever stops automode's processes, or takes from them what they need."""

import re
from fnmatch import fnmatchcase

from automode.guards.guard import Sight, words
from automode.shell.script import HOLE, Script

_NAMES = words("automode automode-daemon automoded automode.daemon")
_COMMAND_LINES = ("automode/hook/client.py", "-m automode daemon run", "-m automode hook-alone")
_LONGEST_PATTERN = 200  # characters
_SOMEBODYS = ("tests/client.py", "-m http daemon run")  # what a pattern may just as well mean
KILLERS = words("pkill killall pgrep kill systemctl launchctl taskkill stop-process prlimit")


def stops_automode(sight: Sight) -> str | None:
    if sight.name == "prlimit":
        return _limits(sight.texts)
    if sight.name in ("kill", "stop-process"):
        return _kills_found(sight) if HOLE in " ".join(sight.texts) else None
    named = sight.name in KILLERS and any(_is_daemon(text) for text in sight.texts)
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
        command.name in finders and any(_is_daemon(word.text) for word in command.args)
        for command in script.commands
    )
