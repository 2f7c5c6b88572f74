"""What the input of a tool says: its kind, the script of a shell, the files it names, a patch."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import cache
from shlex import quote
from typing import TypeAlias

from automode.core.call import Shell
from automode.core.errors import BadCall
from automode.core.paths import absolute, alternatives
from automode.core.word_lists import word_lists

_HARMLESS = "harmless"
_OF_PI = "pi:"
"""Before a name that only Pi's own tool of that name gets from automode's extension: no tool can be
called so. Rules name the tool without it."""
_SEPARATORS = re.compile(r"[_\-. ]")
_MCP_SLASHED = re.compile(r"mcp:([^/\s]+)/(\S+)")
# How editors that speak the Agent Client Protocol offer Claude Code its own tools.
_OF_EDITOR = re.compile(r"mcp(?:__acp__|:acp/)(bash|read|write|edit)")


@cache
def _kinds() -> Mapping[str, str]:
    """By the name of a tool, without what hosts disagree about."""
    lists = word_lists("automode.core", "tool_names")
    return {squash(name): kind for kind, names in lists.items() for name in names}


def canonical(tool: str) -> str:
    """The one name for `tool` across hosts; its own name in lower case when nobody described it.

    A tool of an MCP server is never one of ours, whatever it is called, but for the server by which
    an editor puts its own tools in the place of the agent's."""
    name = tool.strip().casefold()
    name = own[1] if (own := _OF_EDITOR.fullmatch(name)) else name
    kind = _kinds().get(name)
    if kind is None:
        slashed = _MCP_SLASHED.fullmatch(name)
        if slashed:
            return f"mcp__{slashed[1]}__{slashed[2]}"
        kind = None if name.startswith("mcp__") else _kinds().get(squash(name))
    if kind == _HARMLESS:
        return name.removeprefix(_OF_PI)
    return name if kind is None else kind


TOOLS = tuple(kind for kind in word_lists("automode.core", "tool_names") if kind != _HARMLESS)
"""The names that rules use."""


def known_tool(tool: str) -> bool:
    """Whether some host has a tool of that name, as far as it was described."""
    return squash(tool.strip()) in _kinds()


def harmless(tool: str) -> bool:
    """Whether it is one of the hosts' own tools that touch nothing. MCP names never are."""
    name = tool.strip().casefold()
    return not name.startswith(("mcp__", "mcp:")) and _kinds().get(squash(name)) == _HARMLESS


def squash(name: str) -> str:
    """`name` without what hosts disagree about."""
    return _SEPARATORS.sub("", name.casefold())


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_SCRIPT_FIELDS = ("command", "cmd", "script", "commands")
_START_FIELDS = ("workdir", "cwd", "working_directory", "dir_path", "directory")
_SHELLS = {"bash": "bash", "sh": "bash", "zsh": "bash", "dash": "bash", "ksh": "bash"}
_SHELLS |= {"pwsh": "powershell", "powershell": "powershell", "cmd": "cmd"}
_SYSTEM_FOLDERS = ("", "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
_WINDOWS_FOLDERS = (
    "c:/windows/system32",
    "c:/windows/system32/windowspowershell/v1.0",
    "c:/program files/powershell/7",
)
_INLINE = {
    "bash": ("-c", "-lc", "-cl", "-l -c"),
    "powershell": (
        "-command",
        "-c",
        "-noprofile -command",
        "-noprofile -c",
        "-nologo -command",
        "-nologo -noprofile -command",
        "-noprofile -noninteractive -command",
        "-nologo -noprofile -noninteractive -command",
    ),
    "cmd": ("/c", "/k", "/d /s /c"),
}


def items(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, list | tuple) else ()


def shell_action(tool: str, given: Mapping[str, object]) -> Shell:
    native = canonical(tool)
    fields = [field for field in _SCRIPT_FIELDS if given.get(field) is not None]
    if not fields:
        raise BadCall(f"no command in a call of `{tool}`", "give it as `command`")
    if any(given[field] != given[fields[0]] for field in fields):
        raise BadCall(f"two different commands in a call of `{tool}`", "give one `command`")
    field = fields[0]
    script = _script(tool, given[field], native, several=field == "commands")
    shell = given.get("shell")
    if isinstance(shell, str) and shell.strip():
        script = _under(shell, script)
    if not script.command.strip():
        raise BadCall(f"empty command in a call of `{tool}`", "leave the call out")
    before = "".join(f"{line}\n" for line in _surroundings(tool, given, script.dialect))
    command = before + check_text(script.command, tool, "command")
    return Shell(command, script.dialect)


def plain_command(given: Mapping[str, object]) -> str | None:
    """The text that a shell tool is given, where it is one text in one field and nothing beside it
    chooses a shell or an environment; else None."""
    found = [given[field] for field in _SCRIPT_FIELDS if given.get(field) is not None]
    if given.get("shell") or given.get("env") or len(found) != 1:
        return None
    return found[0] if isinstance(found[0], str) else None


def with_command(given: Mapping[str, object], text: str) -> Mapping[str, object]:
    """The same input with another text for the shell; of one that `plain_command` reads."""
    return {
        name: text if name in _SCRIPT_FIELDS and value is not None else value
        for name, value in given.items()
    }


def start_folder(given: Mapping[str, object], cwd: str) -> str:
    """The folder in which the host starts the shell: one given beside the command, else `cwd`."""
    folder = next((given[field] for field in _START_FIELDS if given.get(field)), None)
    return absolute(folder, cwd) if isinstance(folder, str) and folder.strip() else cwd


def _script(tool: str, value: object, native: str, *, several: bool = False) -> Shell:
    if isinstance(value, str):
        return Shell(value, native)
    words = [word for word in items(value) if isinstance(word, str)]
    if not words or len(words) != len(items(value)):
        raise BadCall(
            f"the command of `{tool}` is neither text nor a list of words",
            "give `command` as one string, or as a list of strings",
        )
    return Shell("\n".join(words), native) if several else _argv(words, native)


def _argv(words: list[str], native: str) -> Shell:
    """`["bash", "-lc", script]` is the script; any other list is the words of one command."""
    dialect = _dialect(words[0])
    flags = " ".join(words[1:-1])
    flags = flags if dialect == "bash" else flags.casefold()
    if dialect and len(words) > 2 and flags in _INLINE[dialect]:
        return Shell(words[-1], dialect)
    return Shell(" ".join(map(quote, words)), native)


def _dialect(program: str) -> str | None:
    folder, _, name = program.replace("\\", "/").rpartition("/")
    known = folder in _SYSTEM_FOLDERS or folder.casefold() in _WINDOWS_FOLDERS
    return _SHELLS.get(name.casefold().removesuffix(".exe")) if known else None


def _under(shell: str, script: Shell) -> Shell:
    """A host may let the agent choose the shell; one we do not know is a program like any other."""
    dialect = _dialect(shell)
    return Shell(
        script.command if dialect else f"{quote(shell)} -c {quote(script.command)}",
        dialect or "bash",
    )


def _surroundings(tool: str, given: Mapping[str, object], dialect: str) -> Iterator[str]:
    """A folder and an environment given beside the command, as the script lines they amount to:
    `rm -rf .` means something else elsewhere."""
    environment = given.get("env")
    if isinstance(environment, Mapping):
        for name, value in environment.items():
            if not (isinstance(name, str) and _VARIABLE.fullmatch(name) and isinstance(value, str)):
                raise BadCall(f"unreadable environment in a call of `{tool}`", "use plain text")
            text = check_text(value, tool, "env")
            own = dialect == "powershell"
            yield f"$env:{name} = {_quote_windows(text)}" if own else f"export {name}={quote(text)}"
    folder = next((given[field] for field in _START_FIELDS if given.get(field)), None)
    if isinstance(folder, str) and folder.strip() not in ("", "."):
        text = check_text(folder, tool, "folder")
        yield f"cd {_quote_windows(text) if dialect == 'powershell' else quote(text)}"


def _quote_windows(text: str) -> str:
    """As PowerShell reads it; some other quotes are quotes to it, too."""
    return "'" + re.sub("(['\u2018-\u201b])", r"\1\1", text) + "'"


LONGEST = {"path": 4_096, "folder": 4_096, "URL": 65_536}
"""Characters. No system opens a longer path; following one costs time for each of its parts."""


def check_text(text: str, tool: str, what: str) -> str:
    if "\0" in text:
        raise BadCall(f"NUL byte in the {what} of a call of `{tool}`", "send the text without it")
    if len(text) > LONGEST.get(what, len(text)):
        raise BadCall(
            f"the {what} in a call of `{tool}` is {len(text)} characters long",
            f"the longest that can be meant is {LONGEST[what]}",
        )
    return text


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
            found.append(check_text(value, tool, "path"))
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
                found.append(check_text(item, tool, "path"))
            else:
                raise BadCall(f"`{field}` of a call of `{tool}` holds no paths", "list strings")
    found += [path for path in _likely(given, 0) if "\0" not in path]
    named = [path for path in found if path.strip()]
    return tuple(dict.fromkeys((*named, *_join_folders(given, named))))


def _likely(value: object, depth: int) -> Iterator[str]:
    """Texts in fields whose names look like those of paths, however deep."""
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if isinstance(name, str) and _LIKE_PATHS.fullmatch(squash(name)):
                yield from _texts(inner)
            yield from _likely(inner, depth + 1)
    for item in items(value):
        yield from _likely(item, depth + 1)


def _texts(value: object) -> Iterator[str]:
    """No system opens a longer path than the longest: such a text is something else."""
    for item in (value, *items(value)):
        if isinstance(item, str) and len(item) <= LONGEST["path"]:
            yield item


def _join_folders(given: Input, paths: list[str]) -> Iterator[str]:
    folders = [given.get(field) for field in _FOLDER_FIELDS]
    for folder in folders:
        if isinstance(folder, str) and folder.strip() not in ("", "."):
            for path in paths:
                if path != folder and not path.startswith(("/", "~")):
                    yield posixpath.join(folder, path)


def sought_paths(tool: str, given: Input, kind: str, folders: tuple[str, ...]) -> Iterator[str]:
    """Where the wildcards of a searching tool lead, and the files they name: `*.py` is neither."""
    for typed in globs(given, kind):
        for glob in alternatives(check_text(typed, tool, "path")):
            yield from _sought(glob, folders)


def globs(given: Input, kind: str) -> Iterator[str]:
    """The wildcards that say which files a searching tool looks at."""
    for field, value in given.items():
        if squash(field) in _GLOB_FIELDS.get(kind, "").split():
            found = (value,) if isinstance(value, str) else items(value)
            yield from (glob for glob in found if isinstance(glob, str))


def _sought(glob: str, folders: tuple[str, ...]) -> Iterator[str]:
    away = glob.startswith(("/", "~"))
    if away or ".." in glob:
        yield re.split(r"[*?\[{]", glob, maxsplit=1)[0].rpartition("/")[0] or "/"
    everyday = _EVERYDAY.fullmatch(glob) and "*" in glob
    if glob.strip() and glob[0] != "!" and (not everyday or _TELLING.search(glob)):
        for one in folders:
            yield glob if away or one == "." else posixpath.join(one, glob)


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


_MARKERS = ("*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:")
_FRAMES = ("*** Begin Patch", "*** End Patch", "*** End of File", "*** Environment ID:")
_GIT_MARKERS = ("rename from ", "rename to ", "copy from ", "copy to ", "Index:")
_GIT_HEADER = "diff --git "
_MARKED = re.compile(
    rf"^[ \t]*(?:{'|'.join(re.escape(text) for text in (*_MARKERS, *_FRAMES, _GIT_HEADER))})"
    r"|^[ \t]*--- .*\n[ \t]*\+\+\+ ",
    re.MULTILINE,
)
_REMOVES = re.compile(
    r"\s*(?:\*\*\* (?:Delete File|Move to):|deleted file mode|rename (?:from|to) |"
    r"\+\+\+ \"?/dev/null)"
)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_LETTERS = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))

_MOST_WORDS = 64  # in a header whose names hold blanks

_UNREADABLE = ""
"""Stands for a name that cannot be read. One of them makes the whole patch unknown."""


def looks_like_patch(text: str) -> bool:
    return any(_MARKED.search("\n".join(lines)) for lines in _readings(text))


def removes_files(patch: str) -> bool:
    """Whether a file goes away by it: deleted, moved or renamed."""
    return any(_REMOVES.match(line) for lines in _readings(patch) for line in lines)


def patched_files(patch: str) -> tuple[str, ...]:
    """Every path the patch names, in order; empty when any part of it cannot be read."""
    paths = [
        path for lines in _readings(patch) for path in (*_marker_paths(lines), *_diff_paths(lines))
    ]
    unreadable = any(not path or not path.isprintable() or "//" in path for path in paths)
    return () if unreadable else tuple(dict.fromkeys(paths))


def _readings(patch: str) -> tuple[list[str], ...]:
    """The lines of the patch. Hosts disagree about what ends a line, so it is read both ways."""
    strict = [line.removesuffix("\r") for line in patch.split("\n")]
    wide = patch.splitlines()
    return (strict,) if strict in (wide, [*wide, ""]) else (strict, wide)


def _marker_paths(lines: list[str]) -> Iterator[str]:
    """Paths of the marker lines; a marker nobody has described to us cannot be read."""
    for line in lines:
        text = line.strip()
        marker = next((marker for marker in _MARKERS if text.startswith(marker)), None)
        if marker:
            yield text[len(marker) :].strip()
        elif line.startswith("*** ") and not text.startswith(_FRAMES):
            yield _UNREADABLE


def _diff_paths(lines: list[str]) -> Iterator[str]:
    for index, line in enumerate(lines):
        after = lines[index + 1].lstrip() if index + 1 < len(lines) else ""
        text = line.lstrip()
        if text.startswith("--- ") and after.startswith("+++ "):
            yield from _header(text[4:])
            yield from _header(after[4:])
        marker = next((marker for marker in _GIT_MARKERS if line.startswith(marker)), None)
        if marker:
            yield _unquote(line[len(marker) :].strip())
        if line.startswith(_GIT_HEADER):
            yield from _git_header(line[len(_GIT_HEADER) :].strip())


def _header(text: str) -> Iterator[str]:
    """The path of a `---` or `+++` line, without its date. A date may follow a blank only, so the
    first word may be the path as well."""
    path = text.split("\t", 1)[0].strip()
    if path.startswith('"'):
        yield _strip_prefix(_unquote(path))
    elif path.split(" ", 1)[0] != "/dev/null":
        yield from (_strip_prefix(path), _strip_prefix(path.split(" ", 1)[0]))


def _git_header(text: str) -> Iterator[str]:
    """Both names of `diff --git a/x b/x`: for a changed mode, a binary or an empty file no other
    line names it. Names with blanks are not quoted, so every way to part them counts."""
    if '"' in text:
        first = _QUOTED.match(text)
        left = first[0] if first else text.partition(' "')[0]
        yield _strip_prefix(_unquote(left))
        yield _strip_prefix(_unquote(text[len(left) :].strip()))
        return
    words = text.split(" ")
    if not 2 <= len(words) <= _MOST_WORDS:
        yield _UNREADABLE
        return
    for at in _partings(words):
        yield _strip_prefix(" ".join(words[:at]))
        yield _strip_prefix(" ".join(words[at:]))


def _partings(words: list[str]) -> list[int]:
    """Where the second name may begin: in the middle when both are the same, else anywhere."""
    middle, odd = divmod(len(words), 2)
    names = (" ".join(words[:middle]), " ".join(words[middle:]))
    same = _strip_prefix(names[0]) == _strip_prefix(names[1])
    return [middle] if same and not odd else list(range(1, len(words)))


def _strip_prefix(path: str) -> str:
    return path[2:] if path.startswith(("a/", "b/")) else path


def _unquote(text: str) -> str:
    """A name as git writes it: in quotes and with escapes as in C when it holds odd letters."""
    if '"' not in text:
        return text
    found = _QUOTED.fullmatch(text)
    try:
        raw = _ESCAPE.sub(_letter, found[1].encode("utf-8", "replace")) if found else b""
    except (KeyError, ValueError):
        return _UNREADABLE
    return raw.decode("utf-8", "replace")


def _letter(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    return bytes([int(code, 8) if code.isdigit() else _LETTERS[code[0]]])
