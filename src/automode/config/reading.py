"""Turns the text of one source into what it says; what is wrong with it becomes diagnostics."""

import difflib
import re
from dataclasses import dataclass, field

from automode.config.jsonc import Array, BadJson, Leaf, Member, Node, Object, read
from automode.config.keys import (
    DEFAULTS,
    ENDPOINT,
    ENDPOINT_FIELDS,
    IGNORED,
    PROVIDER_NAME,
    PROVIDERS,
    ROW_OF,
    SECTIONS,
    SHARED_ROWS,
    Row,
    Rules,
    canonical,
)
from automode.config.merge import Given, Listed, Part, common_entries, join_lists
from automode.config.settings import (
    Diagnostic,
    Findings,
    Level,
    Rule,
    SharedSettings,
    Source,
    excerpt,
)
from automode.core.errors import BadPattern
from automode.core.tool_input import TOOLS, known_tool
from automode.llm.providers import SUBSCRIPTIONS, Api, OwnServer
from automode.rules.pattern import Rule as PatternRule
from automode.rules.pattern import parse

# A key is only ever sent to its own provider's host, so another host needs a key of its own.
OTHERS_KEYS = frozenset(
    "ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN AWS_ACCESS_KEY_ID AWS_BEARER_TOKEN_BEDROCK "
    "AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN CLAUDE_CODE_OAUTH_TOKEN GEMINI_API_KEY GH_TOKEN "
    "GITHUB_TOKEN GOOGLE_API_KEY OPENAI_API_KEY OPENROUTER_API_KEY".split()
)


def provider(member: Member, findings: Findings) -> OwnServer | None:
    """The provider that `member` describes; None, with a finding, when it cannot be used."""
    key = f"{PROVIDERS}.{excerpt(member.key)}"
    if not PROVIDER_NAME.accepts(member.key):
        findings.add(Level.ERROR, key, member.line, f"expected a name of {PROVIDER_NAME.expects}")
        return None
    if not isinstance(member.value, Object):
        findings.add(Level.ERROR, key, member.line, f"expected {ENDPOINT.expects}")
        return None
    texts: dict[str, str] = {}
    sound = [_field(key, part, texts, findings) for part in member.value.children]
    if set(texts) == {"command"} and all(sound) and member.key in SUBSCRIPTIONS:
        return OwnServer(member.key, Api.OPENAI, "", None, texts["command"])
    missing = [name for name in ("api", "baseUrl") if name not in texts or "command" in texts]
    if missing and all(sound):
        findings.add(Level.ERROR, key, member.line, f"expected {ENDPOINT.expects}")
    if missing or not all(sound):
        return None
    return OwnServer(member.key, Api(texts["api"]), texts["baseUrl"], texts.get("apiKeyEnv"))


def host(found: OwnServer) -> str:
    """Host and port of the server, to compare."""
    return found.base_url.split("/")[2].casefold()


def _field(key: str, member: Member, texts: dict[str, str], findings: Findings) -> bool:
    """Takes one field into `texts`. No finding quotes a value: it may be a misplaced secret."""
    place = f"{key}.{excerpt(member.key)}"
    kind = ENDPOINT_FIELDS.get(member.key)
    node = member.value
    if kind is None:
        findings.add(Level.ERROR, place, member.line, "unknown key", f"expected {ENDPOINT.expects}")
        return False
    if (
        not isinstance(node, Leaf)
        or not isinstance(node.value, str)
        or not kind.accepts(node.value)
    ):
        findings.add(Level.ERROR, place, node.line, f"expected {kind.expects}")
        return False
    if member.key == "apiKeyEnv" and node.value.upper() in OTHERS_KEYS:
        message = "expected a variable for this server's own key, found another provider's"
        findings.add(
            Level.ERROR, place, node.line, message, "put its key into a variable of its own"
        )
        return False
    texts.setdefault(member.key, node.value)
    return True


_SHARED_KEYS = frozenset(row.key for row in SHARED_ROWS)
_ALL_KEYS = (*ROW_OF, *sorted(SECTIONS))
_PROHIBITIONS = sorted((row.key for row in ROW_OF.values() if row.closes), reverse=True)
_TOP_SECTIONS = tuple(one.casefold() for one in SECTIONS if "." not in one)
_NEARLY = 0.66  # `aks` is as near to `ask` as three letters can be


def read_part(source: Source, file: str, data: bytes) -> Part:
    """What a source of settings says."""
    reader = _Reader(source, Findings(source, file))
    reader.document(data)
    return Part(
        source,
        file,
        reader.scalars,
        reader.lists,
        tuple(reader.providers.values()),
        reader.findings.all(),
        reader.unusable,
    )


def read_shared(file: str, data: bytes) -> tuple[SharedSettings, tuple[Diagnostic, ...]]:
    """What a shared project file says."""
    reader = _Reader(Source.SHARED, Findings(Source.SHARED, file))
    reader.document(data)
    lists = reader.lists
    deny, ask = (
        tuple(rule for rule in lists[row.key].rules if rule.text != DEFAULTS)
        if row.key in lists
        else ()
        for row in SHARED_ROWS
    )
    return SharedSettings(deny, ask), reader.findings.all()


def _meant_prohibition(written: str, member: Member) -> str:
    """The list of prohibitions that an unknown key nearly spells, or that stands where nothing is
    read; empty where it is none. What it says must not vanish."""
    section, _, name = written.rpartition(".")
    if isinstance(member.value, Object):
        inside = (_meant_prohibition(f"{name}.{one.key}", one) for one in member.value.children)
        near = difflib.get_close_matches(name.casefold(), _TOP_SECTIONS, 1, 0.8)
        return next(filter(None, inside), "") if near and not section else ""
    letters = re.sub("[_-]", "", name).casefold()
    for key in _PROHIBITIONS:
        above, _, own = key.rpartition(".")
        word = own.replace("_", "")
        if letters == word:
            return key
        if abs(len(letters) - len(word)) > 2:  # a hostile file has many keys
            continue
        near_word = difflib.SequenceMatcher(None, letters, word).ratio() >= _NEARLY
        if near_word and (not section or difflib.get_close_matches(section, (above,), 1, 0.8)):
            return key
    return ""


def _pattern_problem(text: str) -> tuple[str, str]:
    """What is wrong with a permission pattern, and what to write instead."""
    try:
        parse(PatternRule(text))
    except BadPattern as fault:
        command = " " in text.strip() and "(" not in text
        return str(fault), f"write `bash({excerpt(text.strip())})`" if command else fault.hint
    return "", ""


def unknown_tool_hint(text: str) -> str:
    """What to write instead of the name of a tool that no agent has, as far as automode knows;
    empty for every other name. Servers and extensions may have tools of any name."""
    tool = text.partition("(")[0].strip().removeprefix("@")
    if known_tool(tool) or not re.fullmatch(r"\w+", tool) or tool.casefold().startswith("mcp__"):
        return ""
    near = difflib.get_close_matches(tool.casefold(), TOOLS, 1, 0.7)
    return f"did you mean `{near[0]}`?" if near else f"for a command write `bash({tool} *)`"


def describe(node: Node) -> str:
    """A value, for a message."""
    match node:
        case Object():
            return "an object"
        case Array():
            return "a list"
        case Leaf(str(text)):
            return f'"{excerpt(text)}"'
        case Leaf(None):
            return "null"
        case Leaf(bool(flag)):
            return str(flag).lower()
        case Leaf(value):
            return str(value)


@dataclass(slots=True)
class _Reader:
    source: Source
    findings: Findings
    scalars: dict[str, Given] = field(default_factory=dict)
    written: dict[str, list[Listed]] = field(default_factory=dict)  # a key may stand twice
    providers: dict[str, OwnServer] = field(default_factory=dict)
    key_owners: dict[str, OwnServer] = field(default_factory=dict)  # by the variable of the key
    unusable: dict[str, str] = field(default_factory=dict)

    def document(self, data: bytes) -> None:
        try:
            document = read(data)
        except BadJson as error:
            self.findings.add(
                Level.ERROR, "", error.line or None, str(error), error.hint, closes=True
            )
            return
        for twice in document.duplicates:
            message = f"set twice, first in line {twice.first_line}; the stricter reading counts"
            self.findings.add(Level.ERROR, twice.path, twice.line, message)
        if isinstance(document.root, Object):
            self.section(document.root, "")
        else:
            self.wrong("", document.root, "an object", closes=True)

    def wrong(self, key: str, node: Node, expected: str, *, closes: bool) -> None:
        message = f"expected {expected}, found: {describe(node)}"
        self.findings.add(Level.ERROR, key, node.line, message, closes=closes)

    def section(self, node: Object, path: str) -> None:
        for member in node.children:
            written = f"{path}.{member.key}" if path else member.key
            key = canonical(written)
            if written == IGNORED:
                continue
            if not self.is_known(key, member):
                self.unknown(written, member)
                continue
            if key != written or "." in member.key:
                hint = f"write `{key}`"
                message = f"read as `{key}`"
                self.findings.add(Level.WARNING, excerpt(written), member.line, message, hint)
            self.read_setting(key, member)

    def is_known(self, key: str, member: Member) -> bool:
        """A dot in a key is no path, except that a prohibition must not vanish over it."""
        row = ROW_OF.get(key)
        if "." in member.key:
            return row is not None and isinstance(row.kind, Rules) and row.kind.tightens
        return row is not None or key in SECTIONS

    def unknown(self, written: str, member: Member) -> None:
        meant = _meant_prohibition(written, member)
        hint = f"did you mean `{meant}`?" if meant else ""
        if not meant and not self.findings.full:
            close = difflib.get_close_matches(excerpt(written), _ALL_KEYS, 1, 0.8)
            hint = f"did you mean `{close[0]}`?" if close else ""
        key, line = excerpt(written), member.line
        self.findings.add(Level.ERROR, key, line, "unknown key", hint, closes=bool(meant))

    def read_setting(self, key: str, member: Member) -> None:
        node = member.value
        if key in SECTIONS:
            if not isinstance(node, Object):
                closes = any(row.closes and row.key.startswith(key) for row in self.rows())
                self.wrong(key, node, "an object", closes=closes)
            elif key == PROVIDERS and self.source is not Source.SHARED:
                self.endpoints(node)
            else:
                self.section(node, key)
            return
        row = ROW_OF[key]
        if self.is_permitted(row, member):
            self.value(row, node)

    def rows(self) -> tuple[Row, ...]:
        return SHARED_ROWS if self.source is Source.SHARED else tuple(ROW_OF.values())

    def is_permitted(self, row: Row, member: Member) -> bool:
        if self.source is Source.SHARED:
            hint = "a shared project file holds only `permissions.deny` and `permissions.ask`"
            fits = row.key in _SHARED_KEYS
        else:
            hint = f"it counts only in the {Source.USER} settings"
            fits = self.source in row.sources
        if not fits:
            message = f"ignored: {self.source} settings cannot set this"
            self.findings.add(Level.WARNING, row.key, member.line, message, hint)
        return fits

    def value(self, row: Row, node: Node) -> None:
        match row.kind:
            case Rules():
                self.rules(row, row.kind, node)
            case _ if isinstance(node, Leaf) and row.kind.accepts(node.value):
                given = Given(node.value, self.source, self.findings.file, node.line)
                self.scalar(row, given)
            case _ if row.secret:
                message = f"expected {row.kind.expects}, found something else"
                self.findings.add(Level.ERROR, row.key, node.line, message)
            case _:
                self.wrong(row.key, node, row.kind.expects, closes=False)
                if row.chooses:
                    place = f"{self.findings.file}:{node.line}"
                    why = f"expected {row.kind.expects}, found: {describe(node)}"
                    self.unusable.setdefault(row.key, f"`{row.key}` in {place}: {why}")

    def scalar(self, row: Row, given: Given) -> None:
        """Takes a value; of two, the one that is certainly stricter, else the first."""
        earlier = self.scalars.get(row.key)
        loosens = row.order.loosens
        if earlier is None or (
            loosens(given.value, earlier.value) and not loosens(earlier.value, given.value)
        ):
            self.scalars[row.key] = given

    def rules(self, row: Row, kind: Rules, node: Node) -> None:
        if not isinstance(node, Array):
            if row.secret:
                message = f"expected {kind.expects}, found something else"
                self.findings.add(Level.ERROR, row.key, node.line, message)
            else:
                self.wrong(row.key, node, kind.expects, closes=row.closes)
            return
        rules = [
            Rule(item.value, self.source, self.findings.file, item.line)
            for place, item in enumerate(node.children)
            if self.sound(row, kind, f"{row.key}[{place}]", item)
            # said again for the type checker: a sound entry is a text
            and isinstance(item, Leaf)
            and isinstance(item.value, str)
        ]
        if not node.children and kind.built_in:
            message = "the empty list switches off the built-in entries"
            hint = f'write ["{DEFAULTS}"] to keep them'
            self.findings.add(Level.WARNING, row.key, node.line, message, hint)
        keeps: bool | None = any(rule.text == DEFAULTS for rule in rules)
        if not keeps and len(rules) < len(node.children):
            keeps = None  # perhaps `$defaults` is what was meant
        listed = Listed(tuple(rules), keeps, node.line)
        self.written.setdefault(row.key, []).append(listed)

    @property
    def lists(self) -> dict[str, Listed]:
        return {key: self.one(key, written) for key, written in self.written.items()}

    def one(self, key: str, written: list[Listed]) -> Listed:
        """The list that a key has; where it stands twice, the strictest reading of both."""
        kind = ROW_OF[key].kind
        if len(written) == 1:
            return written[0]
        tightens = isinstance(kind, Rules) and kind.tightens
        return join_lists(written) if tightens else common_entries(written)

    def sound(self, row: Row, kind: Rules, key: str, item: Node) -> bool:
        if not isinstance(item, Leaf) or not isinstance(item.value, str):
            self.wrong(key, item, f"a {kind.entry}", closes=row.closes)
            return False
        if item.value == DEFAULTS:
            return True
        problem, hint = kind.problem(item.value), ""
        if problem is None and kind.entry == "pattern":
            fault, hint = _pattern_problem(item.value)
            problem = fault or None
        if problem is not None:
            self.findings.add(Level.ERROR, key, item.line, problem, hint, closes=row.closes)
            return False
        if kind.entry == "pattern" and (hint := unknown_tool_hint(item.value)):
            message = f"no tool that automode knows is called so: {describe(item)}"
            self.findings.add(Level.WARNING, key, item.line, message, hint)
        return True

    def endpoints(self, node: Object) -> None:
        row = ROW_OF[f"{PROVIDERS}.<name>"]
        for member in node.children:
            if not self.is_permitted(row, member):
                return
            found = provider(member, self.findings)
            if found is not None and self.own_key(found, member):
                self.providers.setdefault(found.name, found)

    def own_key(self, found: OwnServer, member: Member) -> bool:
        """Whether no other server is sent the same key."""
        if found.api_key_env is None:
            return True
        owner = self.key_owners.setdefault(found.api_key_env, found)
        if host(owner) == host(found):
            return True
        key = f"{PROVIDERS}.{found.name}.apiKeyEnv"
        message = f"expected a key of its own, found the key of `{owner.name}`"
        self.findings.add(Level.ERROR, key, member.line, message)
        return False
