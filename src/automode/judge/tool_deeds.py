"""Which deeds a call of a tool is that is no shell: edits, fetches, sub-agents, MCP and others."""

import json
import re
from collections.abc import Iterator, Mapping

from automode.core.call import Delegate, Fetch, Other, Read, ToolCall, Write
from automode.core.paths import exactly_within
from automode.core.tools import meant_paths
from automode.core.workspace import Workspace
from automode.judge import shell_deeds
from automode.shell.script import Command

_BREAKS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
_ADDRESS = re.compile(
    r"[\w.+-]+@[\w-]+\.[\w.]+|https?://[^\s\"'<>)\\]+|\bwww\.[^\s\"'<>)\\]+|\b[A-Z]{2}\d{2}[A-Z0-9]{8,30}\b"
)
PATH_FIELDS = ("filePath", "file_path", "path", "notebook_path")

_VERBS: dict[str, str] = {
    verb: deed
    for deed, verbs in (
        ("reads-service",
         "get list search read find fetch view query describe check show count lookup retrieve"
         " inspect status info explain snapshot screenshot validate preview resolve analyze measure"
         " browse select export verify calculate compute compare today history snip evaluate"),
        ("changes-service",
         "create update add set edit write insert move apply save modify put patch upsert assign"
         " change rename append upload submit run execute start stop enable disable import merge"
         " complete mark copy replace reset register manage control turn configure upgrade schedule"
         " reschedule append batch install deploy restart make record generate"),
        ("deletes-in-service",
         "delete remove cancel archive clear drop erase purge terminate revoke withdraw close"
         " uninstall unsubscribe dismiss destroy truncate"),
        ("messages",
         "send email mail message post reply comment dm notify tweet sms forward publish respond"
         " announce slack chat call broadcast"),
        ("pays",
         "pay payment transfer buy purchase order book reserve checkout transaction refund bid"
         " trade donate bank money wire withdraw deposit sell invest"),
        ("grants",
         "share grant permission permissions password access invite role unlock collaborator"
         " authorize key keys credential credentials token user"),
    )
    for verb in verbs.split()
}  # fmt: skip
_STRONGEST = ("pays", "grants", "messages", "deletes-in-service", "changes-service")
_BROWSER = re.compile(
    r"(?:playwright|browser|preview|puppeteer|chrome|devtools|computer|webdriver|selenium)",
    re.IGNORECASE,
)
_BROWSES = frozenset(
    "click navigate type hover press scroll wait fill tab tabs goto back forward resize drag key"
    " computer javascript tool context page pages find read form input preview start list logs run"
    " code eval inspect file upload handle"
    " mouse dialog console network evaluate select screenshot snapshot close".split()
)


_EDITED = {
    "here": "writes-here",
    "generated": "writes-here",
    "scratch": "writes-scratch",
    "near": "writes-near",
    "outside": "edits-outside",
}


def tool_words(tool: str) -> tuple[str, ...]:
    """The words of a tool's own name, without the server that offers it."""
    bare = tool.rsplit("/", 1)[-1].rsplit("__", 1)[-1]
    return tuple(word.casefold() for word in _BREAKS.split(bare) if word)


def deeds_of(call: ToolCall, workspace: Workspace) -> Iterator[str]:
    match call.action:
        case Write(paths):
            yield from _edits(paths, workspace)
        case Fetch():
            yield "fetches"
        case Delegate():
            yield "delegates"
        case Read():
            yield "reads-service"
        case Other():
            yield from _service(call, workspace)
        case _:
            return


def _edits(paths: tuple[str, ...], workspace: Workspace) -> Iterator[str]:
    for path in paths or ("/",):
        for full in meant_paths(path, workspace):
            if any(exactly_within(full, folder) for folder in workspace.folders):
                yield "edits-protected"
            else:
                yield _EDITED[shell_deeds.where(full, Command(()), workspace)]


def _service(call: ToolCall, workspace: Workspace) -> Iterator[str]:
    tool = call.tool
    words = tool_words(tool)
    if _BROWSER.search(tool) and (not words or _BROWSES & set(words)):
        yield "browses"
        return
    named = {_VERBS[word] for word in words if word in _VERBS}
    strong = [deed for deed in _STRONGEST if deed in named]
    if "reads-service" in named and words and _VERBS.get(words[0]) == "reads-service":
        yield "reads-service"
    elif strong and strong[0] == "changes-service" and _own_file(call, workspace):
        yield "writes-here"
    elif strong:
        yield from strong[:2]
    else:
        yield "reads-service" if named else "runs-unknown"


def _own_file(call: ToolCall, workspace: Workspace) -> bool:
    """A design or notebook server that edits a file of the workspace."""
    for field in PATH_FIELDS:
        path = call.input.get(field)
        if isinstance(path, str) and path:
            return shell_deeds.where(path, Command(()), workspace) in ("here", "generated")
    return False


def addresses(text: str) -> tuple[str, ...]:
    """People, places and accounts that the text names."""
    return tuple(dict.fromkeys(_ADDRESS.findall(text)))


def written(given: Mapping[str, object]) -> str:
    """The input as one text."""
    command = given.get("command")
    if isinstance(command, str):
        return command
    return json.dumps(given, ensure_ascii=False, default=str)
