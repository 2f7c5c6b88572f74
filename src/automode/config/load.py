"""The way in: from the places where settings may stand to the settings in force."""

from collections.abc import Sequence
from dataclasses import dataclass

from automode.config.diagnostics import Diagnostic, Source
from automode.config.environment import restrained
from automode.config.merge import merged, scalars
from automode.config.part import Part
from automode.config.places import Places
from automode.config.reading import Readable, read_part, read_shared
from automode.config.settings import Builtins, Settings
from automode.config.sources import State, Text, read_sources


@dataclass(frozen=True, slots=True)
class Loaded:
    """`diagnostics` is everything to report; `sources` is what became of each source."""

    settings: Settings
    diagnostics: tuple[Diagnostic, ...]
    sources: tuple[Text, ...]


def load(places: Places, builtins: Builtins, readable: Readable) -> Loaded:
    """Never raises for anything that people, repositories or disks can do to a configuration.

    `readable` says what is wrong with a permission pattern, or None.
    """
    sources = read_sources(places)
    return combine(sources, builtins, readable)


def combine(sources: Sequence[Text], builtins: Builtins, readable: Readable) -> Loaded:
    """The pure half of `load`: texts in, settings out."""
    texts = [text for text in sources if text.state is State.READ]
    shared = [
        read_shared(text.file, text.data, readable)
        for text in texts
        if text.source is Source.SHARED
    ]
    parts = _trusting(
        [
            read_part(text.source, text.file, text.data, readable)
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
    settings = merged(parts, [said for said, _ in shared], builtins, closing)
    return Loaded(settings, diagnostics, tuple(sources))


def _trusting(parts: Sequence[Part]) -> list[Part]:
    """`parts` with the environment held back, unless the user's own file trusts it."""
    if scalars(parts)["trustEnvironment"]:
        return list(parts)
    kept: list[Part] = []
    for part in parts:
        environment = part.source is Source.ENVIRONMENT
        kept.append(restrained(part, scalars(kept)) if environment else part)
    return kept
