"""Patches that a script applies: which files they change, where what is in them is known."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from automode.core.paths import absolute
from automode.core.tool_input import patched_files
from automode.core.workspace import Workspace
from automode.judge.calls.file_deeds import plain_words
from automode.judge.calls.written_texts import printed_text
from automode.judge.words import patterns, word_lists, word_table
from automode.shell.script import HOLE, Command

LONGEST = 400_000
_P = patterns("patches")
_W = word_lists("patches")


def applies_patch(command: Command) -> bool:
    texts = [word.text for word in command.args]
    verbs = texts if texts and texts[0][:1] == "-" else texts[:1]  # `git -C x apply`
    git = command.program == "git" and not {"apply", "am"}.isdisjoint(verbs)
    return (git or command.program == "patch") and _W.looks.isdisjoint(texts)


def patched(command: Command, before: Sequence[Command], place: Workspace) -> list[str] | None:
    """The paths of the files that a patch changes; None where nobody can tell. `before`: the
    commands that may have made it."""
    command = _in_folder(command, place)
    texts = [word.text for word in command.args]
    options = [one for one in texts if one[:1] == "-"]
    plain = [one for one in plain_words(command) if one]
    if not all(map(_P.plain.fullmatch, options)) or any(HOLE in one for one in texts):
        return None
    named: list[str] = []
    if command.program == "git":
        plain = plain[1:]
    elif plain and not {"-i", "--input"} & set(options):
        named, plain = plain[:1], plain[1:]  # the file that is changed, whatever the patch says
    plain += [one.target.text for one in command.redirects if one.op == "<"]
    found = [_in_file(one, command, before, place) for one in plain]
    if command.fed is not None:
        found = [_in_text(command.fed)]
    elif not plain:
        writers = [one for one in before if one.pipeline == command.pipeline]
        piped = command.pipeline and command.position and writers
        found = [_in_print(writers[-1]) if piped else None]
    return None if None in found else [*named, *(path for one in found if one for path in one)]


def _in_folder(command: Command, place: Workspace) -> Command:
    """`git -C FOLDER apply x` as it would be there, where that is known."""
    words = command.words
    if command.program != "git" or len(words) < 4 or words[1].text != "-C" or not words[2].value:
        return command
    at = absolute(words[2].text, command.cwd or place.cwd)
    return replace(command, words=(words[0], *words[3:]), cwd=at)


def _in_file(
    path: str, command: Command, before: Sequence[Command], place: Workspace
) -> list[str] | None:
    full = absolute(path, command.cwd or place.cwd)
    writers = [
        one
        for one in before
        if any(
            to.writes and absolute(to.target.text, one.cwd or place.cwd) == full
            for to in one.redirects
        )
    ]
    if not all(one.program in _W.leaves or one in writers for one in before):
        return None  # it may be another one by then
    if not writers:
        return _in_text(place.files.text(full, LONGEST) or "")
    found = [_in_print(one) for one in writers]
    return None if None in found else [path for one in found if one for path in one]


def _in_text(text: str) -> list[str] | None:
    return list(patched_files(text)) or None if len(text) < LONGEST else None


def _in_print(writer: Command) -> list[str] | None:
    """The files in a patch that a command prints."""
    texts = [word.text for word in writer.args]
    if writer.remote or writer.position:
        return None
    if writer.program in _W.printers:
        text = printed_text(writer)
        return None if text is None else _in_text(text)
    if writer.program == "git":
        known = not any(map(_P.elsewhere.fullmatch, texts))
        return [] if known and _W.prints_of_git.intersection(texts[:1]) else None
    options = word_table("patches", "differs").get(writer.program, frozenset[str]())
    if options.isdisjoint(texts) or any(HOLE in one for one in texts):
        return None
    return [one for one in plain_words(writer) if one not in options]


def known_paths(
    commands: Sequence[Command], place: Workspace
) -> Iterator[tuple[Command, list[str] | None]]:
    """Each command that applies a patch, with what it changes."""
    for at, command in enumerate(commands):
        if applies_patch(command):
            yield _in_folder(command, place), patched(command, commands[:at], place)
