"""Which files the input of a file tool names: in the fields for one, and in those that look so."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from automode.core.errors import BadCall
from automode.core.shell_input import LONGEST, checked, items
from automode.core.tool_names import squashed
from automode.core.wildcards import alternatives

Input: TypeAlias = Mapping[str, object]

PATH_FIELDS = (
    *("file_path", "path", "filePath", "filepath", "absolute_path", "notebook_path", "filename"),
    *("file", "target_file", "target_notebook", "dir_path", "directory", "relative_path"),
    "relative_workspace_path",
)
_LIST_FIELDS = ("paths", "file_paths", "files", "filePaths", "edits")
_INCLUDED = "include"  # files for a tool that reads them, a wildcard for one that searches
_FOLDER_FIELDS = (
    *("dir_path", "directory", "dir", "folder", "cwd", "workdir", "working_directory"),
    *("base_path", "base_dir", "root", "root_path"),
)
_LIKE_PATHS = re.compile(
    r".*(?:path|file|filename|destination|dest|target|folder|directory|notebook|location)s?"
    r"|(?:file|target|document)?uri|to|from|source|src|dst|newname|moveto|renameto"
)
_DEEPEST = 6
_GLOB_FIELDS = {
    "grep": "glob globs include includes includepattern filepattern fileglob globpattern",
    "find": "pattern patterns glob globs globpattern include filepattern query name",
}
_EVERYDAY = re.compile(r"(?:[\w.~-]*/|\*\*?/)*\*{0,2}(?:\.\w+)*")
_TELLING = re.compile(r"env|key|pem|p12|pfx|ppk|jks|kdbx|secret|token|cred|auth|pass|ssh|\.\.")


def field_paths(tool: str, given: Input) -> tuple[str, ...]:
    """Every path in the fields for one. A host reads only one of them; which is not known here."""
    found: list[str] = []
    for field in PATH_FIELDS:
        value = given.get(field)
        if value is not None and not isinstance(value, str):
            raise BadCall(f"`{field}` of a call of `{tool}` is not text", "give a path as a string")
        if value is not None and value.strip():
            found.append(checked(value, tool, "path"))
    return tuple(dict.fromkeys(found))


def all_paths(tool: str, given: Input, *, included: bool = True) -> tuple[str, ...]:
    """Those, lists of them, fields that by their name hold one, and all of them as seen from a
    folder that is given beside them."""
    found = [*field_paths(tool, given)]
    for field in (*_LIST_FIELDS, *((_INCLUDED,) if included else ())):
        value = given.get(field)
        for item in (value,) if isinstance(value, str) else items(value):
            if isinstance(item, Mapping):
                found += field_paths(tool, item)
            elif isinstance(item, str):
                found.append(checked(item, tool, "path"))
            else:
                raise BadCall(f"`{field}` of a call of `{tool}` holds no paths", "list strings")
    found += [path for path in _likely(given, 0) if "\0" not in path]
    named = [path for path in found if path.strip()]
    return tuple(dict.fromkeys((*named, *_joined(given, named))))


def _likely(value: object, depth: int) -> Iterator[str]:
    """Texts in fields whose names look like those of paths, however deep."""
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if isinstance(name, str) and _LIKE_PATHS.fullmatch(squashed(name)):
                yield from _texts(inner)
            yield from _likely(inner, depth + 1)
    for item in items(value):
        yield from _likely(item, depth + 1)


def _texts(value: object) -> Iterator[str]:
    """No system opens a longer path than the longest: such a text is something else."""
    for item in (value, *items(value)):
        if isinstance(item, str) and len(item) <= LONGEST["path"]:
            yield item


def _joined(given: Input, paths: list[str]) -> Iterator[str]:
    folders = [given.get(field) for field in _FOLDER_FIELDS]
    for folder in folders:
        if isinstance(folder, str) and folder.strip() not in ("", "."):
            for path in paths:
                if path != folder and not path.startswith(("/", "~")):
                    yield posixpath.join(folder, path)


def sought_paths(tool: str, given: Input, kind: str, folders: tuple[str, ...]) -> Iterator[str]:
    """Where the wildcards of a searching tool lead, and the files they name: `*.py` is neither."""
    for glob in globs(given, kind):
        yield from _sought(checked(glob, tool, "path"), folders)


def globs(given: Input, kind: str) -> Iterator[str]:
    """The wildcards that say which files a searching tool looks at."""
    for field, value in given.items():
        if squashed(field) in _GLOB_FIELDS.get(kind, "").split():
            found = (value,) if isinstance(value, str) else items(value)
            yield from (glob for glob in found if isinstance(glob, str))


def _sought(typed: str, folders: tuple[str, ...]) -> Iterator[str]:
    for glob in alternatives(typed):
        away = glob.startswith(("/", "~"))
        if away or ".." in glob:
            yield re.split(r"[*?\[{]", glob, maxsplit=1)[0].rpartition("/")[0] or "/"
        everyday = _EVERYDAY.fullmatch(glob) and "*" in glob
        if glob.startswith("!") or not glob.strip() or (everyday and not _TELLING.search(glob)):
            continue
        yield from (glob if away else posixpath.join(*_placed(one, glob)) for one in folders)


def _placed(folder: str, glob: str) -> tuple[str, ...]:
    return (glob,) if folder == "." else (folder, glob)


def input_texts(value: object, *, keys: bool = False) -> Iterator[str]:
    """With `keys` the names of fields as well. A stack, because depth is the sender's choice."""
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += [*one.keys(), *one.values()] if keys else one.values()
        elif isinstance(one, (list, tuple)):
            waiting += one
