"""How a script was read, for people and for programs."""

from collections.abc import Iterator

from automode.cli.printing import attributes, faint, one_line, say, say_row, width
from automode.core.shell_input import quoted
from automode.shell.script import HOLE, Assignment, Command, Origin, Redirect, Script, Word

UNKNOWN_PART = "…"
_ORIGINS = {
    Origin.LITERAL: "written in the script",
    Origin.GLOB: "file names that match",
    Origin.DERIVED: "made while the script runs",
    Origin.UNKNOWN: "comes from outside the script",
}


def show_script(script: Script, folder: str) -> None:
    """`folder` is where the script starts: only other folders are worth a line."""
    for number, command in enumerate(script.commands, start=1):
        start = f"  {number}. "
        say(start + one_line(_line(command), width() - len(start)))
        for label, text in _notes(command, folder):
            say_row(label, text, indent=len(start))
    if not script.commands:
        say("  no command was found")
    for gap in script.gaps:
        say_row("gap", gap, indent=2)
    if script.complete:
        say(faint("  read in full: both parsers agree"))


def _line(command: Command) -> str:
    words = [_shown(assignment) for assignment in command.assignments]
    words += [_typed(word) for word in command.words]
    return " ".join(words) or "(no program)"


def _typed(word: Word) -> str:
    """The word as one would type it, so that blanks inside it do not look like blanks between."""
    if word.value is not None:
        return quoted(word.text)
    return f'"{_word(word)}"' if " " in word.text else _word(word)


def _word(word: Word) -> str:
    return word.text.replace(HOLE, UNKNOWN_PART)


def _shown(assignment: Assignment) -> str:
    sign = "+=" if assignment.appends else "="
    return f"{assignment.name}{sign}{_word(assignment.value)}"


def _notes(command: Command, folder: str) -> Iterator[tuple[str, str]]:
    if command.via:
        yield "inside", " > ".join(command.via)
    if command.transparent:
        yield "wrapper", "its whole effect is the commands found inside it"
    if command.position:
        yield "pipe", "reads what the command before it writes"
    for redirect in command.redirects:
        yield "redirect", _redirect(redirect)
    for word in command.words:
        if word.value is None:
            yield "dynamic", _unknown(word)
    for assignment in command.environment:
        yield "exported", _shown(assignment)
    yield from _place(command, folder)


def _place(command: Command, folder: str) -> Iterator[tuple[str, str]]:
    if command.elevated:
        yield "elevated", "runs with the rights of another user"
    if command.remote:
        yield "remote", "runs on another machine or in a container"
    if command.cwd != folder:
        yield "folder", command.cwd if command.cwd is not None else "not known"


def _unknown(word: Word) -> str:
    several = "; may be several words" if word.splits else ""
    flag = "; may be an option" if word.could_be_flag else ""
    return f"`{_word(word)}` {_ORIGINS[word.origin]}{several}{flag}"


def _redirect(redirect: Redirect) -> str:
    if redirect.feeds:
        return f"{redirect.fd}{redirect.op} {len(redirect.target.text)} characters of text"
    effect = " (writes)" if redirect.writes else ""
    return f"{redirect.fd}{redirect.op} {_word(redirect.target)}{effect}"


def script_data(script: Script) -> dict[str, object]:
    return {
        "complete": script.complete,
        "gaps": list(script.gaps),
        "commands": [_command_data(command) for command in script.commands],
    }


def _command_data(command: Command) -> dict[str, object]:
    return {
        "program": command.program.replace(HOLE, UNKNOWN_PART),
        "words": [_word_data(word) for word in command.words],
        "assignments": [_assignment_data(one) for one in command.assignments],
        "redirects": [
            attributes(one, "op fd writes") | {"target": _word_data(one.target)}
            for one in command.redirects
        ],
        "environment": [_assignment_data(one) for one in command.environment],
        **attributes(command, "cwd via transparent remote elevated pipeline position"),
    }


def _word_data(word: Word) -> dict[str, object]:
    return {
        "text": _word(word),
        "known": word.value is not None,
        "origin": word.origin.name.lower(),
        "splits": word.splits,
    }


def _assignment_data(assignment: Assignment) -> dict[str, object]:
    return {"name": assignment.name, "value": _word_data(assignment.value)}
