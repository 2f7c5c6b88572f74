"""What the name of a tool says it does. A word that stands on no list may be any deed."""

import re
from collections.abc import Iterable, Mapping

from automode.judge.objects import table

BREAKS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")

VERBS: dict[str, str] = {
    verb: deed
    for deed, verbs in (
        ("reads-service",
         "get list search read find fetch view query describe check show count lookup retrieve"
         " inspect status info explain snapshot screenshot validate preview analyze measure"
         " browse select verify calculate compute compare today history snip"),
        ("changes-service",
         "create update add set edit write insert move apply save modify put patch upsert assign"
         " change rename append upload submit run execute start stop enable disable import merge"
         " complete mark copy replace reset register manage control turn configure upgrade schedule"
         " reschedule append batch install deploy restart make record generate transition"),
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
SAFES = frozenset("onepassword 1password bitwarden lastpass keepass keychain vault".split())
_STRONGEST = ("pays", "grants", "messages", "deletes-in-service", "changes-service")
_RESOLVING = (("resolve", "library"), ("resolve", "symbol"), ("resolve", "reference"))
# Things that are looked at, and words that join them.
_THINGS = frozenset(
    "a all by in for of the to from with per at on most recent current available new next last"
    " day week month year time date id ids name names type types text details detail information"
    " data content contents document documents documentation docs doc library libraries code symbol"
    " symbols definition definitions reference references diagnostics error errors warnings alert"
    " alerts trace traces span spans metric metrics dashboard dashboards chart"
    " charts report reports"
    " diff diffs changes commit commits branch checks runs statuses reviews review commented"
    " threads thread channels board boards sprint sprints epic epics milestone milestones cycle"
    " cycles teams member members organization organizations org orgs profile me my viewer account"
    " accounts balance transactions scheduled iban inbox sent received unread draft drafts linked"
    " calendar contact contacts attachments attachment product products cart discounts shopping"
    " price prices rating ratings hotels hotel restaurants restaurant city car rental companies"
    " cuisine address addresses opening hours weather forecast location directory directories tree"
    " path paths filename filenames multiple media allowed size sizes editor state variables"
    " guidelines canvas space empty design metadata style styles selection frame"
    " nodes node component"
    " components page pages screen console network requests tab tabs web webpage website url urls"
    " results result suggestions tools tool resources resource version versions"
    " columns column keyspace"
    " catalog schema schemas tables plan plans statistics stats usage health logs output outputs"
    " combined github gitlab jira linear notion pull prs open issues sub parent related similar"
    " history wiki structure question latest package dependencies advisories".split()
)
# Servers that drive a browser, as the last part of what a host calls them.
_BROWSERS = re.compile(
    r"(?:^|[-_])(?:playwright|puppeteer|chrome[-_]?devtools(?:[-_]mcp)?|claude[-_]browser|"
    r"claude[-_]in[-_]chrome|claude[-_]preview|browser(?:mcp|[-_]?tools?)?|webdriver|selenium)"
    r"(?:[-_](?:mcp|server|extension))*$",
    re.IGNORECASE,
)
_BROWSER_WORDS = frozenset("playwright browser puppeteer chrome devtools preview".split())
_LOOKS = frozenset(
    "navigate hover scroll wait for tab tabs goto back forward resize window console network"
    " snapshot screenshot take logs log page pages find context list read get text"
    " messages requests"
    " request create new close accessibility tree performance html content".split()
)
_ACTS = frozenset(
    "click type fill form press key keys select option drag drop handle dialog evaluate script run"
    " code javascript tool file upload computer mouse move down up xy input element eval start stop"
    " set value check uncheck double unsafe exec".split()
)
_FORMS = frozenset("tab tabs page pages create new close get list select".split())


_SERVER = re.compile(r"__|/|:")


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
    if not _BROWSERS.search(server_of(tool)):
        return ""
    words = set(tool_words(tool)) - _BROWSER_WORDS
    closes = not words.isdisjoint(("create", "new", "close"))
    if words <= _LOOKS and (not closes or words <= _FORMS):
        return "browses"
    return "acts-in-browser" if words <= _ACTS | _LOOKS else ""


def service_deeds(tool: str, told: Iterable[str]) -> list[str]:
    """The strongest deeds that the name and the short values of the input say."""
    words = tool_words(tool)
    found = {VERBS[word] for word in (*words, *told) if word in VERBS}
    strong = [deed for deed in _STRONGEST if deed in found]
    if strong:
        return strong[:2]
    return ["reads-service"] if _only_reads(tool, words) else ["changes-service"]


def _only_reads(tool: str, words: tuple[str, ...]) -> bool:
    """Whether each word is one for reading, a thing, or the server's own name."""
    if words[:2] in _RESOLVING:
        words = words[1:]
    elif not any(VERBS.get(word) == "reads-service" for word in words):
        return False
    server = {word for part in _SERVER.split(tool)[:-1] for word in words_around(part)}
    known = _THINGS | table().kinds | server
    return all(word in known or word.isdigit() or word in VERBS for word in words)


# What a query may be that only reads.
_QUERY_FIELDS = frozenset("sql cypher statement statements aql mql gql dsl pipeline".split())
_MAYBE_QUERY = frozenset({"query", "q", "queries"})
_DATABASES = frozenset(
    "postgres postgresql mysql mariadb sqlite mongo mongodb redis neo4j db database sql bigquery"
    " supabase clickhouse snowflake mssql duckdb cassandra cypher elastic elasticsearch".split()
)
_READS_ROWS = re.compile(
    r"\s*(?:select|with|show|describe|desc|explain|values|table|\(\s*select)\b", re.IGNORECASE
)
_READS_GRAPH = re.compile(
    r"\s*(?:optional\s+)?match\b(?!.*\b(?:create|merge|set|delete|detach|remove|drop|call|load|"
    r"foreach)\b).*\breturn\b",
    re.IGNORECASE | re.DOTALL,
)


def queries_in(tool: str, given: Mapping[str, object]) -> list[object]:
    """The values that are queries of a database, by the names of their fields and of the tool."""
    words = tool_words(tool)
    is_database = not _DATABASES.isdisjoint(words_around(tool)) or words in (
        ("query",),
        ("execute",),
    )
    fields = _QUERY_FIELDS | _MAYBE_QUERY if is_database else _QUERY_FIELDS
    return [value for field, value in given.items() if field.casefold() in fields]


def may_change_rows(query: object) -> bool:
    """Whether it is anything but a query that is known to read."""
    if isinstance(query, str):
        return not (_READS_ROWS.match(query) or _READS_GRAPH.match(query))
    if isinstance(query, Mapping):
        keys = [word.casefold() for key in query for word in BREAKS.split(str(key)) if word]
        return any(VERBS.get(word, "reads-service") != "reads-service" for word in keys)
    return False
