"""Terminals that serve several: a command sent to one is started by the person's own process."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from automode.core.call import Shell
from automode.core.decision import ask
from automode.core.session import Session
from automode.gate.layer import Answer, Trail
from automode.guards.guard import Guard, Sight, words
from automode.programs.call_facts import CallFacts
from automode.shell.options import Arguments, Spec, arguments
from automode.shell.script import HOLE, Command, Script

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
    about=(
        "automode's own commands, sent to a terminal that already runs: by tmux to its usual"
        " server, by screen, kitty, wezterm, zellij, AppleScript and the desktop's terminals. What"
        " is started there has no agent above it. Other commands sent so are left to the other"
        " layers."
    ),
    sees=_sees,
    programs=words("tmux screen kitty kitten wezterm zellij osascript") | _SERVED,
    stops=(
        "tmux new-window -d 'automode off --all'",
        "tmux send-keys -t 0 'automode approve 3' Enter",
        "tmux neww automode reset",
        "tmux -L default run-shell 'automode off --all'",
        "tmux ls \\; split-window 'automode off'",
        "tmux display-message -p '#(automode off --all)'",
        "screen -S main -X stuff 'automode off --all\\n'",
        "kitty @ launch automode off --all",
        "kitten @ --to unix:/tmp/k send-text 'automode off'",
        "wezterm cli spawn -- automode off",
        "zellij run -- automode off",
        "gnome-terminal -- automode off",
        'osascript -e \'tell app "Terminal" to do script "automode off"\'',
        'osascript -e \'tell app "System Events" to keystroke "automode off"\'',
    ),
    passes=(
        "tmux ls",
        "tmux -V",
        "tmux capture-pane -p -t dev",
        "tmux list-panes -a",
        "tmux has-session -t dev",
        "tmux display -p '#S'",
        "tmux new-session -d -s dev 'npm run dev'",
        "tmux send-keys -t 0 'make deploy' Enter",
        "screen -S main -X stuff 'make\\n'",
        "tmux -L build new-session -d 'npm run dev'",
        "tmux -L build send-keys -t 0 'make' Enter",
        "screen -ls",
        "screen -dmS build make",
        "kitty @ ls",
        "wezterm cli list",
        "kitty --version",
        "osascript -e 'display notification \"automode asks\"'",
        'osascript -e \'tell app "Terminal" to do script "make"\'',
        "grep -rn 'tmux send-keys' docs",
    ),
)


HOSTS = frozenset({"codex"})
"""Agents that were measured to type without a hook."""
SOURCE = "typed-session"
ADVICE = "give it everything at once: as a script, an option, a here-document or a pipe"

_TYPED = frozenset({"-", "/dev/stdin", "/dev/tty", "/dev/fd/0", "/proc/self/fd/0"})
_LED_IN = ("<", "<<", "<<<", "<>", "<&")
_PASSING = words("cat tee dd pv")
_LONG = words(
    "--command --execute --eval --file --batch --print --query --version --help --list --json-lines"
)


@dataclass(frozen=True, slots=True)
class _Program:
    """`operands`: how many bring its work along, 0 where none does. `giving` are letters of options
    that do, or that end it by themselves; `values` all letters that take a value."""

    operands: int = 1
    giving: str = ""
    values: str = ""

    def waits(self, command: Command) -> bool:
        given = arguments(command.args, Spec(values=self.values))
        if given.has("-i", "--interactive"):
            return True
        if given.has(*(f"-{letter}" for letter in self.giving), *_LONG):
            return False
        return not self.operands or len(_operands(given)) < self.operands


_SHELL = _Program(giving="c", values="cOo")
_LANGUAGE = _Program(giving="cemprEVhv", values="cemprEWXI")
_CLIENT = _Program(operands=0, giving="cefqQVl", values="cefqQhpPuUdD")
_FILE_CLIENT = _Program(operands=2)
_ALWAYS = _Program(operands=0, giving="V")
_PROGRAMS: Mapping[str, _Program] = {
    **dict.fromkeys(words("bash sh zsh dash ksh mksh ash fish csh tcsh pwsh nu xonsh"), _SHELL),
    **dict.fromkeys(
        words(
            "python python2 python3 pypy pypy3 ipython bpython node nodejs deno bun ruby irb perl"
            " php lua luajit r julia ghci scala jshell groovysh erl iex clj sbcl clisp guile racket"
            " ocaml utop tclsh wish octave osascript"
        ),
        _LANGUAGE,
    ),
    **dict.fromkeys(
        words("psql mysql mariadb mycli pgcli mongosh mongo sqlplus cqlsh clickhouse-client usql"),
        _CLIENT,
    ),
    **dict.fromkeys(words("sqlite3 duckdb litecli"), _FILE_CLIENT),
    **dict.fromkeys(words("redis-cli valkey-cli"), _Program(values="hpasnuidt")),
    "ssh": _Program(2, giving="VNGQO", values="BbcDEeFIiJLlmOopQRSWw"),
    "su": _Program(0, giving="c", values="csgG"),
    "sudo": _Program(1, giving="lvkKVeh", values="ugUhpCRTDrt"),
    "script": _Program(0, giving="cV", values="cIOBEmot"),
    "gdb": _Program(0, giving="x", values="x"),
    **dict.fromkeys(words("telnet nc ncat netcat socat ftp sftp lftp rlogin mosh lldb"), _ALWAYS),
    **dict.fromkeys(words("screen tmux vi vim nvim view ex ed emacs nano pico joe micro"), _ALWAYS),
    **dict.fromkeys(words("less more most xargs parallel read mapfile readarray"), _ALWAYS),
}


class TypedSession:
    name = SOURCE

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        if session.host not in HOSTS or not isinstance(facts.call.action, Shell):
            return None
        opened = next(_opened(facts.script), None)
        if opened is None:
            return None
        reason = f"what is typed into `{opened}` would be decided by nobody"
        return ask(SOURCE, reason, ADVICE, clearable=False)


def _opened(script: Script) -> Iterator[str]:
    first = {one.pipeline: one for one in script.commands if one.position == 0}
    for command in script.commands:
        name = command.name
        if name in _PROGRAMS and _takes_typing(command, first) and _PROGRAMS[name].waits(command):
            yield name


def _takes_typing(command: Command, first: Mapping[int, Command]) -> bool:
    """Whether its input is that of the session: nothing else is led into it, or something that
    passes on what is typed."""
    if command.fed is not None or any(one.op in _LED_IN for one in command.redirects):
        return False
    source = first.get(command.pipeline)
    if command.position == 0 or source is None:
        return True
    passes = source.name in _PASSING and not _operands(arguments(source.args, Spec()))
    return passes and _takes_typing(source, first)


def _operands(given: Arguments) -> list[str]:
    return [word.text for word in given.operands if word.text not in _TYPED]
