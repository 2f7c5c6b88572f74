"""Terminals that serve several: a command sent to one is started by the person's own process."""

from itertools import pairwise

from automode.guards.guard import Guard, Sight, words
from automode.shell.script import HOLE

_TMUX_VALUES = words("-L -S -f -c -T")
_TMUX_LOOKS = (
    *("ls", "list", "lsk", "lsp", "lsw", "lsc", "lsb", "has", "show", "info", "capture", "kill"),
    *("select", "attach", "detach", "wait", "start", "resize", "rename", "swap", "next", "prev"),
    *("last", "move", "display-message", "displayp", "killp", "killw", "killses", "lscm"),
)
_KITTY_LOOKS = words("ls get-text get-colors")
_WEZTERM_LOOKS = words("list list-clients get-text get-pane-direction")
_ZELLIJ_RUNS = words("run r action ac edit e pipe p plugin")
_SERVED = words("gnome-terminal mate-terminal xfce4-terminal tilix kgx ptyxis")
_RUN_OPTIONS = words("-- -e -x --command --execute")
_APPLESCRIPT_SENDS = ("do script", "write text", "keystroke", "do shell script", "doscript")


def _sees(sight: Sight) -> str | None:
    """Other commands are ordinary work, which the classifier weighs like any other."""
    texts = sight.texts
    if not any("automode" in text for text in texts):
        return None
    match sight.name:
        case "tmux":
            sent = _tmux(texts)
        case "screen":
            sent = any(text.startswith("-") and text.endswith("X") for text in texts)
        case "kitty" | "kitten":
            sent = _after(texts, "@", _KITTY_LOOKS)
        case "wezterm":
            sent = _after(texts, "cli", _WEZTERM_LOOKS) or texts[:1] == ["start"]
        case "osascript":
            script = " ".join(texts).casefold()
            sent = any(phrase in script for phrase in _APPLESCRIPT_SENDS)
        case "zellij":
            sent = not _ZELLIJ_RUNS.isdisjoint(texts)
        case _:
            runs = (text.partition("=")[0] in _RUN_OPTIONS for text in texts)
            sent = any(runs)
    return f"`{sight.name}` hands it to a terminal that already runs" if sent else None


def _tmux(texts: list[str]) -> bool:
    """A server of its own name is the agent's; the usual one may well be the person's."""
    at, own = 0, False
    while at < len(texts) and texts[at].startswith("-"):
        option, value = texts[at][:2], texts[at][2:]
        if option == "-V":
            return False
        if option in _TMUX_VALUES and not value:
            at += 1
            value = texts[at] if at < len(texts) else ""
        own = own or (option in ("-L", "-S") and _own_server(value))
        at += 1
    if own:
        return False
    commands = _commands(texts[at:])
    # `#(…)` in a format is run by the server, whatever the format is for.
    return any("#(" in text for text in texts) or any(
        command != "display" and not command.startswith(_TMUX_LOOKS) for command in commands
    )


def _own_server(value: str) -> bool:
    return HOLE not in value and value.rsplit("/", 1)[-1] not in ("", "default")


def _commands(texts: list[str]) -> list[str]:
    """The first word, and each one behind a `;`; without any, a session is begun."""
    found = texts[:1] or ["new-session"]
    for before, text in pairwise(texts):
        if before.endswith(";"):
            found.append(text)
    return found


def _after(texts: list[str], mark: str, looks: frozenset[str]) -> bool:
    """Whether the first word behind `mark` does more than look."""
    if mark not in texts:
        return False
    rest = texts[texts.index(mark) + 1 :]
    return not any(text in looks for text in rest[:3]) and bool(rest)


OTHER_TERMINAL = Guard(
    id="other-terminal",
    reason="this runs automode where it counts as typed by the person",
    advice="ask the person to run it",
    sees=_sees,
    programs=words("tmux screen kitty kitten wezterm zellij osascript") | _SERVED,
)
