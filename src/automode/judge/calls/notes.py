"""Notes that a host keeps of a project for later sessions: which belong to it, and what may be
written into them unasked.

A later session reads them as it begins. So nothing may be put in that tells it to do what a person
is to decide, leads it to a stranger's machine, or hides.
"""

import re
from collections.abc import Iterator

from automode.core.call import ToolCall, Write
from automode.core.unseen import IGNORABLE, character_class
from automode.core.workspace import Workspace
from automode.guards.workspace_edits import hints_in, written_texts
from automode.judge.calls.network import strangers_in
from automode.judge.words import patterns

_P = patterns("notes")
LONGEST = 20_000
_LONGEST_LINK = 4_096
# The fields of tools that write or edit one file. Another one may do more.
_FIELDS = frozenset("file_path path content old_string new_string replace_all edits".split())
_NOTE = re.compile(r"(/.+)/\.claude/projects/([\w-]+)/memory(?:/\w[\w.-]*\.md)?")
_HOME = re.compile(r"(?:/[a-z])?/(?:home|Users)/[^/]+", re.IGNORECASE)
_DRIVE = re.compile(r"/([a-z])/")
_WORKTREE = re.compile(r"gitdir: (/[^\n]+)/\.git/worktrees/[\w.-]+\s*")
_UNSEEN = re.compile(f"[{character_class(IGNORABLE)}]")


def is_note(full: str, workspace: Workspace) -> bool:
    """Whether an absolute path is a note of this very project, or the folder of its notes."""
    found = _NOTE.fullmatch(full)
    if found is None or found[2].casefold() not in set(_names(workspace)):
        return False
    homes = (workspace.home, workspace.other_home)
    return (found[1] in homes or _HOME.fullmatch(found[1]) is not None) and (
        workspace.files.resolve(full) == full
    )


def _names(workspace: Workspace) -> Iterator[str]:
    """What the host calls the folder of the project: its path, each mark of it a dash."""
    for root in (*workspace.folders, *_main_checkout(workspace)):
        drive = _DRIVE.match(f"{root}/".casefold())
        for form in (root, f"{drive[1]}:{root[2:]}") if drive else (root,):
            yield re.sub(r"[^A-Za-z0-9]", "-", form).casefold()


def _main_checkout(workspace: Workspace) -> Iterator[str]:
    """The checkout that this one is a worktree of."""
    text = workspace.files.text(f"{workspace.root}/.git", _LONGEST_LINK) or ""
    found = _WORKTREE.fullmatch(text)
    if found:
        yield found[1]


def only_notes(call: ToolCall) -> bool:
    """Whether all that the call puts into a note is text for people, of which nothing tells a later
    session what it may do, or where to get or send something."""
    if not isinstance(call.action, Write) or call.action.removes or call.input.keys() - _FIELDS:
        return False
    written = written_texts(call.input)
    texts = [text for field, text in written if field not in ("file_path", "path", "old_string")]
    text = "\n".join(texts)
    return (
        bool(text.strip())
        and len(text) <= LONGEST
        and not _P.orders.search(text)
        and not _UNSEEN.search(text)
        and not any(hints_in(text))
        and not any(strangers_in(text))
        and not _is_suspect(text)
    )


def _is_suspect(text: str) -> bool:
    # The probe's patterns take long to load, and few calls write notes.
    from automode.probe.screening import screen

    return screen(text).suspect
