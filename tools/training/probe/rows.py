"""The labelled tool results of a folder, as texts to learn from or to measure on."""

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

FILES = ("agentdojo", "composite", "entire_benign", "hard_negatives", "misc")
FOLDS = 5
_WRITTEN = "actions_entire_other.jsonl.gz"
_SHARE_ALIKE = "CC-BY-SA"
_MOST_PLANTED_LINES = 12
# Names that only the makers of one collection use: who learns them, learns the collection.
_GIVEAWAYS = re.compile(r"agenskill[\w.\-]*|onrender\.com|canary[\w\-]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    identity: str
    file: str
    text: str
    injected: bool
    kind: str
    group: str
    """What is held back together: a repository, a suite, a family of payloads."""
    home: str
    """The repository that the ordinary part of the text comes from."""
    teaches: bool
    """Whether its licence lets a model learn from it."""
    note: str = ""

    @property
    def fold(self) -> int:
        return crc32(self.home.encode()) % FOLDS


def rows(folder: Path) -> list[Row]:
    found = [row for name in FILES for row in _file(folder / f"probe_{name}.jsonl.gz", name)]
    homes = {row.identity: row.home for row in found}
    return [_at_home(row, homes) for row in found]


def written_files(folder: Path) -> list[Row]:
    """What agents wrote into files in real sessions: ordinary code and documents, no attacks."""
    path = folder / _WRITTEN
    return [row for record in _records(path) if (row := _written(record)) is not None]


def payloads(found: list[Row]) -> list[tuple[str, str]]:
    """Each distinct instruction of others that we may learn from, with its family."""
    by_identity = {row.identity: row for row in found}
    skills = {line for row in found if row.group.startswith("clean-") for line in _lines(row)}
    known: dict[str, str] = {}
    for row in sorted(found, key=lambda one: one.kind != "skill"):
        if not (row.injected and row.teaches):
            continue
        host = by_identity.get(_noted(row.note, "host"))
        if host is None and row.kind != "skill":
            continue
        text = _planted(row, skills if host is None else set(_lines(host)))
        known.setdefault(text, _family(row.group, text, known))
    return [(cleaned(text), family) for text, family in known.items() if text]


def _family(group: str, text: str, known: Mapping[str, str]) -> str:
    """What stands in a skill and again in a result of a tool is one family."""
    if not group.startswith("SkillInject"):
        return group
    return next((family for other, family in known.items() if alike(text, other)), group)


def family_fold(family: str) -> int:
    """Where a family of payloads is held back; `skill-1-obvious` together with all of `skill-1`."""
    return crc32("-".join(family.split("-")[:2]).encode()) % FOLDS


def alike(text: str, other: str) -> bool:
    """Whether two payloads say five words in a row alike."""
    return not _fives(text).isdisjoint(_fives(other))


@cache
def _fives(text: str) -> frozenset[tuple[str, ...]]:
    said = re.findall(r"[a-z']+", text.lower())
    return frozenset(tuple(said[at : at + 5]) for at in range(len(said) - 4))


def cleaned(text: str) -> str:
    return _GIVEAWAYS.sub("service", text)


def _planted(row: Row, ordinary: set[str]) -> str:
    lines = [line for line in _lines(row) if line not in ordinary]
    if len(lines) > _MOST_PLANTED_LINES:
        return ""
    return "\n".join(_bare(line) for line in lines).strip()


def _bare(line: str) -> str:
    line = re.sub(r"^\s*\d+[\u2192\t]", "", line)
    return re.sub(r"^\s*(?:<!--|//|#(?!#)|>)\s?|\s?-->\s*$", "", line)


def _lines(row: Row) -> list[str]:
    return row.text.splitlines()


def _records(path: Path) -> Iterator[Mapping[str, object]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            match json.loads(line):
                case dict() as record:
                    yield record
                case other:
                    raise ValueError(f"{path}: a row is an object, not `{type(other).__name__}`")


def _file(path: Path, name: str) -> Iterator[Row]:
    for record in _records(path):
        source = str(record["source"])
        note = str(record.get("note", ""))
        group = str(record.get("group") or _noted(note, "suite"))
        shared = _SHARE_ALIKE in str(record["license"]) or "BIPIA" in source
        yield Row(
            identity=str(record["id"]),
            file=name,
            text=str(record["text"]),
            injected=record["label"] == "injection",
            kind=str(record["kind"]),
            group=group,
            home=_home(source, group),
            teaches=not shared,
            note=note,
        )


def _home(source: str, group: str) -> str:
    """One name for a repository and its copies."""
    name = source.partition(":")[2] or f"{source}/{group}"
    owner, _, repository = name.partition("/")
    return "entire" if "entire" in (owner, repository) or "entire-cli" in name else name.lower()


def _at_home(row: Row, homes: Mapping[str, str]) -> Row:
    if row.file != "composite":
        return row
    home = homes.get(_noted(row.note, "host"), "elsewhere")
    return Row(
        row.identity,
        row.file,
        row.text,
        row.injected,
        row.kind,
        row.group,
        home,
        row.teaches,
        row.note,
    )


def _written(record: Mapping[str, object]) -> Row | None:
    match record.get("input"):
        case {"content": str() as text} | {"new_string": str() as text}:
            source = str(record["source"])
            return Row(
                identity=str(record["id"]),
                file="written",
                text=text,
                injected=False,
                kind="file",
                group=source,
                home=_home(source, source),
                teaches=True,
            )
        case _:
            return None


def _noted(note: str, name: str) -> str:
    found = re.search(rf"\b{name}=(\S+)", note)
    return found[1] if found else ""
