"""Layer: asks before a program opens that the agent would type into without any hook."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from automode.core.call import Shell
from automode.core.decision import ask
from automode.core.session import Session
from automode.gate.layer import Answer, Trail
from automode.guards.guard import words
from automode.programs.call_facts import CallFacts
from automode.shell.options import Arguments, Spec, arguments
from automode.shell.script import Command, Script

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
