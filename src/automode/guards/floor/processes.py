"""What stops the whole machine: fork bombs, power, killing every process."""

import re
from fnmatch import fnmatchcase
from itertools import pairwise

from automode.guards.guard import Guard, Sight, shown, words
from automode.programs.inline_effects import FORKS_FOR_EVER
from automode.shell.launchers import LAUNCHERS
from automode.shell.script import HOLE, Command, Script
from automode.shell.wrappers import WRAPPERS


def _bomb(sight: Sight) -> str | None:
    """A function whose body starts the function itself twice.

    The reading lists a function's body where it is defined; the calls from outside are marked as
    transparent, those of the function by itself are not."""
    command = sight.command
    name = command.program
    if not command.transparent or name in WRAPPERS or name in LAUNCHERS:
        return _fork_words(sight)
    inside = [c for c in sight.script.commands if _calls_itself(c, command)]
    if len(inside) < 2:
        return None
    # With arguments it may well be walking down a tree, which has an end.
    if all(len(c.words) == 1 for c in inside) or _piped(inside):
        return f"`{shown(name)}` starts itself twice, and so on without end"
    return None


def _calls_itself(inner: Command, outer: Command) -> bool:
    return (
        not inner.transparent
        and bool(inner.words)
        and inner.program == outer.program
        and inner.via == outer.via
    )


def _piped(calls: list[Command]) -> bool:
    return any(
        one.pipeline == other.pipeline and one.pipeline > 0 and one.position != other.position
        for one, other in pairwise(calls)
    )


def _fork_words(sight: Sight) -> str | None:
    """Inline code that forks in a loop is read as this word."""
    return "it starts itself without end" if sight.command.program == FORKS_FOR_EVER else None


FORK_BOMB = Guard(
    id="fork-bomb",
    reason="this starts processes without end until the machine stops",
    advice="start a bounded number of processes, and wait for them",
    sees=_bomb,
    everywhere=True,
)

_STOPPERS = words("shutdown reboot halt poweroff")
_HARMLESS_OPTIONS = words("-c --help --version --show -k -w --wtmp-only")


def _power(sight: Sight) -> str | None:
    name, texts = sight.name, sight.texts
    if name in _STOPPERS:
        stops = not any(text in _HARMLESS_OPTIONS for text in texts)
        return f"`{name}` stops the machine" if stops else None
    if name in ("init", "telinit"):
        return "it changes the run level" if texts[:1] in (["0"], ["6"], ["1"]) else None
    if name == "systemctl":
        verb = next((text for text in texts if not text.startswith("-")), "")
        stops = verb in _SYSTEMCTL and "--dry-run" not in texts
        return f"`systemctl {verb}` stops the machine" if stops else None
    if name == "kill":
        return _kill_all(texts)
    for target in sight.targets:
        if target.path in ("/proc/sysrq-trigger", "/proc/sys/kernel/sysrq", "/sys/power/state"):
            return f"`{target.path}` commands the kernel"
    return None


_SYSTEMCTL = words("poweroff reboot halt kexec suspend hibernate rescue emergency soft-reboot")


def _kill_all(texts: list[str]) -> str | None:
    """`kill -9 -1`: the last `-1` is every process. A lone `kill -1 PID` is a signal."""
    targets = texts[1:] if texts and texts[0].startswith("-") else texts
    if texts[:2] in (["-s", "KILL"], ["-s", "9"], ["-s", "SIGKILL"]):
        targets = texts[2:]
    return "`-1` is every process" if "-1" in targets else None


POWER = Guard(
    id="stop-machine",
    reason="this stops the machine or everything on it",
    advice="restart or stop the one service or process that is meant",
    sees=_power,
    programs=_STOPPERS | words("init telinit systemctl kill"),
    writes=True,
)


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
