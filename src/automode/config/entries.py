"""Entries of the settings in the shapes that layers take: rules, prose for a model, faults."""

from collections.abc import Iterable

from automode.config.diagnostics import Source
from automode.config.settings import Rule as Entry
from automode.config.settings import Settings
from automode.core.errors import BadPattern
from automode.rules.pattern import Rule, parse


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


def pattern_fault(text: str) -> str | None:
    """What is wrong with a permission pattern; None when it can be read."""
    try:
        parse(Rule(text))
    except BadPattern as fault:
        return str(fault)
    return None


def rules(entries: Iterable[Entry]) -> list[Rule]:
    return [Rule(entry.text, rule_origin(entry)) for entry in entries]


def rule_origin(entry: Entry) -> str:
    """Where a rule was written, as people are told."""
    place = entry.file or entry.source.value
    return f"{place}:{entry.line}" if entry.line else place
