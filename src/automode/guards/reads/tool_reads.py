"""Whether a tool that reads or searches comes across a credential by a pattern or in a folder."""

import re
from collections.abc import Iterator

from automode.core.call import Read, ToolCall
from automode.core.paths import alternatives, may_match
from automode.core.tool_input import globs, squashed
from automode.core.tools import canonical, meant_paths
from automode.core.workspace import Workspace
from automode.guards.own_files import OwnFiles
from automode.guards.reached import expanded, known_folder, wild
from automode.guards.reads.below import Names, is_credential_file, reading_objection
from automode.guards.reads.credentials import (
    holds_token,
    may_hold_token,
    may_name_credential,
    repository_configs,
)
from automode.guards.reads.searched_trees import tree_objection
from automode.shell.script import Command, Word

_SHOWS_NAMES = ("ls", "find")
_OF_CLAUDE_CODE = "Grep"


def tool_objection(call: ToolCall, action: Read, workspace: Workspace, own: OwnFiles) -> str | None:
    """Why the call may show a credential that no path of it names."""
    kind = canonical(call.tool)
    if kind in _SHOWS_NAMES:
        return None
    if kind == "grep":
        return _search_objection(call, action, workspace, own)
    places = (full for path in action.paths for full in meant_paths(path, workspace))
    if any(may_hold_token(workspace.files.resolve(one) or one, workspace.files) for one in places):
        return "a file of settings may hold a credential"
    reasons = (_pattern_objection(path, workspace, own) for path in _patterns(action))
    return next(filter(None, reasons), None)


def _patterns(action: Read) -> Iterator[str]:
    for path in action.paths:
        yield from (one for one in alternatives(path) if one != path or wild(one))


def _pattern_objection(pattern: str, workspace: Workspace, own: OwnFiles) -> str | None:
    if may_name_credential(pattern):
        return f"`{pattern[:80]}` may stand for a credential"
    for full in meant_paths(pattern, workspace):
        found = expanded(full, workspace.files)
        if found is None:
            names = Names((full.rpartition("/")[2],))
            if reason := reading_objection(known_folder(full), names, workspace, own):
                return reason
        elif any(is_credential_file(one, workspace) for one in found):
            return f"`{pattern[:80]}` matches a credential"
    return None


def _search_objection(
    call: ToolCall, action: Read, workspace: Workspace, own: OwnFiles
) -> str | None:
    """Such a tool reads what `rg --hidden` would read: so the hosts start it."""
    wanted = list(_wanted(call))
    for glob in wanted:
        if glob[:1] != "!" and may_name_credential(glob):
            return f"`{glob[:80]}` may stand for a credential"
    folders = [
        full for path in action.paths if not wild(path) for full in meant_paths(path, workspace)
    ]
    if _shows_repository(call, wanted) and any(
        holds_token(one, workspace.files) for at in folders for one in repository_configs(at)
    ):
        return "reads the configuration of the repository, which holds a credential"
    chosen = [word for glob in (*wanted, "!.git") for word in (Word("-g"), Word(glob))]
    language = call.input.get("type")
    if isinstance(language, str):
        chosen += [Word("-t"), Word(language)]
    if not _shows_names(call):
        chosen.append(Word("--hidden"))
    if any(squashed(field) == "noignore" and value for field, value in call.input.items()):
        chosen.append(Word("--no-ignore"))
    search = (Word("rg"), *chosen, Word("-e"), Word("x"), *map(Word, folders))
    return tree_objection(Command(search, cwd=workspace.cwd), workspace, own)


def _shows_repository(call: ToolCall, wanted: list[str]) -> bool:
    """Claude Code and most others leave the folder of git out; one host at least does not."""
    if call.tool == _OF_CLAUDE_CODE or "type" in call.input:
        return False
    names = [glob.rpartition("/")[2] for glob in wanted if glob[:1] != "!"]
    return not names or any(may_match(name, "config") for name in names)


def _wanted(call: ToolCall) -> Iterator[str]:
    """The wildcards for names; some hosts cut them at blanks and commas."""
    for glob in globs(call.input, "grep"):
        pieces = glob.split() if "{" in glob else re.split(r"[\s,]+", glob)
        for piece in dict.fromkeys((glob, *filter(None, pieces))):
            yield from alternatives(piece)


def _shows_names(call: ToolCall) -> bool:
    """Whether no line of a file is printed. Other hosts do not know the field."""
    listing = call.input.get("output_mode") in ("files_with_matches", "count")
    return listing and call.tool == _OF_CLAUDE_CODE
