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
from automode.core.patches import patched_files
from automode.core.paths import absolute
from automode.core.shell_input import checked, items, shell_action
from automode.core.tool_names import canonical, harmless, squashed
from automode.core.workspace import Workspace

__all__ = ["canonical", "fetched_urls", "meant_paths", "tool_call"]

Input: TypeAlias = Mapping[str, object]

_URL = re.compile(r"https?://[^\s<>\"'`]+", re.IGNORECASE)

_PATH_FIELDS = (
    *("file_path", "path", "filePath", "filepath", "absolute_path", "notebook_path", "filename"),
    *("file", "target_file", "target_notebook", "dir_path", "directory", "relative_path"),
    "relative_workspace_path",
)
_LIST_FIELDS = ("paths", "file_paths", "files", "filePaths", "include", "edits")
_PATCH_FIELDS = ("input", "patch", "patchText", "patch_text", "diff", "command")
_PROMPT_FIELDS = ("prompt", "task", "message", "instructions", "objective", "description")


def tool_call(tool: str, given: Input) -> ToolCall:
    """The call as automode sees it. Raises BadCall for an input that does not fit the tool."""
    name = canonical(tool)
    action = _undescribed(tool) if name not in _ACTIONS else _ACTIONS[name](tool, given)
    return ToolCall(tool, action, given)


def _undescribed(tool: str) -> Action:
    return Read() if harmless(tool) else Other()


def fetched_urls(given: Input) -> tuple[str, ...]:
    """Every URL a fetching tool is asked for: some take several, some only a text with URLs."""
    found = [value for value in (given.get("url"), given.get("uri")) if isinstance(value, str)]
    for field in ("urls", "requests"):
        found += [url for item in items(given.get(field)) for url in _request_url(item)]
    prompt = given.get("prompt")
    if not found and isinstance(prompt, str):
        found = _URL.findall(prompt)
    return tuple(dict.fromkeys(url for url in found if url.strip()))


def meant_paths(path: str, workspace: Workspace) -> tuple[str, ...]:
    """The absolute paths that hosts may mean by a typed `path`; they differ about `@` in front,
    `file://`, another user's `~` and backslashes."""
    forms = [path, path[1:]] if path.startswith("@") and len(path) > 1 else [path]
    if "\\" in path:
        forms.append(path.replace("\\", "/"))
    found = [one for form in forms for one in _expanded(form, workspace)]
    return tuple(dict.fromkeys(absolute(one, workspace.cwd) for one in found))


def _expanded(path: str, workspace: Workspace) -> tuple[str, ...]:
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


def _request_url(item: object) -> tuple[str, ...]:
    url = item.get("url") if isinstance(item, Mapping) else item
    return (url,) if isinstance(url, str) else ()


def _paths(tool: str, given: Input) -> tuple[str, ...]:
    """Every path in the fields for one. A host reads only one of them; which is not known here."""
    found: list[str] = []
    for field in _PATH_FIELDS:
        value = given.get(field)
        if value is not None and not isinstance(value, str):
            raise BadCall(f"`{field}` of a call of `{tool}` is not text", "give a path as a string")
        if value is not None and value.strip():
            found.append(checked(value, tool, "path"))
    return tuple(dict.fromkeys(found))


def _all_paths(tool: str, given: Input) -> tuple[str, ...]:
    found = [*_paths(tool, given)]
    for field in _LIST_FIELDS:
        value = given.get(field)
        for item in (value,) if isinstance(value, str) else items(value):
            if isinstance(item, Mapping):
                found += _paths(tool, item)
            elif isinstance(item, str):
                found.append(checked(item, tool, "path"))
            else:
                raise BadCall(f"`{field}` of a call of `{tool}` holds no paths", "list strings")
    return tuple(dict.fromkeys(path for path in found if path.strip()))


def _needed_paths(tool: str, given: Input) -> tuple[str, ...]:
    paths = _all_paths(tool, given)
    if not paths:
        raise BadCall(f"no path in a call of `{tool}`", "give it as `file_path` or `path`")
    return paths


def _read(tool: str, given: Input) -> Read:
    return Read(_needed_paths(tool, given))


def _listed(tool: str, given: Input) -> Read:
    """Searching tools look at the working folder unless told otherwise; a glob can lead out."""
    pattern = given.get("pattern")
    paths = _paths(tool, given) or (".",)
    if canonical(tool) == "find" and isinstance(pattern, str):
        checked(pattern, tool, "pattern")
        folder = re.split(r"[*?\[{]", pattern, maxsplit=1)[0].rpartition("/")[0]
        if pattern.startswith(("/", "~")) or ".." in pattern:
            paths = (*paths, folder or "/")
    return Read(paths)


def _write(tool: str, given: Input) -> Write:
    return Write(_needed_paths(tool, given))


def _edit(tool: str, given: Input) -> Action:
    if squashed(tool) in ("applypatch", "patch", "applydiff") and not _paths(tool, given):
        patch = next((given[field] for field in _PATCH_FIELDS if given.get(field)), None)
        if not isinstance(patch, str):
            raise BadCall(f"no patch in a call of `{tool}`", "give it as text in `input`")
        named = patched_files(patch)
        return Write(tuple(checked(path, tool, "path") for path in named))
    paths = _needed_paths(tool, given)
    return Read(paths) if given.get("command") == "view" else Write(paths)


def _fetch(tool: str, given: Input) -> Fetch:
    urls = fetched_urls(given)
    if not urls:
        raise BadCall(f"no URL in a call of `{tool}`", "give it as `url`")
    return Fetch(checked(urls[0], tool, "URL"))


def _delegate(tool: str, given: Input) -> Delegate:
    if not given:
        raise BadCall(f"nothing is handed over in a call of `{tool}`", "give a `prompt`")
    prompt = next((given[f] for f in _PROMPT_FIELDS if isinstance(given.get(f), str)), None)
    return Delegate(prompt if isinstance(prompt, str) else json.dumps(given, default=repr))


def _search(tool: str, given: Input) -> Other:
    return Other()


_ACTIONS: dict[str, Callable[[str, Input], Action]] = {
    "bash": shell_action,
    "powershell": shell_action,
    "cmd": shell_action,
    "read": _read,
    "write": _write,
    "edit": _edit,
    "grep": _listed,
    "find": _listed,
    "ls": _listed,
    "web_fetch": _fetch,
    "web_search": _search,
    "agent": _delegate,
}
