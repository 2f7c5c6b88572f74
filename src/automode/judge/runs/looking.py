"""Programs that look at sources, or compile them."""

from automode.guards.session_files import may_execute
from automode.judge.words import word_lists
from automode.shell.script import Command

_W = word_lists("running")


def reads_settings(command: Command) -> bool:
    """Whether it may start a tool that looks for its settings."""
    return may_execute(command) or command.program in _W.looking | _W.checking


def only_compiles(command: Command) -> bool:
    """Whether it compiles or checks, and runs none of the tests that lie there: `go vet ./...`,
    `uv run ruff check`, `go test -c`."""
    texts = [word.text for word in command.args]
    words = [one for one in texts if one[:1] != "-"]
    if command.program == "go" and words[:1] == ["test"]:
        return "-c" in texts and not any(one.startswith(("-exec", "--exec")) for one in texts)
    if f"{command.program}:{words[0] if words else ''}" in _W.compiling:
        return True
    started = (one for one in (command.program, *words) if one not in _W.launching)
    return next(started, "") in _W.looking
