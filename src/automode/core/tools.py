"""What each host's tools are called and do: a name and an input become a `ToolCall`.

One name per kind of tool, whatever the host calls it; rules are written with that name.
"""

import json
import posixpath
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias
from urllib.parse import unquote

from automode.core.call import Action, Delegate, Fetch, Other, Read, ToolCall, Write
from automode.core.errors import BadCall
from automode.core.paths import absolute, locate, normal
from automode.core.tool_input import (
    PATH_FIELDS,
    all_paths,
    canonical,
    check_text,
    harmless,
    items,
    looks_like_patch,
    patched_files,
    removes_files,
    shell_action,
    sought_paths,
    squash,
)
from automode.core.workspace import Workspace

Input: TypeAlias = Mapping[str, object]

_PLAIN = re.compile(r"[A-Za-z0-9_+=-][A-Za-z0-9_.+=-]*")  # most words, and they mean one thing
_URL = re.compile(r"https?://[^\s<>\"'`]+", re.IGNORECASE)

_PATCH_FIELDS = ("input", "patch", "patchText", "patch_text", "diff", "command")
_PATCH_TOOLS = ("applypatch", "patch")
_VIEWING_EDITORS = ("strreplaceeditor", "strreplacebasededittool", "strreplaceedit")
_EDITOR_COMMANDS = ("create", "str_replace", "insert", "undo_edit", "view")
_REMOVERS = ("delete", "deletefile", "removefile")
_VIEW_FIELDS = frozenset((*PATH_FIELDS, "command", "view_range", "security_risk"))
_PROMPT_FIELDS = ("prompt", "task", "message", "instructions", "objective", "description")


def tool_call(tool: str, given: Input) -> ToolCall:
    """The call as automode sees it. Raises BadCall for an input that does not fit the tool."""
    name = canonical(tool)
    if name in _ACTIONS:
        return ToolCall(tool, _ACTIONS[name](tool, given), given)
    return ToolCall(tool, Read() if harmless(tool) else Other(), given)


def fetched_urls(given: Input) -> tuple[str, ...]:
    """Every URL a fetching tool is asked for: some take several, some only a text with URLs."""
    found = [value for value in (given.get("url"), given.get("uri")) if isinstance(value, str)]
    for item in (*items(given.get("urls")), *items(given.get("requests"))):
        url = item.get("url") if isinstance(item, Mapping) else item
        found += [url] if isinstance(url, str) else []
    prompt = given.get("prompt")
    if not found and isinstance(prompt, str):
        found = _URL.findall(prompt)
    return tuple(dict.fromkeys(url for url in found if url.strip()))


def meant_paths(path: str, workspace: Workspace) -> tuple[str, ...]:
    """The absolute paths that hosts may mean by a typed `path`; they differ about `@` in front,
    `file://`, another user's `~` and backslashes."""
    if _PLAIN.fullmatch(path):
        return (f"{normal(workspace.cwd).rstrip('/')}/{path}",)
    forms = [path, path[1:]] if path.startswith("@") and len(path) > 1 else [path]
    if "\\" in path:
        forms.append(path.replace("\\", "/"))
    found = [one for form in forms for one in _expand(form, workspace)]
    # Some hosts take `..` out of the text before the system sees it.
    places = [absolute(one, workspace.cwd) for one in found]
    if ".." in path:
        places += [locate(one, workspace.cwd, workspace.files) for one in found]
    return tuple(dict.fromkeys(places))


def _expand(path: str, workspace: Workspace) -> tuple[str, ...]:
    if path.casefold().startswith("file:"):
        local = unquote(path[5:])
        if local.startswith("//"):
            local = "/" + local[2:].partition("/")[2]
        return (local, local[1:]) if re.match(r"/[A-Za-z]:", local) else (local,)
    if path == "~" or path.startswith("~/"):
        return (workspace.home + path[1:],)
    if path.startswith("~"):
        return (posixpath.dirname(workspace.home) + "/" + path[1:], path)
    return (path,)


def _needed_paths(tool: str, given: Input) -> tuple[str, ...]:
    paths = all_paths(tool, given)
    if not paths:
        raise BadCall(f"no path in a call of `{tool}`", "give it as `file_path` or `path`")
    return paths


def _read(tool: str, given: Input) -> Read:
    return Read(_needed_paths(tool, given))


def _list_action(tool: str, given: Input) -> Read:
    """Searching tools look at the working folder unless told otherwise; a glob can lead out."""
    folders = all_paths(tool, given, included=False) or (".",)
    sought = sought_paths(tool, given, canonical(tool), folders)
    return Read(tuple(dict.fromkeys((*folders, *sought))))


def _write(tool: str, given: Input) -> Write:
    return Write(_needed_paths(tool, given), removes=squash(tool) in _REMOVERS)


def _edit(tool: str, given: Input) -> Action:
    paths = all_paths(tool, given)
    patches = _patches(tool, given, named=bool(paths))
    if patches:
        touched = [patched_files(patch) for patch in patches]
        if not all(touched):
            return Write(())
        named = [check_text(path, tool, "path") for found in touched for path in found]
        removes = any(removes_files(patch) for patch in patches)
        return Write(tuple(dict.fromkeys((*paths, *named))), removes=removes)
    paths = _needed_paths(tool, given)
    if _only_views(tool, given):
        return Read(paths)
    command = given.get("command") if squash(tool) in _VIEWING_EDITORS else None
    return Write(paths, removes=command is not None and command not in _EDITOR_COMMANDS)


def _patches(tool: str, given: Input, *, named: bool) -> tuple[str, ...]:
    """Every text in the input that may be the patch. A tool that takes nothing else must be given
    one; for others a text in such a field may be in a dialect that names no files."""
    kind = squash(tool)
    texts = [given[field] for field in _PATCH_FIELDS if given.get(field)]
    likely = [one for one in given.values() if isinstance(one, str) and looks_like_patch(one)]
    if kind not in _PATCH_TOOLS and (named or kind != "applydiff"):
        return tuple(dict.fromkeys(text for text in likely if text in texts))
    if not all(isinstance(text, str) for text in texts) or not (texts or named):
        raise BadCall(f"no patch in a call of `{tool}`", "give it as text in `input`")
    return tuple(dict.fromkeys((*(text for text in texts if isinstance(text, str)), *likely)))


def _only_views(tool: str, given: Input) -> bool:
    """`view` is a command of one family of editors. Beside any field that a view does not take, a
    host may well do something else."""
    if squash(tool) not in _VIEWING_EDITORS or given.get("command") != "view":
        return False
    return all(field in _VIEW_FIELDS or value is None for field, value in given.items())


def _fetch(tool: str, given: Input) -> Fetch:
    urls = fetched_urls(given)
    if not urls:
        raise BadCall(f"no URL in a call of `{tool}`", "give it as `url`")
    return Fetch(check_text(urls[0], tool, "URL"))


def _delegate(tool: str, given: Input) -> Delegate:
    if not given:
        raise BadCall(f"nothing is handed over in a call of `{tool}`", "give a `prompt`")
    prompt = next((given[f] for f in _PROMPT_FIELDS if isinstance(given.get(f), str)), None)
    return Delegate(prompt if isinstance(prompt, str) else json.dumps(given, default=repr))


_ACTIONS: dict[str, Callable[[str, Input], Action]] = {
    "bash": shell_action,
    "powershell": shell_action,
    "cmd": shell_action,
    "read": _read,
    "write": _write,
    "edit": _edit,
    "grep": _list_action,
    "find": _list_action,
    "ls": _list_action,
    "web_fetch": _fetch,
    "web_search": lambda tool, given: Other(),
    "agent": _delegate,
}
