"""Which deeds a call of a tool is that is no shell: edits, fetches, sub-agents, MCP and others."""

import json
import re
from collections.abc import Iterator, Mapping

from automode.core.call import Delegate, Fetch, Other, Read, ToolCall, Write
from automode.core.paths import exactly_within
from automode.core.tools import meant_paths
from automode.core.workspace import Workspace
from automode.guards.credentials import may_be_credential
from automode.judge import file_deeds, shell_deeds
from automode.judge.code_deeds import acts
from automode.shell.script import Command

_BREAKS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
_PLACE = (
    r"https?://[^\s\"'<>)\\]{1,200}|"
    r"\bwww\.[^\s\"'<>)\\]{1,200}|\b[A-Z]{2}\d{2}[A-Z0-9]{8,30}\b"
)
_NO_MAIL_ADDRESS = re.compile(_PLACE)
_ADDRESS = re.compile(rf"(?<![\w.+-])[\w.+-]{{1,64}}@[\w-]{{1,64}}\.[\w.]{{1,64}}|{_PLACE}")
_JSON = json.JSONEncoder(ensure_ascii=False, default=str)
LONGEST = 4_000
LONGEST_VERB = 24
_STATEMENT = re.compile(
    r"(?i)\b(?:drop|truncate|delete|insert|update|alter|create|grant|revoke)\s+"
    r"(?:table|database|schema|from|into|index|view|user|role|column|\w+\s+set)\b"
)
_MUTATES = re.compile(r"\bmutation\b\s*\w*\s*[({]")
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
_BROWSERS = frozenset("playwright browser puppeteer chrome devtools preview webdriver".split())
# What only looks. Whatever else is done in a browser may buy, send or delete something.
_BROWSES = frozenset(
    "navigate hover scroll wait tab tabs goto back forward resize console network snapshot"
    " screenshot logs page pages find context list read".split()
)
_CODE_FIELDS = ("code", "cmd", "command", "script", "source", "new_source", "shell")
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
            if "/.git/" in f"{full}/":
                yield "computes-program"  # hooks and settings there run with the next command
            elif file_deeds.STEERING.search(full) or any(
                exactly_within(full, folder) for folder in workspace.folders
            ):
                yield "edits-protected"
            else:
                yield _EDITED[file_deeds.where(full, Command(()), workspace)]


def _service(call: ToolCall, workspace: Workspace) -> Iterator[str]:
    words = tool_words(call.tool)
    around = {word.casefold() for word in _BREAKS.split(call.tool) if word}
    named = {_VERBS[word] for word in (*words, *_told_to_do(call.input)) if word in _VERBS}
    strong = [deed for deed in _STRONGEST if deed in named]
    text = written(call.input)[:LONGEST]
    yield from _database_deeds(text)
    browser = bool(around & _BROWSERS)
    if any(field in call.input for field in _CODE_FIELDS) and (not browser or acts(text)):
        yield "code-acts"
    if file_deeds.STEERING.search(f"/{text}"):
        yield "edits-protected"
    if any(
        isinstance(one, str) and may_be_credential(one, workspace.home)
        for one in call.input.values()
    ):
        yield "reads-secret"
    if _MUTATES.search(text):
        yield "changes-service"
    if strong and strong[0] == "changes-service" and _own_file(call, workspace):
        yield "writes-here"
    elif strong and not browser:
        yield from strong[:2]
    elif browser:
        looks = set(words) - _BROWSERS <= _BROWSES and not strong
        yield "browses" if looks else "acts-in-browser"
    else:
        yield "reads-service" if named else "changes-service"


def _told_to_do(given: Mapping[str, object]) -> Iterator[str]:
    """Short values may say what a tool is to do, whatever its name: `{"action": "delete"}`."""
    for value in given.values():
        if isinstance(value, str) and len(value) <= LONGEST_VERB:
            yield from (word.casefold() for word in _BREAKS.split(value) if word)


def _database_deeds(text: str) -> Iterator[str]:
    """A query is what its text says, whatever the tool is called."""
    if _STATEMENT.search(text):
        rows = shell_deeds.table().programs["psql"]
        yield from (deed for deed, pattern in rows if pattern.search(text))


def _own_file(call: ToolCall, workspace: Workspace) -> bool:
    """A design or notebook server that edits a file of the workspace."""
    for field in PATH_FIELDS:
        path = call.input.get(field)
        if isinstance(path, str) and path:
            return file_deeds.where(path, Command(()), workspace) in ("here", "generated")
    return False


def addresses(text: str) -> tuple[str, ...]:
    """People, places and accounts that the text names."""
    # People take the longest to look for, and none is named without an `@`.
    pattern = _ADDRESS if "@" in text else _NO_MAIL_ADDRESS
    return tuple(dict.fromkeys(pattern.findall(text)))


def written(given: Mapping[str, object]) -> str:
    """The input as one text."""
    command = given.get("command")
    if isinstance(command, str):
        return command
    return _JSON.encode(given)
