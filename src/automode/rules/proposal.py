"""The patterns that would cover a call: exactly that one, and calls like it.

Only proposals: whether one would really have let the call through is for the gate to say, which
knows every other rule.
"""

import posixpath
import re
import shlex
import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from automode.core.call import Delegate, Fetch, Other, Read, Shell, ToolCall, Write
from automode.core.errors import BadPattern
from automode.core.paths import exactly_within
from automode.core.tool_input import canonical
from automode.core.tools import fetched_urls, meant_paths
from automode.core.workspace import Workspace
from automode.programs.call_facts import CallFacts, CommandFacts
from automode.rules.input_match import canonical_json, url
from automode.rules.pattern import Rule, parse
from automode.rules.shell_allow import broad, is_message, needs_no_rule, nothing_is_proved
from automode.shell.script import Command, Origin, Reader, Redirect, Word

LONGEST_SPAN = 200  # characters
_ROOT = re.compile(r"(?:/[A-Za-z0-9._+@-]+)+")  # an agent can call a folder what it likes
_ONE_LINE = re.compile(r"[ -_a-~]+")  # ASCII without the backtick, which would end the span
_COMMENT = re.compile(r"(?:^|[\s;&|()])#")
_PROSE_WORDS = 5  # in a row; commands have options, paths and signs between their words


def policy_sentence(call: ToolCall, workspace: Workspace) -> str | None:
    """An entry for the policy's `allow` list; None where none can be trusted to say no more."""
    verb, span = _verb_and_object(call)
    root = workspace.root
    if len(root) > LONGEST_SPAN or not _ROOT.fullmatch(root) or not _quotable(span):
        return None
    return f"In the project {root}: {verb} `{span}`."


def _verb_and_object(call: ToolCall) -> tuple[str, str]:
    match call.action:
        case Shell(command):
            return "running exactly", command.strip()
        case Fetch(address):
            return "fetching", " ".join(dict.fromkeys((address, *fetched_urls(call.input))))
        case Read(paths):
            return "reading", ", ".join(paths)
        case Write(paths):
            return "changing", ", ".join(paths)
        case Other():
            text = canonical_json(dict(call.input))
            return "the tool call", "" if text is None else f"{call.tool}({text})"
        case Delegate():
            return "", ""  # work is handed over in prose


def _quotable(span: str) -> bool:
    if len(span) > LONGEST_SPAN or not _ONE_LINE.fullmatch(span) or _COMMENT.search(span):
        return False
    row = 0
    for word in span.split():
        row = row + 1 if word.strip(string.punctuation).isalpha() else 0
        if row >= _PROSE_WORDS:
            return False
    return True


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
_WORDS = re.compile(r"[^\s<>]+(?: [^\s<>]+)*")  # blanks that a pattern keeps as they are
_OPERATOR = re.compile(r"[012&]*(?:>>?|<)")  # as a word of a pattern: a redirect
_ADDRESS_FIELDS = frozenset(("url", "uri", "urls", "prompt"))  # the prompt stays with the agent
_FILE_BEYOND = {
    **dict.fromkeys(("write", "edit"), "any other content"),
    **dict.fromkeys(("grep", "find"), "any other search in the same place"),
}
_AROUND = "the command without what stands around it"
_ALONE = "what each of these rules covers on its own"
_ONE_LETTER = "any one character in place of each `?`: patterns cannot spell what stands there"
_FREE = ("/dev/null", "/dev/stdout", "/dev/stderr")  # where output may always go


@dataclass(frozen=True, slots=True)
class Proposal:
    """Patterns that cover a call together. `beyond`: what else they cover; empty: no other call."""

    patterns: tuple[str, ...]
    beyond: str = ""

    @property
    def exact(self) -> bool:
        return not self.beyond


def proposals(
    call: ToolCall,
    workspace: Workspace,
    reader: Reader,
    reads: Callable[[CommandFacts], bool] = nothing_is_proved,
) -> tuple[Proposal, ...]:
    """The narrowest first; empty where no pattern can cover the call. `reads`: whether a command is
    proved to only read, and needs no rule."""
    found: list[Proposal | None] = []
    match call.action:
        case Shell(command, "bash"):
            found = _for_script(command, CallFacts(call, workspace, reader), reads)
        case Shell(command, dialect):
            found = [_proposal((f"{dialect}({command})",))]
        case Fetch():
            found = _for_urls(call, (call.action.url, *fetched_urls(call.input)))
        case Read(paths) | Write(paths):
            found = _for_paths(call, paths, workspace)
        case Other():
            found = _for_input(call)
        case Delegate():
            pass  # a rule for handing work over is never applied
    return _different(found)


def _different(found: Iterable[Proposal | None]) -> tuple[Proposal, ...]:
    by_text: dict[tuple[str, ...], Proposal] = {}
    for one in found:
        if one is not None:
            by_text.setdefault(one.patterns, one)
    return tuple(by_text.values())


def _proposal(patterns: Iterable[str], beyond: str = "", wild: str = "") -> Proposal | None:
    """None where a pattern cannot be written, or would not be applied. `wild`: what the wildcards
    stand for, where that can be said better."""
    texts = tuple(dict.fromkeys(patterns))
    if not texts or not all(_would_apply(text) for text in texts):
        return None
    more = (beyond, wild or _wildcards(texts), _ALONE if len(texts) > 1 else "")
    return Proposal(texts, "; ".join(part for part in more if part))


def _wildcards(texts: Iterable[str]) -> str:
    """A pattern cannot say that a wildcard is meant as the character that it is."""
    letters = "".join(texts)
    if "*" in letters:
        return "anything in place of `*`, further words and options too"
    return _ONE_LETTER if "?" in letters else ""


def _would_apply(pattern: str) -> bool:
    try:
        return "\n" not in pattern and not broad(parse(Rule(pattern)))
    except BadPattern:
        return False


def _for_script(
    text: str, facts: CallFacts, reads: Callable[[CommandFacts], bool]
) -> list[Proposal | None]:
    script, workspace = facts.script, facts.workspace
    commands = [
        one
        for one in script.commands
        if one.words
        and not one.transparent
        and not needs_no_rule(one, script, workspace, lambda each: reads(facts.of(each)))
    ]
    if not script.complete or not commands:
        return []
    narrow = tuple(dict.fromkeys(f"bash({_spell(command)})" for command in commands))
    bare = len(narrow) > 1 or (len(commands) == 1 and _bare(text, commands[0]))
    return [
        _proposal(narrow, "" if bare else _AROUND),
        _proposal(f"bash({_wide(command)})" for command in commands),
    ]


def _bare(text: str, command: Command) -> bool:
    """Whether nothing but this command was written: no `timeout` before it, no `if` around it. A
    rule says nothing of those."""
    words = [word.text for word in command.words]
    joined = "".join(f"{one.fd}{one.op}{one.target.text}" for one in command.redirects)
    for comments in (False, True):
        try:
            written = shlex.split(text, comments=comments)
        except ValueError:
            return False
        if written[: len(words)] == words and "".join(written[len(words) :]) == joined:
            return True
    return False


def _spell(command: Command) -> str:
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
    return text if len(words) > 1 and _would_apply(f"bash({text})") else _spell(command)


def _word(word: Word) -> str:
    """A word as a pattern has it. What a pattern cannot spell becomes `?` and never `*`: how much a
    rule covers must not hang on how the agent spells its call."""
    text = word.text
    if word.origin is not Origin.LITERAL:
        return text
    if _needs_quotes(word):
        inside = text if _WORDS.fullmatch(text) else _plain(text)
        return f"'{_starless(inside)}'"
    if _OPERATOR.fullmatch(text):
        return text.replace(">", "?").replace("<", "?")
    # Quotes around several words of a pattern make one word of them.
    return _plain("?" + text[1:] if text[0] in "'\"" else text)


def _needs_quotes(word: Word) -> bool:
    """Whether a pattern has to put it in quotes."""
    text = word.text
    spaced = not text or (" " in text and not _QUOTING & set(text))
    return spaced and word.origin is Origin.LITERAL


def _plain(text: str) -> str:
    return "".join("?" if letter.isspace() else letter for letter in _starless(text))


def _starless(text: str) -> str:
    return text.replace("*", "?").replace("\n", "?")


def _redirects(command: Command) -> list[str]:
    return [
        f"{one.fd}{one.op} {_plain(one.target.text)}"
        for one in command.redirects
        if not _free(one) and not is_message(one, command)
    ]


def _free(redirect: Redirect) -> bool:
    target = redirect.target.text
    return (redirect.op in (">&", "<&") and not redirect.writes) or target in _FREE


def _for_urls(call: ToolCall, urls: Iterable[str]) -> list[Proposal | None]:
    forms = [url(one) for one in dict.fromkeys(urls)]
    beyond = "anything else beside the address" if set(call.input) - _ADDRESS_FIELDS else ""
    return [
        _proposal((f"web_fetch({_plain(form.text)})" for form in forms), beyond),
        _proposal(
            (f"web_fetch(domain:{form.host})" for form in forms),
            wild="every address of the host and its sub-domains",
        ),
    ]


def _for_paths(call: ToolCall, paths: Iterable[str], workspace: Workspace) -> list[Proposal | None]:
    tool = _file_tool(call)
    named = [_from_root(one, workspace) for path in paths for one in meant_paths(path, workspace)]
    folders = [posixpath.dirname(path) for path in named]
    beyond = _FILE_BEYOND.get(tool, "")
    narrow = _proposal((f"{tool}({path})" for path in named), beyond)
    if not all(folders) or "/" in folders:
        return [narrow]
    wide = (f"{tool}({folder}/**)" for folder in folders)
    return [narrow, _proposal(wide, beyond, wild="every file in the folder and below")]


def _from_root(path: str, workspace: Workspace) -> str:
    """As people write it: from the project, from home, or from the root."""
    if path != workspace.root and exactly_within(path, workspace.root):
        inside = posixpath.relpath(path, workspace.root)
        return _starless(f"./{inside}" if inside.startswith("~") else inside)
    if exactly_within(path, workspace.home):
        return _starless(f"~/{posixpath.relpath(path, workspace.home)}")
    return _starless(path)


def _file_tool(call: ToolCall) -> str:
    name = canonical(call.tool)
    if isinstance(call.action, Write):
        return name if name in ("write", "edit") else "write"
    return name if name in ("read", "grep", "find", "ls") else "read"


def _for_input(call: ToolCall) -> list[Proposal | None]:
    name = canonical(call.tool)
    text = canonical_json(dict(call.input))
    exact = None if text is None else _proposal((f"{name}({_starless(text)})",))
    return [exact, _proposal((name,), wild="whatever its input is")]
