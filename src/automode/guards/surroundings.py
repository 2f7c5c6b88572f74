"""What stands around a command: variables it is given and redirects it is put into."""

from automode.core.workspace import Workspace
from automode.guards.secret_reads import file_objection, shown, word_objection
from automode.shell.script import Command, Origin, Redirect, Word
from automode.shell.variables import only_presents

_HARMLESS_TARGETS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")


def variable_objection(command: Command) -> str | None:
    """Whether a variable that the command is given may change what it does. What an assignment
    without a command changes is a matter of the reading."""
    for one in (*command.assignments, *command.environment) if command.words else ():
        if not only_presents(one) and not (one.name == "IFS" and command.program == "read"):
            return f"`{one.name}` may make a program do something else"
    return None


def redirect_objection(redirect: Redirect, command: Command, workspace: Workspace) -> str | None:
    target = redirect.target
    if redirect.feeds:
        # A short text may name a file or object to be read; a long one is a document.
        if redirect.op == "<<<" or target.origin is Origin.UNKNOWN:
            return word_objection(target, command, workspace)
        return None
    if redirect.writes:
        if target.value in _HARMLESS_TARGETS or _is_descriptor(target):
            return None
        return f"writes to `{shown(target)}`"
    if redirect.op in ("<&", ">&"):
        return None
    if target.text.startswith("/dev/tcp/") or target.text.startswith("/dev/udp/"):
        return f"reads from the network through `{shown(target)}`"
    if target.origin is Origin.UNKNOWN:
        return "reads a file whose name is not known"
    return file_objection(target, command, workspace)


def _is_descriptor(word: Word) -> bool:
    return word.value is not None and word.text.startswith("/dev/fd/") and word.text[8:].isdigit()
