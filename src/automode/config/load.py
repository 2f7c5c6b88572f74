"""The settings in force: every source read in its order; entries in the shapes that layers take."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from automode.config.jsonc import LARGEST_BYTES
from automode.config.keys import HIDDEN, ROWS
from automode.config.merge import Given, Part, merge_parts, restrain, scalars
from automode.config.places import Places, content
from automode.config.reading import read_part, read_shared
from automode.config.settings import Builtins, Diagnostic, Level, Settings, Source
from automode.config.settings import Rule as Entry
from automode.config.trust import is_trusted
from automode.core.errors import BadSettings
from automode.rules.pattern import Rule


def prose(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Prose from the environment may come from a repository: the model is told what it can do."""
    return tuple(
        f"{entry.text} (set by the environment: it can only forbid, never permit)"
        if entry.source is Source.ENVIRONMENT
        else entry.text
        for entry in entries
    )


def faults(settings: Settings, source: Source | None = None) -> tuple[str, ...]:
    """What cannot be read and may have held a prohibition, of one source or of all."""
    return tuple(str(one) for one in settings.closing if source in (None, one.source))


def rules(entries: Iterable[Entry]) -> list[Rule]:
    return [Rule(entry.text, rule_origin(entry)) for entry in entries]


def rule_origin(entry: Entry) -> str:
    """Where a rule was written, as people are told."""
    place = entry.file or entry.source.value
    return f"{place}:{entry.line}" if entry.line else place


def set_aside(allow: Iterable[Entry]) -> list[str]:
    """One sentence for each allow rule that amounts to "run any code"."""
    from automode.rules.shell_allow import notice  # loads what the programs table says

    notices = (notice(Rule(entry.text, rule_origin(entry))) for entry in allow)
    return [sentence for sentence in notices if sentence is not None]


class State(StrEnum):
    READ = "read"
    MISSING = "missing"
    UNTRUSTED = "not trusted"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Text:
    """One source: what it is called, what became of reading it, and what it holds."""

    source: Source
    file: str
    state: State
    data: bytes = b""
    diagnostics: tuple[Diagnostic, ...] = ()


def read_sources(places: Places) -> tuple[Text, ...]:
    """Every source, weakest first."""
    return (
        *(read_file(Source.USER, file) for file in places.user),
        *(_local(file, places.trust_file) for file in places.local),
        *(_variable(name, places.environment.get(name, "")) for name in places.variables),
        *(read_file(Source.MANAGED, file) for file in places.managed),
        *(read_file(Source.SHARED, file) for file in places.shared),
    )


def _unreadable(source: Source, file: str, message: str) -> Text:
    """A source that is there and cannot be read may hide a prohibition: it closes."""
    finding = Diagnostic(Level.ERROR, file, "", None, message, closes=True, source=source)
    return Text(source, file, State.UNREADABLE, diagnostics=(finding,))


def read_file(source: Source, file: str) -> Text:
    try:
        data = content(file)
    except BadSettings as error:
        return _unreadable(source, file, str(error))
    if data is None:
        return Text(source, file, State.MISSING)
    return Text(source, file, State.READ, data)


def _local(file: str, trust_file: str) -> Text:
    """A project-local file counts only as the very bytes that the user trusted."""
    text = read_file(Source.LOCAL, file)
    if text.state is not State.READ:
        return text
    try:
        if is_trusted(trust_file, file, text.data):
            return text
    except BadSettings as error:
        return _untrusted_text(file, f"ignored: {error}", error.hint)
    return _untrusted_text(
        file, "ignored: not trusted as it is now", "read it, then run `automode trust`"
    )


def _untrusted_text(file: str, message: str, hint: str) -> Text:
    finding = Diagnostic(
        Level.WARNING, file, "", None, message, hint, closes=False, source=Source.LOCAL
    )
    return Text(Source.LOCAL, file, State.UNTRUSTED, diagnostics=(finding,))


def _variable(name: str, value: str) -> Text:
    if not value.strip():
        return Text(Source.ENVIRONMENT, name, State.MISSING)
    data = value.encode("utf-8", "surrogatepass")  # bytes that are no UTF-8 stay none
    if len(data) > LARGEST_BYTES:
        return _unreadable(Source.ENVIRONMENT, name, f"larger than {LARGEST_BYTES} bytes")
    return Text(Source.ENVIRONMENT, name, State.READ, data)


@dataclass(frozen=True, slots=True)
class Loaded:
    """`values` are the single values in force, to be shown: what may hold a password is hidden.
    `diagnostics` is everything to report; `sources` is what became of each source."""

    settings: Settings
    values: Mapping[str, Given]
    diagnostics: tuple[Diagnostic, ...]
    sources: tuple[Text, ...]


def findings_sentence(loaded: Loaded) -> str:
    """What is wrong with the settings, short enough for the start of a session; empty where nothing
    is."""
    ordered = sorted(loaded.diagnostics, key=lambda one: not one.closes)
    found = [*map(str, ordered), *set_aside(loaded.settings.permissions.allow)]
    if not found:
        return ""
    closed = "; until it is mended nothing is allowed without a person"
    more = f"; {len(found) - 1} more" if len(found) > 1 else ""
    ends = closed if loaded.settings.closing else ""
    return f"settings: {found[0]}{ends}{more}; see `automode status`"


def load(places: Places, builtins: Builtins) -> Loaded:
    """Never raises for anything that people, repositories or disks can do to a configuration."""
    return combine(read_sources(places), builtins)


def combine(sources: Sequence[Text], builtins: Builtins) -> Loaded:
    """The pure half of `load`: texts in, settings out."""
    texts = [text for text in sources if text.state is State.READ]
    shared = [read_shared(text.file, text.data) for text in texts if text.source is Source.SHARED]
    parts = _hold_environment_back(
        [
            read_part(text.source, text.file, text.data)
            for text in texts
            if text.source is not Source.SHARED
        ]
    )
    diagnostics = (
        *(finding for text in sources for finding in text.diagnostics),
        *(finding for part in parts for finding in part.diagnostics),
        *(finding for _, findings in shared for finding in findings),
    )
    closing = tuple(finding for finding in diagnostics if finding.closes)
    settings = merge_parts(parts, [said for said, _ in shared], builtins, closing)
    broken = {(one.source, one.file) for one in closing if not one.key}
    became = (
        replace(one, state=State.UNREADABLE) if (one.source, one.file) in broken else one
        for one in sources
    )
    return Loaded(settings, _values_to_show(parts), diagnostics, tuple(became))


def _values_to_show(parts: Sequence[Part]) -> Mapping[str, Given]:
    values = scalars(parts)
    secret = [row for row in ROWS if row.secret and row.key in values]
    hidden = [row.key for row in secret if values[row.key].value != row.default]
    return values | {key: replace(values[key], value=HIDDEN) for key in hidden}


def _hold_environment_back(parts: Sequence[Part]) -> list[Part]:
    """`parts` with the environment held back, unless the user's own file trusts it."""
    if scalars(parts)["trustEnvironment"].value:
        return list(parts)
    kept: list[Part] = []
    for part in parts:
        environment = part.source is Source.ENVIRONMENT
        kept.append(restrain(part, scalars(kept)) if environment else part)
    return kept
