"""The patterns that would cover a call: exactly that one, and calls like it.

Only proposals: whether one would really have let the call through is for the gate to say, which
knows every other rule.
"""

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass

from automode.core.call import Delegate, Fetch, Other, Read, Shell, ToolCall, Write
from automode.core.errors import BadPattern
from automode.core.paths import exactly_within
from automode.core.tools import canonical, fetched_urls, meant_paths
from automode.core.workspace import Workspace
from automode.rules.other_match import canonical_json, url
from automode.rules.pattern import Rule, parse
from automode.rules.set_aside import broad
from automode.shell.reader import Reader
from automode.shell.script import Command, Origin, Redirect, Word

LONGEST_SENTENCE = 600  # characters
_WORD = re.compile(r"[a-z][a-z0-9:_-]*")
_SUBCOMMANDS = {
    **dict.fromkeys(("git", "hg", "svn", "jj", "make", "just", "terraform", "tofu", "pulumi"), 1),
    **dict.fromkeys(("kubectl", "helm", "cargo", "go", "brew", "apt", "apt-get", "systemctl"), 1),
    **dict.fromkeys(("pip", "pip3", "poetry", "pdm", "conda", "gem", "composer", "mix"), 1),
    **dict.fromkeys(("gh", "glab", "docker", "podman", "aws", "az", "uv", "dotnet", "flyctl"), 2),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), 2),
    "gcloud": 3,
}
"""How many words after a program say what it does."""

_QUOTING = frozenset("'\"\\")
_FREE = ("/dev/null", "/dev/stdout", "/dev/stderr")  # where output may always go


@dataclass(frozen=True, slots=True)
class Proposal:
    """Patterns that cover a call together. `exact`: no other call."""

    patterns: tuple[str, ...]
    exact: bool


def proposals(call: ToolCall, workspace: Workspace, reader: Reader) -> tuple[Proposal, ...]:
    """The narrowest first; empty where no pattern can cover the call."""
    found: list[Proposal | None] = []
    match call.action:
        case Shell(command, "bash"):
            found = _for_script(command, workspace, reader)
        case Shell(command, dialect):
            found = [_whole((f"{dialect}({command})",))]
        case Fetch():
            found = _for_urls((call.action.url, *fetched_urls(call.input)))
        case Read(paths) | Write(paths):
            found = _for_paths(_file_tool(call), paths, workspace)
        case Other():
            found = _for_input(call)
        case Delegate():
            pass  # a rule for handing work over is never applied
    return _different(found)


def policy_sentence(call: ToolCall, workspace: Workspace) -> str | None:
    """An entry for the policy's `allow` list that names this call; None where it is too long."""
    sentence = f"In the project {workspace.root}: {_deed(call)}."
    return sentence if len(sentence) <= LONGEST_SENTENCE else None


def _deed(call: ToolCall) -> str:
    match call.action:
        case Shell(command):
            return f"running `{' '.join(command.split())}`"
        case Fetch(address):
            return f"fetching {address}"
        case Read(paths):
            return f"reading {', '.join(paths)} with `{call.tool}`"
        case Write(paths):
            return f"changing {', '.join(paths)}"
        case Delegate(prompt):
            return f"handing this work to another agent: {' '.join(prompt.split())}"
        case Other():
            return f"calling `{call.tool}` with {canonical_json(dict(call.input))}"


def _different(found: Iterable[Proposal | None]) -> tuple[Proposal, ...]:
    by_text: dict[tuple[str, ...], Proposal] = {}
    for one in found:
        if one is not None:
            by_text.setdefault(one.patterns, one)
    return tuple(by_text.values())


def _whole(patterns: Iterable[str], *, exact: bool = True) -> Proposal | None:
    """None where a pattern cannot be written, or would not be applied."""
    texts = tuple(dict.fromkeys(patterns))
    if not texts or not all(_applied(text) for text in texts):
        return None
    wild = any("*" in text or "?" in text for text in texts)
    return Proposal(texts, exact and not wild)


def _applied(pattern: str) -> bool:
    try:
        return "\n" not in pattern and not broad(parse(Rule(pattern)))
    except BadPattern:
        return False


def _for_script(text: str, workspace: Workspace, reader: Reader) -> list[Proposal | None]:
    script = reader.full(text, workspace)
    commands = [one for one in script.commands if one.words and not one.transparent]
    if not script.complete or not commands:
        return []
    exact = _whole(f"bash({_spelled(command)})" for command in commands)
    wide = [_wide(command) for command in commands]
    return [exact, _whole((f"bash({one})" for one in wide), exact=False)]


def _spelled(command: Command) -> str:
    return " ".join((*(_word(word) for word in command.words), *_redirects(command)))


def _wide(command: Command) -> str:
    """A program and its sub-commands, whatever comes after them, where the program is known to have
    some; else what was written: `rm *` is more than anybody means."""
    words = [command.words[0].text]
    for word in command.args[: _SUBCOMMANDS.get(command.program, 0)]:
        if word.value is None or not _WORD.fullmatch(word.text):
            break
        words.append(word.text)
    text = " ".join((*words, "*", *_redirects(command)))
    return text if len(words) > 1 and _applied(f"bash({text})") else _spelled(command)


def _word(word: Word) -> str:
    """A word as a pattern has it. Blanks need quotes; where the word has quotes itself only a
    wildcard covers it."""
    text = word.text
    if word.origin is not Origin.LITERAL or (text and not any(one.isspace() for one in text)):
        return text
    bare = not _QUOTING & set(text) and all(one == " " for one in text if one.isspace())
    return f"'{text}'" if bare else "*"


def _redirects(command: Command) -> list[str]:
    return [f"{one.fd}{one.op} {one.target.text}" for one in command.redirects if not _free(one)]


def _free(redirect: Redirect) -> bool:
    target = redirect.target.text
    return (redirect.op in (">&", "<&") and not redirect.writes) or target in _FREE


def _for_urls(urls: Iterable[str]) -> list[Proposal | None]:
    forms = [url(one) for one in dict.fromkeys(urls)]
    return [
        _whole(f"web_fetch({form.text})" for form in forms),
        _whole((f"web_fetch(domain:{form.host})" for form in forms), exact=False),
    ]


def _for_paths(tool: str, paths: Iterable[str], workspace: Workspace) -> list[Proposal | None]:
    named = [_from_root(one, workspace) for path in paths for one in meant_paths(path, workspace)]
    folders = [posixpath.dirname(path) for path in named]
    exact = _whole(f"{tool}({path})" for path in named)
    if not all(folders) or "/" in folders:
        return [exact]
    return [exact, _whole((f"{tool}({folder}/**)" for folder in folders), exact=False)]


def _from_root(path: str, workspace: Workspace) -> str:
    """As people write it: from the project, from home, or from the root."""
    if path != workspace.root and exactly_within(path, workspace.root):
        return posixpath.relpath(path, workspace.root)
    if exactly_within(path, workspace.home):
        return f"~/{posixpath.relpath(path, workspace.home)}"
    return path


def _file_tool(call: ToolCall) -> str:
    name = canonical(call.tool)
    if isinstance(call.action, Write):
        return name if name in ("write", "edit") else "write"
    return name if name in ("read", "grep", "find", "ls") else "read"


def _for_input(call: ToolCall) -> list[Proposal | None]:
    name = canonical(call.tool)
    text = canonical_json(dict(call.input))
    exact = None if text is None else _whole((f"{name}({text})",))
    return [exact, _whole((name,), exact=False)]
