"""automode's own verbs that loosen it, and whatever stops its processes or removes it."""

import re
from fnmatch import fnmatchcase

from automode.core.word_lists import word_sets
from automode.guards.guard import CommandContext, words
from automode.shell.script import HOLE, Script

_WORDS = word_sets("automode.guards.floor")

_SUBVERBS = {
    "config": words("set unset edit reset"),
    # One that an agent starts may read other settings than the person's.
    "daemon": words("stop kill restart start run"),
    "audit": words("purge delete"),
}
_FOLDER_OPTIONS = ("--state-folder", "--config-folder")  # they may stand before a verb
_HOOK = ("automode/hook/client.py", "automode.hook.client")
_ENTRY = re.compile(r"automode\.cli|automode\.__main__|automode\.hook|run_module\(.{0,40}automode")

_INSTALLING = re.compile(
    r"automode\.(?:agents\.)?install\w*(?:\.| import[^\n]*)\b(?:apply|receipts)\b"
)
"""What writes and takes back registrations, called past the command line that asks for a person."""


def _own_words(context: CommandContext) -> list[str] | None:
    """The words after the name of automode, however it is started; None when it is not."""
    if context.name == "automode":
        return context.texts
    if context.name.startswith(("python", "pypy")):
        return _python_words(context.texts)
    texts = context.texts
    if context.name in _WORDS["starters"]:
        return _started_words(texts)
    if context.name not in _WORDS["runners"]:
        return None
    at = _first_operand(texts)
    if at < len(texts) and _is_own_name(texts[at]):
        return texts[at + 1 :]
    # `uv run python -m automode`
    return _python_words(texts[at + 1 :]) if _starts_python(texts[at : at + 1]) else None


def _started_words(texts: list[str]) -> list[str] | None:
    parts = [part for text in texts for part in re.split(r"[\s:,;\"']+", text)]
    at = next((i for i, part in enumerate(parts) if _is_own_name(part)), None)
    return None if at is None else parts[at + 1 :]


def _starts_python(texts: list[str]) -> bool:
    return bool(texts) and texts[0].rsplit("/", 1)[-1].startswith(("python", "pypy"))


def _python_words(texts: list[str]) -> list[str] | None:
    """`-m automode`, `-mautomode`, `-Im automode.cli.main`, and code that calls the same."""
    at = 0
    while at < len(texts) and texts[at].startswith("-"):
        text = texts[at]
        if text in _WORDS["python-values"]:
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
    if _INSTALLING.search(code):
        return ["uninstall"]
    if _ENTRY.search(code) is None:
        return None
    found = [*re.findall(r"[\"']([a-z-]+)[\"']", code), *given]
    # The first of the arguments is a program's name, whatever it says.
    at = next(
        (
            i
            for i, text in enumerate(found)
            if text in _WORDS["loosening-verbs"] or text in _SUBVERBS
        ),
        0,
    )
    return found[at:]


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


def sees_verbs(context: CommandContext) -> str | None:
    if context.name not in _WORDS["killers"] and not _names_itself(context):
        # Killing by pattern or number need not name it; everything else does, here or before.
        return _for_the_person(context.texts) if _finds_itself(context) else None
    uninstalled = _uninstalls(context)
    if uninstalled:
        return uninstalled
    if _runs_hook(context):
        return "the hook speaks for the agent's host"
    given = _own_words(context)
    if given is None:
        return _stops_automode(context)
    return None if _asks_for_help(given) else _for_the_person(given)


def _names_itself(context: CommandContext) -> bool:
    program = context.command.words[0].text if context.command.words else ""
    return "automode" in "\n".join((program, *context.texts)).casefold()


def _finds_itself(context: CommandContext) -> bool:
    """`$(which automode) off`: the program is what another command of the script looks up."""
    return HOLE in context.name and any(
        command.name in _WORDS["finders"] and any(_is_own_name(word.text) for word in command.args)
        for command in context.script.commands
    )


def _asks_for_help(given: list[str]) -> bool:
    """Right behind an option it may be that option's value, and behind `--` it is an operand."""
    own = given[: given.index("--")] if "--" in given else given
    return any(
        text in ("--help", "-h") and not before.startswith("-")
        for before, text in zip(["", *own], own, strict=False)
    )


def _runs_hook(context: CommandContext) -> bool:
    runs = context.name in _WORDS["runners"] or _starts_python([context.name])
    texts = context.texts if runs else [word.text for word in context.command.words[:1]]
    return any(text.endswith(_HOOK) for text in texts)


def _for_the_person(given: list[str]) -> str | None:
    verbs = [
        text
        for before, text in zip(["", *given], given, strict=False)
        if not text.startswith("-") and text != "automode" and before not in _FOLDER_OPTIONS
    ]
    verb = verbs[0] if verbs else ""
    elsewhere = any(text.partition("=")[0] in _FOLDER_OPTIONS for text in given)
    if verb in ("install", "run") and elsewhere:
        return f"`automode {verb}` with other folders goes by other settings"
    if verb in _WORDS["loosening-verbs"] and not (verb == "model" and len(verbs) == 1):
        return f"`automode {verb}` is for the person"
    writes = verb == "denials" and any(text.startswith("--w") for text in given)
    if writes or (len(verbs) > 1 and verbs[1] in _SUBVERBS.get(verb, ())):
        return f"`automode {verb} {'--write' if writes else verbs[1]}` is for the person"
    return None


def _uninstalls(context: CommandContext) -> str | None:
    texts = context.texts
    removes = {"uninstall", "remove", "rm", "un", "purge"} & set(texts)
    pip = context.name in _WORDS["installers"] or (
        context.name.startswith("python") and "pip" in texts
    )
    if pip and removes and any(_is_own_name(text) for text in texts):
        return "it removes automode"
    return None


_COMMAND_LINES = ("automode/hook/client.py", "-m automode daemon run", "-m automode hook-alone")
_LONGEST_PATTERN = 200  # characters
_SOMEBODYS = ("tests/client.py", "-m http daemon run")  # what a pattern may just as well mean


def _stops_automode(context: CommandContext) -> str | None:
    if context.name == "prlimit":
        return _limits(context.texts)
    if context.name in ("kill", "stop-process"):
        # `kill $(pgrep automode)`, `pgrep automode | xargs kill`
        found = HOLE in " ".join(context.texts) and _looks_for_daemon(context.script)
        return "it stops automode" if found else None
    named = context.name in _WORDS["killers"] and any(_is_daemon(text) for text in context.texts)
    if context.name in ("pkill", "killall", "taskkill") and named:
        return "it stops automode"
    stops = {"stop", "disable", "kill", "mask", "unload", "bootout"} & set(context.texts)
    return (
        "it stops automode"
        if context.name in ("systemctl", "launchctl") and stops and named
        else None
    )


def _limits(texts: list[str]) -> str | None:
    """Without files or memory the hook cannot answer. Looking at limits sets none."""
    other = any(text.startswith(("-p", "--pid")) for text in texts)
    sets = any("=" in text and not text.startswith(("--pid", "--output")) for text in texts)
    return "it takes files or memory from a running process" if other and sets else None


def _is_daemon(text: str) -> bool:
    parts = text.strip("^$").removesuffix(".service").removesuffix(".exe").split()
    return any(part.rsplit("/", 1)[-1] in _WORDS["daemon-names"] for part in parts) or _finds_own(
        text
    )


def _finds_own(pattern: str) -> bool:
    """Whether a pattern for command lines picks out those of the hook or the daemon. One that is
    as good for any other program says nothing."""
    plain = re.sub(r"[\[\]\\^$()]", "", pattern).replace(".*", "*").replace(".", "?")
    if not plain.strip("*? ") or len(plain) > _LONGEST_PATTERN:
        return False
    found = any(fnmatchcase(line, f"*{plain}*") for line in _COMMAND_LINES)
    return found and not any(fnmatchcase(line, f"*{plain}*") for line in _SOMEBODYS)


def _looks_for_daemon(script: Script) -> bool:
    finders = words("pgrep pidof grep rg lsof cat")
    return any(
        command.name in finders and any(_is_daemon(word.text) for word in command.args)
        for command in script.commands
    )
