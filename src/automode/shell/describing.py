"""Commands as they were read, in words for people."""

from collections.abc import Iterator
from shlex import quote

from automode.shell.script import HOLE, Assignment, Command, Origin, Redirect, Word

UNKNOWN_PART = "…"
_ORIGINS = {
    Origin.LITERAL: "written in the script",
    Origin.GLOB: "file names that match",
    Origin.DERIVED: "made while the script runs",
    Origin.UNKNOWN: "comes from outside the script",
}


def command_line(command: Command) -> str:
    """As one would type it, so that blanks inside a word do not look like blanks between words."""
    words = [_assignment_text(assignment) for assignment in command.assignments]
    for word in command.words:
        if word.value is not None:
            words.append(quote(word.text))
        else:
            words.append(f'"{word_text(word)}"' if " " in word.text else word_text(word))
    return " ".join(words) or "(no program)"


def word_text(word: Word) -> str:
    return word.text.replace(HOLE, UNKNOWN_PART)


def _assignment_text(assignment: Assignment) -> str:
    sign = "+=" if assignment.appends else "="
    return f"{assignment.name}{sign}{word_text(assignment.value)}"


def command_notes(command: Command, folder: str) -> Iterator[tuple[str, str]]:
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
        yield "exported", _assignment_text(assignment)
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
    return f"`{word_text(word)}` {_ORIGINS[word.origin]}{several}{flag}"


def _redirect(redirect: Redirect) -> str:
    if redirect.feeds:
        return f"{redirect.fd}{redirect.op} {len(redirect.target.text)} characters of text"
    effect = " (writes)" if redirect.writes else ""
    return f"{redirect.fd}{redirect.op} {word_text(redirect.target)}{effect}"
