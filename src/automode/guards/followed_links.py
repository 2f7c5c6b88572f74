"""Whether a command that follows links through a whole tree may be led to credentials."""

from collections.abc import Iterator

from automode.core.paths import absolute, within
from automode.core.workspace import Workspace
from automode.guards.credentials import HOLDERS, in_credential_folder, is_credential
from automode.guards.own_files import OwnFiles
from automode.shell.script import HOLE, Command

_MOST_NAMES = 20_000  # below one folder
_FOLLOWING = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep"), ("R", ("--dereference-recursive",))),
    **dict.fromkeys(("rg", "fd", "fdfind"), ("L", ("--follow",))),
    "ag": ("f", ("--follow",)),
    "ack": ("", ("--follow",)),
    "ugrep": ("RS", ("--dereference-recursive", "--dereference")),
    **dict.fromkeys(("diff", "colordiff"), ("r", ("--recursive",))),
    **dict.fromkeys(("find", "gfind"), ("L", ("-follow",))),
}
"""The letters and words by which a program follows links."""


def followed_objection(command: Command, workspace: Workspace, own: OwnFiles) -> str | None:
    """A repository may hold a link to anything: `grep -R` reads it, `grep -r` does not."""
    if command.remote or not _follows(command):
        return None
    for folder in dict.fromkeys(_searched(command, command.cwd or workspace.cwd)):
        links = workspace.files.links_below(folder, _MOST_NAMES)
        if links is None:
            return "follows links through more files than can be looked at"
        for link in links:
            real = workspace.files.resolve(link)
            if real is None or _secret(real, workspace, own):
                return "follows links, and one of them leads to credentials"
    return None


def _searched(command: Command, here: str) -> Iterator[str]:
    texts = [word.text for word in command.args if word.text[:1] != "-"]
    for text in texts:
        if text and HOLE not in text:
            yield absolute(text, here)
    # A search that names no folder, or none that is known, searches where it is.
    if len(texts) < 2 or any(HOLE in text for text in texts):
        yield here


def _secret(real: str, workspace: Workspace, own: OwnFiles) -> bool:
    home = workspace.home
    if is_credential(real, home) or in_credential_folder(real) or own.secret(real):
        return True
    holders = (home, *own.states, *(f"{home}/{name}" for name in HOLDERS))
    return any(within(one, real) for one in holders)


def _follows(command: Command) -> bool:
    following = _FOLLOWING.get(command.program)
    if following is None:
        return False
    letters, long = following
    for word in command.args:
        text = word.text
        bundle = text[1:] if text[:1] == "-" and text[1:2] != "-" else ""
        is_word = command.program in ("find", "gfind") and len(bundle) > 1
        if text in long or (not is_word and set(letters) & set(bundle)):
            return True
    return False
