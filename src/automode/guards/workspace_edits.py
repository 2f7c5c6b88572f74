"""Layer: edits inside the workspace, outside protected paths, need no review."""

import re
from collections.abc import Iterator, Mapping

from automode.core.call import ToolCall, Write
from automode.core.decision import Remark, allow
from automode.core.paths import exactly_within, within
from automode.core.session import Session
from automode.core.tool_input import input_texts
from automode.core.tools import meant_paths
from automode.core.transcript import PriorCall
from automode.core.word_lists import word_lists
from automode.core.workspace import Workspace
from automode.gate.layer import Answer, Trail
from automode.guards.own_files import OwnFolders, own_files
from automode.guards.protected import Protected, adds_only_data, is_acted_upon
from automode.programs.call_facts import CallFacts

SOURCE = "workspace-edit"


class WorkspaceEdits:
    name = "workspace-edit"

    def __init__(self, protected: Protected, folders: OwnFolders | None = None) -> None:
        """`folders` are automode's own, where they are not the usual ones alone."""
        self.protected = protected
        self._folders = folders or OwnFolders()

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        call = facts.call
        if not isinstance(call.action, Write):
            return None
        objection = next(self.objections(call.action, session.workspace), None)
        objection = objection or next(_about_hidden(call, session.workspace), None)
        objection = objection or next(_about_contents(call, session), None)
        if objection is not None:
            return Remark(self.name, "not-inside", objection)
        names = ", ".join(f"`{path}`" for path in call.action.paths[:3])
        return allow(SOURCE, f"changes {names} inside the workspace")

    def objections(self, action: Write, workspace: Workspace) -> Iterator[str]:
        if not action.paths:
            yield "the files it changes are not known"
        if action.removes:
            yield "it deletes, moves or renames files"
        if too_wide(workspace):
            yield f"the workspace `{workspace.root}` holds a home folder"
        for path in action.paths:
            if not all(inside(full, workspace) for full in meant_paths(path, workspace)):
                yield f"`{path}` is outside the workspace"
            elif self.protected.covers(path, workspace):
                yield f"`{path}` is a protected path"
            elif self._is_own(path, workspace):
                yield f"`{path}` belongs to automode"

    def _is_own(self, path: str, workspace: Workspace) -> bool:
        own = own_files(workspace.home, workspace.folders, self._folders)
        for full in meant_paths(path, workspace):
            if own.is_ours(full) or own.is_ours(workspace.files.resolve(full) or full):
                return True
        return False


def _about_hidden(call: ToolCall, workspace: Workspace) -> Iterator[str]:
    paths = call.action.paths if isinstance(call.action, Write) else ()
    for path in paths:
        for full in meant_paths(path, workspace):
            real = workspace.files.resolve(full) or full
            if is_acted_upon(full, workspace) or is_acted_upon(real, workspace):
                before = workspace.files.text(full, LONGEST) or ""
                if real != full or not adds_only_data(full, call.input, before):
                    yield f"`{path}` is a protected path"


def _about_contents(call: ToolCall, session: Session) -> Iterator[str]:
    """What is put into a file may need review where the file does not."""
    paths = call.action.paths if isinstance(call.action, Write) else ()
    for path in paths:
        for full in meant_paths(path, session.workspace):
            before = session.workspace.files.text(full, LONGEST) or ""
            if is_planted(full, call.input, before):
                yield f"what tools run in `{path}` would reach another machine or credentials"
            if replaces_all(call.input, before) and not _wrote(full, session):
                yield f"nothing of what is in `{path}` would be left"


def _wrote(full: str, session: Session) -> bool:
    """Whether an earlier call of this session wrote the whole file."""
    return any(
        isinstance(one, PriorCall) and "content" in one.input and full in one.input.values()
        for one in session.transcript.entries
    )


def inside(full: str, workspace: Workspace) -> bool:
    """Both as typed and with links followed: a link inside may lead out, one outside lead in."""
    resolved = workspace.files.resolve(full)
    if resolved is None:
        return False
    for folder in workspace.folders:
        real = workspace.files.resolve(folder)
        if real is None or not exactly_within(resolved, real):
            continue
        if exactly_within(full, folder) or exactly_within(full, real):
            return True
    return False


def too_wide(workspace: Workspace) -> bool:
    """A workspace that is a home folder, `/` or a parent of one: nothing in it is "the project"."""
    roots = [workspace.files.resolve(folder) or folder for folder in workspace.folders]
    homes = (workspace.home, "/root", "/home", "/Users")
    return any(
        root == "/"
        or within(workspace.home, root)
        or root.casefold() in {home.casefold() for home in homes}
        or (root.count("/") == 2 and root.casefold().startswith(("/home/", "/users/")))
        for root in roots
    )


LONGEST = 200_000
_PARTS = {name: "|".join(parts) for name, parts in word_lists("automode.guards", "planted").items()}
_RUN_BY_TOOLS = re.compile(
    rf"(?:^|/)(?:{_PARTS['run-by-tools']})$|(?:^|/)(?:{_PARTS['folders']})/", re.IGNORECASE
)
_HERE = (
    r"(?!localhost\b|127\.|0\.0\.0\.0|\[?::1|host\.docker\.internal|[\w-]+:\d|\$\{?\w*(?:host|url))"
)
_KNOWN = rf"(?!(?:[\w-]+\.)*(?:{_PARTS['known']})(?:[:/\s\"']|$))"
_MACHINE = (
    rf"{_HERE}{_KNOWN}(?:[\w-]+\.)+[a-z]{{2,}}(?=[:/?#\s\"'`|;&<>)\\]|$)|{_HERE}\d+\.\d+\.\d+\.\d+"
)
_SHELL_CLIENT = re.compile(
    rf"(?<![\w./-])(?:{_PARTS['shell-clients']})\b(?:[^\n|;&]{{0,160}}?[\s\"'@]|\s)"
    rf"(?:\w+://(?:[^\s/@]*@)?)?(?:{_MACHINE})",
    re.IGNORECASE,
)
_CODE_CLIENT = re.compile(
    rf"\b(?:{_PARTS['code-clients']})\W[^\n]{{0,200}}?\w+://(?:{_MACHINE})", re.IGNORECASE
)
_OTHERS = re.compile(_PARTS["others"])
_HINTS = (_SHELL_CLIENT, _CODE_CLIENT, _OTHERS)


def is_planted(path: str, given: Mapping[str, object], before: str) -> bool:
    """`before`: what is in the file now. What was there already is no news."""
    if not _RUN_BY_TOOLS.search(path):
        return False
    old = before + "\n".join(text for field, text in written_texts(given) if field[:3] == "old")
    return any(
        hint not in old
        for field, text in written_texts(given)
        if field[:3] != "old"
        for hint in hints_in(text)
    )


def hints_in(text: str) -> Iterator[str]:
    """What in a text reaches another machine or credentials, or hides what it does."""
    return (found[0] for pattern in _HINTS for found in pattern.finditer(text[:LONGEST]))


def written_texts(given: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """With the field that each stands in, also where a call has several edits."""
    for field, value in given.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Mapping):
                yield from written_texts(one)
            else:
                yield from ((field.casefold(), text) for text in input_texts(one))


LEAST_LINE = 8
LEAST_LINES = 5


def replaces_all(given: Mapping[str, object], before: str) -> bool:
    """Whether a whole new text leaves not one line of those that are in the file now."""
    new = next((one for name in _WHOLE if isinstance(one := given.get(name), str)), None)
    if new is None:
        return False
    old = {line.strip() for line in before.splitlines() if len(line.strip()) >= LEAST_LINE}
    return len(old) >= LEAST_LINES and old.isdisjoint(line.strip() for line in new.splitlines())


_WHOLE = ("content", "contents", "file_text")
