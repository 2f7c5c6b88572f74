"""A call as people type it: the name of a tool, then what it is about."""

import difflib
from collections.abc import Mapping, Sequence

import click
from click.shell_completion import CompletionItem

from automode.cli.written_call import decoded_text
from automode.core.errors import BadCall
from automode.core.tools import canonical

TOOLS: Mapping[str, str] = {
    "bash": "a bash script",
    "powershell": "a PowerShell script",
    "cmd": "a script for cmd.exe",
    "read": "look at a file",
    "write": "create or replace a file",
    "edit": "change a file",
    "grep": "search below a path",
    "find": "list files below a path",
    "ls": "list a folder",
    "web_fetch": "fetch an address",
    "web_search": "search the web",
    "agent": "hand work to another agent",
}
"""The names that rules use; every host's own spelling is understood too."""

_SHELLS = ("bash", "powershell", "cmd")
_FILES = ("read", "write", "edit", "grep", "find", "ls")
_TEXTS = {"web_fetch": "url", "web_search": "query", "agent": "prompt"}


def complete_tool(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The known names; any other text is a tool's name too, so this only suggests."""
    return [
        CompletionItem(tool, help=meaning)
        for tool, meaning in TOOLS.items()
        if tool.startswith(incomplete.casefold())
    ]


def typed_input(tool: str, words: Sequence[str]) -> Mapping[str, object]:
    """The input of the tool that the typed words mean. Raises BadCall when they mean none."""
    kind = canonical(tool)
    if not words:
        return _nothing(tool, kind)
    if kind in _SHELLS:
        return {"command": words[0] if len(words) == 1 else list(words)}
    if len(words) == 1 and words[0].lstrip().startswith("{"):
        return _object(tool, words[0])
    if kind in _FILES:
        return {"file_path": words[0]} if len(words) == 1 else {"paths": list(words)}
    if kind in _TEXTS:
        return {_TEXTS[kind]: " ".join(words)}
    raise BadCall(f"no input for the tool `{tool}`", _meant(kind))


def _nothing(tool: str, kind: str) -> Mapping[str, object]:
    if " " in tool.strip():
        raise BadCall(f"no tool is called `{tool}`", "name the tool first: `check bash 'COMMAND'`")
    if kind in ("ls", "grep", "find") or kind not in TOOLS:
        return {}
    what = TOOLS[kind].split()[-1]
    raise BadCall(f"nothing to decide: `{tool}` needs an argument", f"name {_article(what)}")


def _article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def _object(tool: str, text: str) -> Mapping[str, object]:
    value = decoded_text(text, f"the input of `{tool}`", "quote it as one argument")
    if not isinstance(value, dict):
        raise BadCall(f"the input of `{tool}` is no JSON object", 'write `{"name": "value"}`')
    return value


def _meant(kind: str) -> str:
    near = difflib.get_close_matches(kind, TOOLS, n=1)
    if near:
        return f"did you mean `{near[0]}`?"
    return 'give the input of other tools as a JSON object: `{"name": "value"}`'
