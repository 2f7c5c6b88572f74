"""The script in the input of a shell tool: text or a list of words, with folder and environment."""

import re
from collections.abc import Iterator, Mapping

from automode.core.call import Shell
from automode.core.errors import BadCall
from automode.core.tool_names import canonical

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")

_SCRIPT_FIELDS = ("command", "cmd", "script", "commands")
_FOLDER_FIELDS = ("workdir", "cwd", "working_directory", "dir_path", "directory")
_SHELLS = {"bash": "bash", "sh": "bash", "zsh": "bash", "dash": "bash", "ksh": "bash"}
_SHELLS |= {"pwsh": "powershell", "powershell": "powershell", "cmd": "cmd"}
_SYSTEM_FOLDERS = ("", "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
_INLINE = {
    "bash": ("-c", "-lc", "-cl", "-l -c"),
    "powershell": ("-command", "-c", "-noprofile -command", "-noprofile -c"),
    "cmd": ("/c", "/k", "/d /s /c"),
}


def quoted(word: str) -> str:
    """`word` as bash would have to be given it."""
    return word if _PLAIN.fullmatch(word) else "'" + word.replace("'", "'\"'\"'") + "'"


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
    before = "".join(f"{line}\n" for line in _surroundings(tool, given))
    command = before + checked(script.command, tool, "command")
    return Shell(command, script.dialect)


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
    return Shell(" ".join(quoted(word) for word in words), native)


def _dialect(program: str) -> str | None:
    folder, _, name = program.rpartition("/")
    return _SHELLS.get(name.casefold().removesuffix(".exe")) if folder in _SYSTEM_FOLDERS else None


def _under(shell: str, script: Shell) -> Shell:
    """A host may let the agent choose the shell; one we do not know is a program like any other."""
    dialect = _dialect(shell)
    return Shell(
        script.command if dialect else f"{quoted(shell)} -c {quoted(script.command)}",
        dialect or "bash",
    )


def _surroundings(tool: str, given: Mapping[str, object]) -> Iterator[str]:
    """A folder and an environment given beside the command, as the script lines they amount to:
    `rm -rf .` means something else elsewhere."""
    environment = given.get("env")
    if isinstance(environment, Mapping):
        for name, value in environment.items():
            if not (isinstance(name, str) and _VARIABLE.fullmatch(name) and isinstance(value, str)):
                raise BadCall(f"unreadable environment in a call of `{tool}`", "use plain text")
            yield f"export {name}={quoted(checked(value, tool, 'env'))}"
    folder = next((given[field] for field in _FOLDER_FIELDS if given.get(field)), None)
    if isinstance(folder, str) and folder.strip() not in ("", "."):
        yield f"cd {quoted(checked(folder, tool, 'folder'))}"


LONGEST = {"path": 4_096, "folder": 4_096, "URL": 65_536}
"""Characters. No system opens a longer path; following one costs time for each of its parts."""


def checked(text: str, tool: str, what: str) -> str:
    if "\0" in text:
        raise BadCall(f"NUL byte in the {what} of a call of `{tool}`", "send the text without it")
    if len(text) > LONGEST.get(what, len(text)):
        raise BadCall(
            f"the {what} in a call of `{tool}` is {len(text)} characters long",
            f"the longest that can be meant is {LONGEST[what]}",
        )
    return text
