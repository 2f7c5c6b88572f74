"""How builtins change what is known further down the script: `cd`, `export`, `read` and kin."""

from collections.abc import Iterator

from automode.core.paths import absolute
from automode.shell.script import Assignment, Command, Word
from automode.shell.state import DERIVED_VALUE, UNKNOWN_VALUE, State

_DECLARES = frozenset({"export", "declare", "typeset", "local", "readonly"})
_READS = frozenset({"read", "mapfile", "readarray", "getopts"})


def apply_builtin(command: Command, state: State) -> Iterator[str]:
    """Changes `state` as the builtin would; yields what can no longer be known."""
    name = command.program
    if name in ("cd", "pushd", "popd", "chdir"):
        _change_folder(name, command, state)
    elif name in _DECLARES:
        _declare(name, command, state)
    elif name in _READS or name == "printf":
        _read(name, command, state)
    elif name == "unset":
        yield from _unset(command, state)
    elif name in ("source", "."):
        state.forget(frozenset(state.variables))
        yield "another script is read into this one"
    elif name == "let":
        for word in command.args:
            state.forget(frozenset({word.text.partition("=")[0]}))
    elif name == "alias" and command.args:
        yield "an alias changes what later words mean"


def _unset(command: Command, state: State) -> Iterator[str]:
    if any(word.value is None for word in command.args):
        yield "it is not known what is unset"
    for word in command.args:
        state.variables[word.text] = UNKNOWN_VALUE
        state.numbers.discard(word.text)
        state.functions.discard(word.text)


def _change_folder(name: str, command: Command, state: State) -> None:
    targets = [
        word for word in command.args if word.text not in ("-P", "-L", "-e", "-@", "--", "-n")
    ]
    if name == "popd" or len(targets) > 1:
        state.cwd = None
    elif not targets:
        state.cwd = state.value("HOME").value if name == "cd" else None
    else:
        target = targets[0].value
        known = target is not None and target != "-" and not target.startswith(("+", "-"))
        if target is None or not known:
            state.cwd = None
        elif state.cwd is not None or target.startswith("/"):
            state.cwd = absolute(target, state.cwd or "/")


def _declare(name: str, command: Command, state: State) -> None:
    flags = "".join(word.text[1:] for word in command.args if word.text.startswith("-"))
    exports = name == "export" or "x" in flags
    for word in command.args:
        variable, equals, text = word.text.partition("=")
        if not variable.rstrip("+").isidentifier():
            continue
        if equals:
            value = Word(text, word.origin)
            state.assign(variable.rstrip("+"), value, appends=variable.endswith("+"))
            if exports:
                state.exported[variable] = Assignment(variable, value)
        elif exports:
            state.exported[variable] = Assignment(variable, state.value(variable))
        elif "i" in flags:
            state.mark_number(variable)


def _read(name: str, command: Command, state: State) -> None:
    words = [word.text for word in command.args]
    if name == "printf":
        if "-v" in words[:1] and len(words) > 1:
            state.forget(frozenset({words[1]}))
        return
    for word in command.args:
        if word.text.isidentifier():
            state.assign(word.text, DERIVED_VALUE)
    if name == "read":
        state.assign("REPLY", DERIVED_VALUE)
