"""A new file of variables for the project, such as `.env`, out of its example or of what the call
says: it holds no secret of anybody yet, and none of its variables leads a program to other code."""

import re
from collections.abc import Iterator

from automode.core.call import ToolCall, Write
from automode.core.paths import absolute, exactly_within
from automode.core.workspace import Kind, Workspace
from automode.judge.calls.written_texts import printed_text, written_by_tool
from automode.judge.words import patterns
from automode.shell.script import HOLE, Command

LONGEST = 40_000
_NAME = re.compile(r"/\.env(?:\.(?:local|dev|development|test|testing))?")
_EXAMPLE = re.compile(r"(?:^|/)\.?env[\w.-]*\.(?:example|sample|template|dist|defaults?)$")
_PRINTERS = frozenset({"echo", "printf", "cat", "tee"})
_COPIES = frozenset({"cp", "sed", "grep"})
_STEERS = patterns("command_deeds")
_VARIABLE = re.compile(r"(?m)(?:^|[\s;/#|&\"'])([A-Za-z_]\w*)\s*=")
_WORD = re.compile(r"[A-Za-z_]\w+")
# What runs where a shell reads the file, and signs that stand for others.
_HIDES = re.compile(r"`|\$\(|\\[^n./]")


def makes_env(path: str, command: Command, workspace: Workspace) -> bool:
    """Whether a command makes such a file where none is."""
    full = absolute(path, command.cwd or workspace.cwd)
    if not _is_new(full, workspace) or command.position or command.remote or command.elevated:
        return False
    if command.program in _COPIES:
        texts = list(_copied(path, command, workspace))
        plain = all(one is not None and _is_plain(one) for one in texts)
        return plain and not any(_leads(word.text) for word in command.args)
    printed = printed_text(command) if command.program in _PRINTERS else None
    return printed is not None and _is_plain(printed)


def makes_env_by_tool(full: str, call: ToolCall, workspace: Workspace) -> bool:
    if not isinstance(call.action, Write) or not _is_new(full, workspace):
        return False
    names = [path for path in call.action.paths if absolute(path, workspace.cwd) == full]
    written = written_by_tool(call.input, names[0]) if names else None
    whole = written is not None and written.whole
    return whole and all(_is_plain(put.text) for put in written.puts) if written else False


def _is_new(full: str, workspace: Workspace) -> bool:
    if not _NAME.fullmatch(f"/{full.rpartition('/')[2]}"):
        return False
    files = workspace.files
    inside = any(exactly_within(full, one) for one in workspace.folders)
    there = inside and files.kind(full) is Kind.MISSING and files.resolve(full) == full
    return there and bool(files.names(workspace.root, 1))


def _copied(path: str, command: Command, workspace: Workspace) -> Iterator[str | None]:
    """What is in the examples that it copies from, and what else it says; None where nobody knows,
    or where it copies something else."""
    words = [word.text for word in command.args]
    plain = [one for one in words if one[:1] != "-" and one != path]
    examples = [one for one in plain if _EXAMPLE.search(one)]
    others = plain[: 0 if command.program == "cp" else 1]
    if not examples or {*plain} - {*examples, *others}:
        yield None
    for one in examples:
        yield workspace.files.text(absolute(one, command.cwd or workspace.cwd), LONGEST)
    yield "\n".join(words)


def _is_plain(text: str) -> bool:
    names = " ".join(_VARIABLE.findall(text))
    return not _leads(names) and HOLE not in text and not _HIDES.search(text)


def _leads(text: str) -> bool:
    """Whether it has the name of a variable that leads programs to other code."""
    names = _WORD.findall(text)
    return "PATH" in names or any(map(_STEERS.steers.fullmatch, names))
