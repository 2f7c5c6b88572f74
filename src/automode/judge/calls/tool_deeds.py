"""Which deeds a call of a tool is that is no shell: edits, fetches, sub-agents, MCP and others."""

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from shlex import quote

from automode.core.call import Delegate, Fetch, Other, Read, ToolCall, Write
from automode.core.paths import exactly_within
from automode.core.tool_input import input_texts
from automode.core.tools import meant_paths
from automode.core.workspace import Workspace
from automode.guards import workspace_edits
from automode.guards.reads.credentials import may_be_credential
from automode.guards.reads.secret_reads import leads_to_credential
from automode.judge.calls import file_deeds
from automode.judge.calls.code_deeds import code_acts
from automode.judge.calls.file_deeds import is_product
from automode.judge.calls.ignore_lists import only_ignores_more
from automode.judge.calls.network import strangers_in
from automode.judge.calls.new_env import makes_env_by_tool
from automode.judge.calls.notes import is_note, only_notes
from automode.judge.consent.asked import Asked, request_state
from automode.judge.consent.objects import KNOWN
from automode.judge.deeds import deeds
from automode.judge.places import where
from automode.judge.words import keys_by_word, patterns, word_lists
from automode.programs import sql
from automode.programs.deeds import CommandWords, deeds_in
from automode.programs.javascript_code import reached_from_page
from automode.shell.script import Command

_FILE_DEEDS_P = patterns("file_deeds")
_P = patterns("tool_deeds")
_W = word_lists("tool_deeds")
BREAKS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
_STRONGEST = ("pays", "grants", "messages", "deletes-in-service", "changes-service")
_RESOLVING = (("resolve", "library"), ("resolve", "symbol"), ("resolve", "reference"))
_SERVER = re.compile(r"__|/|:")
_MAYBE_QUERY = frozenset({"query", "q", "queries"})
_PLACE = (
    r"https?://[^\s\"'<>)\\]{1,200}|"
    r"\bwww\.[^\s\"'<>)\\]{1,200}|\b[A-Z]{2}\d{2}[A-Z0-9]{8,30}\b"
)
_NO_MAIL_ADDRESS = re.compile(_PLACE)
_JSON = json.JSONEncoder(ensure_ascii=False, default=str)
LONGEST = 4_000
LONGEST_PROMPT = 12_000
LONGEST_VERB = 24
PATH_FIELDS = ("filePath", "file_path", "path", "notebook_path")
_NO_SHELL = _W.prose | {"code", "function", "expression", "javascript"}  # another language
LONGEST_PATH = 300
_DOCUMENTS = (".pen", ".ipynb", ".fig", ".drawio", ".excalidraw", ".canvas")
_PARTS = re.compile(r"[;&|\n()`]+")
_CODE_FIELDS = (
    *("code", "cmd", "command", "script", "source", "new_source", "shell", "exec", "eval", "argv"),
    *("function", "expression", "javascript"),
)
_EDITED = {**file_deeds.WRITTEN, "outside": "edits-outside"}
# What an agent may not be told to do where the user did not ask for it.
_FAR = (
    *("pushes", "forces", "deploys", "publishes", "commits", "opens-request", "merges-request"),
    *("drops-data", "destroys-infrastructure"),
)
# The same of a task that is told in a few sentences: a long one describes the code.
_FAR_AND_SHORT = ("deletes-branch", "changes-database", "remote-shell", "removes-volumes")
SHORT_PROMPT = 400
# A link to another note may look like the name of a credential; its folders are no plain text.
_OF_NOTES = frozenset({"commits", "reads-secret"})
_BY_CLICK = frozenset({"pays", "deletes-in-service"})


def deed_by_verb() -> Mapping[str, str]:
    """The deed of each verb in the name of a tool."""
    return keys_by_word("tool_deeds", "verbs")


def tool_words(tool: str) -> tuple[str, ...]:
    """The words of a tool's own name, without the server that offers it."""
    bare = _SERVER.split(tool)[-1]
    return tuple(word.casefold() for word in BREAKS.split(bare) if word)


def server_of(tool: str) -> str:
    return "".join(_SERVER.split(tool)[-2:-1])


def words_around(tool: str) -> set[str]:
    return {word.casefold() for word in BREAKS.split(tool) if word}


def browser_deed(tool: str) -> str:
    """What a tool of a known browser does there; empty for any other tool."""
    if not _P.browsers.search(server_of(tool)):
        return ""
    words = set(tool_words(tool)) - _W.browser_words
    closes = not words.isdisjoint(("create", "new", "close"))
    if words <= _W.looks and (not closes or words <= _W.forms):
        return "browses"
    return "acts-in-browser" if words <= _W.acts | _W.looks else ""


def service_deeds(
    tool: str, told: Iterable[str], given: Mapping[str, object] | None = None
) -> list[str]:
    """The strongest deeds that the name and the short values of the input say."""
    words = tool_words(tool)
    if _only_queries(tool, words, given or {}):
        return ["reads-service"]
    found = {deed_by_verb()[word] for word in (*words, *told) if word in deed_by_verb()}
    strong = [deed for deed in _STRONGEST if deed in found]
    if strong:
        return strong[:2]
    return ["reads-service"] if _only_reads(tool, words) else ["changes-service"]


def _only_queries(tool: str, words: tuple[str, ...], given: Mapping[str, object]) -> bool:
    """Whether it runs queries, and each of them is proved to read."""
    queries = [one for one in queries_in(tool, given) if isinstance(one, str)]
    return (
        bool(queries)
        and len(queries) == len(queries_in(tool, given))
        and set(words) <= _W.run_query
        and not any(may_change_rows(one) or sql.judge(one, "postgres").effect for one in queries)
        and not any(_FILE_DEEDS_P.secrets.search(one) for one in queries)
    )


def _only_reads(tool: str, words: tuple[str, ...]) -> bool:
    """Whether each word is one for reading, a thing, or the server's own name; after a plain verb
    for reading, whether no word is a verb for anything else."""
    if words[:1] and words[0] in _W.plainly_reads:
        rest = set(words[1:])
        verbs = {one for one in rest if deed_by_verb().get(one, "reads-service") != "reads-service"}
        if not verbs and rest.isdisjoint((KNOWN.verbs - KNOWN.kinds - _W.things) | _W.joins):
            return True
    if words[:2] in _RESOLVING:
        words = words[1:]
    elif not any(deed_by_verb().get(word) == "reads-service" for word in words):
        return False
    server = {word for part in _SERVER.split(tool)[:-1] for word in words_around(part)}
    known = _W.things | KNOWN.kinds | server
    return all(word in known or word.isdigit() or word in deed_by_verb() for word in words)


def queries_in(tool: str, given: Mapping[str, object]) -> list[object]:
    """The values that are queries of a database, by the names of their fields and of the tool."""
    words = tool_words(tool)
    is_database = not _W.databases.isdisjoint(words_around(tool)) or words in (
        ("query",),
        ("execute",),
    )
    fields = _W.query_fields | _MAYBE_QUERY if is_database else _W.query_fields
    return [value for field, value in given.items() if field.casefold() in fields]


def may_change_rows(query: object) -> bool:
    """Whether it is anything but a query that is known to read."""
    if isinstance(query, str):
        return not (_P.reads_rows.match(query) or _P.reads_graph.match(query))
    if isinstance(query, Mapping):
        keys = [word.casefold() for key in query for word in BREAKS.split(str(key)) if word]
        return any(deed_by_verb().get(word, "reads-service") != "reads-service" for word in keys)
    return False


def database_deeds(text: str, given: Mapping[str, object]) -> Iterator[str]:
    """A query is what its text says, whatever the tool is called."""
    if _P.statement.search(text):
        yield from deeds_in((("like", "databases database-shells"),), CommandWords((text,), ()))
    for one in input_texts(given):
        if _P.query.match(one) and sql.judge(one, "postgres").effect:
            yield "changes-database"


def deeds_of(call: ToolCall, workspace: Workspace) -> Iterator[str]:
    match call.action:
        case Write(paths):
            yield from _edits(paths, call, workspace)
        case Fetch():
            yield "fetches"
        case Delegate():
            yield "delegates"
            yield from _handed_on(call)
        case Read(paths):
            yield "reads-service"
            yield from _read(paths, call, workspace)
        case Other():
            yield from _service(call, workspace)
        case _:
            return


def _handed_on(call: ToolCall) -> Iterator[str]:
    """What the words to another agent ask for."""
    for text in input_texts(call.input):
        told = (text[:LONGEST_PROMPT],)
        short = _FAR_AND_SHORT if len(text) <= SHORT_PROMPT else ()
        for name in (*_FAR, *short):
            if request_state(deeds()[name], told) is Asked.LATEST:
                yield name
        rows = (
            *((_P.all, "deletes-much"), (_P.fetched, "runs-fetched"), (_P.sends_to, "sends")),
            *(((_P.tells_people, "messages"),) if short else ()),
        )
        yield from (deed for pattern, deed in rows if pattern.search(text))
        if any(may_be_credential(word.strip("`'\",.;"), "") for word in text.split()):
            yield "reads-secret"


def is_plain_note(full: str, call: ToolCall, workspace: Workspace) -> bool:
    """Whether it writes into a note of this project, and asks whoever reads it for nothing far."""
    return is_note(full, workspace) and only_notes(call) and _OF_NOTES.issuperset(_handed_on(call))


def _read(paths: tuple[str, ...], call: ToolCall, workspace: Workspace) -> Iterator[str]:
    """What only looks at files may look at credentials, or for them."""
    places = [full for path in paths for full in meant_paths(path, workspace)]
    if any(leads_to_credential(full, None, workspace) for full in places):
        yield "reads-secret"
    outside = any(where(one, Command(()), workspace) == "outside" for one in places)
    if outside and _FILE_DEEDS_P.secrets.search(input_text(call.input)[:LONGEST]):
        yield "reads-secret"


def commands_in(call: ToolCall, programs: Container[str]) -> Iterator[str]:
    """Texts of the input that a shell would take for a command: an unknown tool may do just that.
    Prose is none, and neither is what only begins like one. Another agent is told commands as
    code."""
    if isinstance(call.action, Delegate):
        for text in input_texts(call.input):
            told = _P.told_command.finditer(text[:LONGEST_PROMPT])
            yield from (one[1] for one in told if _is_command(one[1], programs))
        return
    if not isinstance(call.action, Other):
        return
    around = words_around(call.tool)
    shell = not around.isdisjoint(_W.shell_servers)
    for field, value in call.input.items():
        if shell or field.casefold() not in _NO_SHELL:
            yield from (text for text in _lines(value) if _is_command(text, programs))


def _lines(value: object) -> Iterator[str]:
    """Texts however deep they lie; a list of words as one line."""
    yield from input_texts(value)
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, list) and one:
            words = [word for word in one if isinstance(word, str)]
            if len(words) == len(one):
                yield " ".join(quote(word) for word in words)
            waiting += one


def _is_command(text: str, programs: Container[str]) -> bool:
    """Whether a part of it begins with a program and goes on."""
    for part in _PARTS.split(text[:LONGEST]):
        words = [word for word in part.split() if not _P.before.fullmatch(word)]
        if len(words) > 1 and words[0].rsplit("/", 1)[-1] in programs:
            return True
    return False


def _edits(paths: tuple[str, ...], call: ToolCall, workspace: Workspace) -> Iterator[str]:
    for path in paths or ("/",):
        for full in meant_paths(path, workspace):
            before = workspace.files.text(full, workspace_edits.LONGEST) or ""
            plants = workspace_edits.is_planted(full, call.input, before)
            replaces = workspace_edits.replaces_all(call.input, before)
            yield from ("plants",) if plants else ()
            yield from ("replaces",) if replaces else ()
            if file_deeds.is_in_git(full, workspace):
                yield "computes-program"
            elif file_deeds.PLAN.search(full):
                yield "writes-scratch"
            elif is_plain_note(full, call, workspace):
                yield "writes-near"
            elif (
                only_ignores_more(full, call, workspace)
                or makes_env_by_tool(full, call, workspace)
                or is_product(full, workspace)
                or (file_deeds.is_in_checkout(full, workspace) and not (plants or replaces))
            ):
                yield "writes-here"
            elif any(exactly_within(full, folder) for folder in workspace.folders):
                if (plants or replaces) and not file_deeds.steers(full, workspace):
                    continue
                yield "edits-protected"  # what is not protected never comes here
            else:
                yield _EDITED[where(full, Command(()), workspace)]


def _service(call: ToolCall, workspace: Workspace) -> Iterator[str]:
    words = tool_words(call.tool)
    told = tuple(_told_to_do(call.input, prose=not _changes(call)))
    text = input_text(call.input)[:LONGEST]
    browser = browser_deed(call.tool)
    yield from _about_input(call, text, workspace)
    if any(field in call.input for field in _CODE_FIELDS) and (not browser or code_acts(text)):
        yield "code-acts"
    if not _W.secret_things.isdisjoint((*words, *told)) or _W.safes & words_around(call.tool):
        yield "reads-secret"
    found = service_deeds(call.tool, told, call.input)
    if browser:
        yield from _browses(browser, call)
    elif found[0] == "changes-service" and _own_file(call, workspace):
        yield "writes-here"
    else:
        yield from found


def _browses(deed: str, call: ToolCall) -> Iterator[str]:
    """Who clicks on "Buy" buys."""
    given = call.input
    fields = (*_CODE_FIELDS, *(("text",) if "javascript" in tool_words(call.tool) else ()))
    code = [value for field in fields if isinstance(value := given.get(field), str)]
    if deed == "acts-in-browser" and code and all(map(_only_looks, code)):
        yield "browses"
        return
    yield deed
    if deed == "acts-in-browser":
        said = {word.casefold() for text in input_texts(given) for word in BREAKS.split(text)}
        yield from sorted(
            {deed_by_verb()[word] for word in said & deed_by_verb().keys()} & _BY_CLICK
        )


def _only_looks(code: str) -> bool:
    return reached_from_page(code, acting=False) is not None


def _about_input(call: ToolCall, text: str, workspace: Workspace) -> Iterator[str]:
    """What any field of the input says, however deep it lies."""
    yield from database_deeds(text, call.input)
    if any(map(may_change_rows, queries_in(call.tool, call.input))):
        yield "changes-database"
    if _P.mutates.search(text):
        yield "changes-service"
    for one in input_texts(call.input):
        if any(strangers_in(one)):
            yield "fetches"
        short = one if len(one) <= LONGEST_PATH else ""
        if not short or " " in short.strip():
            continue
        if leads_to_credential(short, None, workspace):
            yield "reads-secret"
        if "/" in short or short.startswith((".", "~")):
            full = meant_paths(short, workspace)[0]
            changes = _changes(call)
            if "://" not in short and file_deeds.steers(full, workspace, hidden=changes):
                yield "edits-protected" if changes else "collects"


def _changes(call: ToolCall) -> bool:
    return any(
        deed_by_verb().get(word, "") not in ("", "reads-service") for word in tool_words(call.tool)
    )


def _told_to_do(given: Mapping[str, object], *, prose: bool) -> Iterator[str]:
    """Short values may say what a tool is to do, whatever its name: `{"action": "delete"}`. A title
    or a comment says so only to a tool that by its name changes nothing: `prose`."""
    for field, value in given.items():
        says = prose or field.casefold() not in _W.written
        if says and isinstance(value, str) and len(value) <= LONGEST_VERB:
            yield from (word.casefold() for word in BREAKS.split(value) if word)


def _own_file(call: ToolCall, workspace: Workspace) -> bool:
    """A design or notebook server that edits a file of the workspace. A path that does not say
    where it begins may be one of another machine."""
    for field in PATH_FIELDS:
        path = call.input.get(field)
        if isinstance(path, str) and (path.startswith("/") or path.endswith(_DOCUMENTS)):
            here = where(path, Command(()), workspace) in ("here", "generated")
            return here and not file_deeds.steers(path, workspace)
    return False


def addresses(text: str) -> tuple[str, ...]:
    """People, places and accounts that the text names."""
    # People take the longest to look for, and none is named without an `@`.
    pattern = _P.address if "@" in text else _NO_MAIL_ADDRESS
    return tuple(dict.fromkeys(pattern.findall(text)))


def input_text(given: Mapping[str, object]) -> str:
    """The input as one text."""
    command = given.get("command")
    if isinstance(command, str):
        return command
    return _JSON.encode(given)
