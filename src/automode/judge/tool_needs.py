"""What a tool that is no shell does it to: files, machines, and things of a service."""

import re
from collections.abc import Iterator, Mapping

from automode.core.call import Fetch, Other, ToolCall, Write
from automode.core.input_paths import input_texts
from automode.core.tools import meant_paths
from automode.core.workspace import Workspace
from automode.judge.hosts import host_of, is_here
from automode.judge.mentions import Named
from automode.judge.needs import REACHES, Need, written_needs
from automode.judge.network import strangers_in
from automode.judge.tool_deeds import LONGEST_VERB, PROSE
from automode.judge.tool_names import BREAKS, VERBS, tool_words

_HOST_FIELDS = frozenset("url uri host hostname endpoint server address domain target".split())
# Words for anything: that the user has one of them on the lips says nothing of a service.
_GENERAL = frozenset(
    "page pages file files item items record component document project task user data row rows"
    " block node table content resource object value field property settings config".split()
)
_SAME = {
    word: words
    for words in (
        ("repository", "repo", "repositories"),
        ("pull", "pr", "request"),
        ("request", "pr", "mr"),
        ("document", "doc", "page"),
        ("issue", "ticket", "bug", "pr"),
        ("comment", "reply", "replies"),
        ("event", "meeting", "appointment", "calendar"),
        ("money", "payment", "bill", "amount", "transfer", "refund", "rent"),
        ("message", "slack", "chat", "dm"),
        ("directory", "folder"),
    )
    for word in words[:1]
}


def needs_of(call: ToolCall, workspace: Workspace) -> Iterator[Need]:
    """What the user has to name before a tool that is no shell does it."""
    match call.action:
        case Write(paths):
            for path in paths:
                for full in meant_paths(path, workspace):
                    yield from written_needs(full, workspace)
        case Fetch() | Other():
            for text in input_texts(call.input):
                yield from _reached(text)
            yield from (Need(REACHES, host_of(text)) for text in _hosts(call.input))
        case _:
            return


def _reached(text: str) -> Iterator[Need]:
    for url in strangers_in(text):
        yield Need(REACHES, host_of(url))


def _hosts(given: Mapping[str, object]) -> Iterator[str]:
    """Addresses without a scheme, in fields that take one."""
    for field, value in given.items():
        if field.casefold() in _HOST_FIELDS and isinstance(value, str):
            bare = value and "://" not in value and " " not in value and value[0] not in "/.~"
            if bare and not is_here(host_of(value)):
                yield value


def names_object(call: ToolCall, named: Named) -> bool:
    """Whether the user's words name what a tool of a service changes: the things in its name, the
    service, or a value. What deletes, pays or lets somebody in has to be named as a thing."""
    words = tool_words(call.tool)
    deeds = {VERBS.get(word, "") for word in words} - {"", "reads-service"}
    things = [word for word in words if word not in VERBS and len(word) > 2]
    if deeds & {"deletes-in-service", "grants", "pays"}:
        return bool(things) and all(_says(named, word) for word in things)
    around = [word.casefold() for word in BREAKS.split(call.tool) if len(word) > 2]
    server = [word for word in around if word not in VERBS and word not in (*things, "mcp")]
    if not _says_verb(named, words):
        return False
    things = [word for word in things if word not in _GENERAL]
    given = {field: value for field, value in call.input.items() if field.casefold() not in PROSE}
    values = [one for one in input_texts(given) if 3 < len(one) < LONGEST_VERB]
    return any(_says(named, word) for word in things or server) or any(
        named.has(value.casefold()) for value in values
    )


_CREATES = (
    r"creat|add|insert|append|writ|sav|put|upload|submit|regist|mak|mad|generat|record|cop(?:y|ies)|"
    r"import|open|fil[ei]|log|rais|draft|post|new|repl|respond|propos|build|design|draw|not|set|start|"
    r"schedul|book|push|commit|request|track|publish|send|show|implement|document|"
    r"approv|review"
)
_UPDATES = (
    r"updat|edit|set|modif|chang|patch|configur|appl|mark|mov|renam|assign|transition|complet|clos|"
    r"resolv|label|add|remov|put|fix|reopen|finish|adjust|turn|enabl|disabl|schedul|fill|replac|correct|"
    r"tag|priorit|mak|writ|rewrit|refresh|sync|link|drag|done|improv|convert|switch|clean|implement|"
    r"design|tweak|align"
)
_SAID_AS = {
    **dict.fromkeys(
        "create add insert append write save put upload submit register make generate record copy"
        " import upsert".split(),
        re.compile(rf"\b(?:{_CREATES})"),
    ),
    **dict.fromkeys(
        "update edit set modify change patch move apply mark rename complete transition"
        " replace configure upsert".split(),
        re.compile(rf"\b(?:{_UPDATES})"),
    ),
    "assign": re.compile(r"\b(?:assign|giv|hand|mak|set|put)"),
    "merge": re.compile(r"\b(?:merg|land|ship)"),
}


def _says_verb(named: Named, words: tuple[str, ...]) -> bool:
    """Whether the user's words have the verb of a tool's name, or one that means the same. A word
    that nobody knows as a verb has to be said itself."""
    verbs = [word for word in words if word in VERBS]
    if not verbs or any(map(named.word, verbs)):
        return bool(verbs) or any(map(named.word, words[:1]))
    kinds = [_SAID_AS[word] for word in verbs if word in _SAID_AS]
    return not kinds or any(kind.search(named.said) for kind in kinds)


def _says(named: Named, word: str) -> bool:
    return any(named.word(one) for one in _SAME.get(word.casefold(), (word.casefold(),)))
