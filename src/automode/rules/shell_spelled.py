"""What an allow pattern must spell out: words that start other programs, and ways out of a folder.

A wildcard stands for ordinary words; these are never meant by one.
"""

import re
from collections.abc import Iterator

from automode.core.workspace import Workspace
from automode.rules.path_match import inside
from automode.rules.trusted_words import ESCAPES, LEADING_ESCAPES, SUBCOMMAND_ESCAPES
from automode.shell.script import Command, Word

_WILDCARD = re.compile(r"[*?]")
_ADDRESS = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_LOCAL = re.compile(r"file:/+", re.IGNORECASE)
_HELPERS = ("ext::", "fd::")  # "addresses" that are programs
_NOWHERE = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr")


def spells_escapes(glob: str, command: Command) -> bool:
    """Options that start another program must stand in the pattern itself: `git *` is no
    `git -c core.pager=… log`."""
    spelled = glob.split(" ")
    for words, escapes in (
        (command.args, ESCAPES.get(command.program, ())),
        (_leading(command.args), LEADING_ESCAPES.get(command.program, ())),
    ):
        for word in words:
            option = word.text.partition("=")[0]
            risky = [one for one in escapes if option == one or _glued(option, one)]
            if risky and not any(part.startswith(one) for one in risky for part in spelled):
                return False
    return not any(text not in spelled for text in _under_subcommand(command))


def _under_subcommand(command: Command) -> Iterator[str]:
    """Words that start a program under one sub-command only, alone or among other letters."""
    texts = [word.text for word in command.args]
    for (program, subcommand), letters in SUBCOMMAND_ESCAPES.items():
        if program == command.program and subcommand in texts:
            for text in texts:
                if text[:1] == "-" != text[1:2] and any(letter in text for letter in letters):
                    yield text
    if command.program == "git":
        yield from (text for text in texts if text.startswith(_HELPERS))


def _leading(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Words before the sub-command; `-C` is followed by its value."""
    for at, word in enumerate(words):
        if not word.text.startswith("-") and (at == 0 or words[at - 1].text != "-C"):
            return words[:at]
    return words


def _glued(option: str, escape: str) -> bool:
    """`-ccore.pager=x` is `-c`; `--upload` abbreviates `--upload-pack`."""
    if escape.startswith("--"):
        return len(option) > 3 and escape.startswith(option)
    return len(escape) == 2 and option.startswith(escape)


def spells_paths(glob: str, command: Command, workspace: Workspace) -> bool:
    """Paths that lead away (`..`, absolute, from home) must stand in the pattern, up to a wildcard
    at the end: `rm build/*` is no `rm build/../../x`. An absolute path in the workspace is as good
    as a relative one, unless the pattern itself keeps to a folder."""
    parts = [part for word in glob.split(" ") for part in _parts(word.strip("'\""))]
    heads = [_WILDCARD.split(part, maxsplit=1)[0] for part in parts]
    kept = any("/" in part and _WILDCARD.search(part) for part in parts)
    for word in command.args:
        for part in _parts(word.text):
            if _leads_away(part) and not _spelled(part, heads):
                at_home = part.startswith("/") and ".." not in part.split("/") and not kept
                if not (at_home and inside(part, workspace)):
                    return False
    return True


def _parts(text: str) -> Iterator[str]:
    """The paths a word may hold: itself, `--file=path`, `host:path`, `-Cpath`."""
    if _ADDRESS.match(text):
        return
    yield text
    local = _LOCAL.search(text)
    if local:
        yield "/" + text[local.end() :]
    if "=" in text or ":" in text:
        yield from (part for part in re.split(r"[=:]", text) if not part.startswith("//"))
    if text[:1] == "-" and text[2:3] in ("/", "~", "."):
        yield text[2:]


def _leads_away(part: str) -> bool:
    if part in _NOWHERE:
        return False
    return part.startswith(("/", "~")) or ".." in part.split("/")


def _spelled(part: str, heads: list[str]) -> bool:
    """Whether the pattern has it, at least as far as it leads away."""
    ups = part.split("/").count("..")
    return any(
        _leads_away(head) and part.startswith(head) and head.split("/").count("..") == ups
        for head in heads
    )
