"""What a call may act upon: names that a user would have to say, the kinds of things they are, and
what makes a call reach further than its verb."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

MOST_NAMES = 40
ANY_STATE = "any-state"  # among the words of a call: which one is only told by a number
LONGEST_VALUE = 300


@dataclass(frozen=True, slots=True)
class Name:
    text: str
    location: bool = False  # where the thing lies: a part of it that the user says is enough
    called: re.Pattern[str] | None = None  # what users call such a file
    whole: bool = False  # never the last part of a longer name
    firm: bool = False  # no deed frees it: where it goes, or who gets it


@dataclass(frozen=True, slots=True)
class Objects:
    """`names`: each needs the user's word. `kinds`: words that the call itself has for such things.
    `text`: the words of the call, for what the user wants to see in it."""

    names: tuple[Name, ...] = ()
    kinds: frozenset[str] = frozenset()
    qualifiers: frozenset[str] = frozenset()
    text: str = ""
    programs: frozenset[str] = frozenset()


NOTHING = Objects()


@dataclass(frozen=True, slots=True)
class Rule:
    """A qualifier, or a restriction, which holds for some deeds or all of them."""

    name: str
    said: re.Pattern[str]
    call: re.Pattern[str]
    deeds: frozenset[str]


@dataclass(frozen=True, slots=True)
class Table:
    kinds: frozenset[str]
    verbs: frozenset[str]
    plain: frozenset[str]
    described: frozenset[str]
    also_described: Mapping[str, frozenset[str]]  # by the program
    not_described: Mapping[str, frozenset[str]]
    qualifiers: tuple[Rule, ...]
    restrictions: tuple[Rule, ...]
    paths: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]  # files, and what users call them


@lru_cache(maxsize=1)
def table() -> Table:
    given = tomllib.loads(files("automode.judge").joinpath("objects.toml").read_text("utf-8"))
    kinds, verbs, plain, described = (
        frozenset(given[one].split()) for one in ("kinds", "verbs", "plain", "described")
    )
    also, never = (
        {name: frozenset(words.split()) for name, words in given[one].items()}
        for one in ("also_described", "not_described")
    )
    return Table(
        kinds,
        verbs,
        plain,
        described,
        also,
        never,
        _rules(given["qualifiers"]),
        _rules(given["restrictions"]),
        tuple(map(_path, given["paths"])),
    )


def _path(given: Mapping[str, str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    called = "|".join(given["said"].split())
    return re.compile(given["path"], re.IGNORECASE), re.compile(rf"(?<![\w.])(?:{called})(?!\w)")


def _rules(given: Mapping[str, Mapping[str, str]]) -> tuple[Rule, ...]:
    return tuple(
        Rule(
            name,
            re.compile(one["said"], re.IGNORECASE),
            re.compile(one["call"], re.IGNORECASE),
            frozenset(one.get("deeds", "").split()),
        )
        for name, one in given.items()
    )


_STATEMENT = re.compile(
    r"\b(?:table|database|schema|from|into|update|truncate|index|view|role|user|join|keyspace|"
    r"collection)\s+(?:(?:if|not|exists|only|table)\s+)*([\"`\w.]+(?:\s*,\s*[\"`\w.]+)*)|"
    r"'([^']{2,80})'|\bdb\.(\w+)\.|getCollection\(.(\w+)|=\s*(\d+)\b|"
    r"(?:\bin\s*\(|,)\s*(\d+)(?=\s*(?:[;,)]|$|and\b))",
    re.IGNORECASE,
)
STATEMENT = re.compile(
    r"\b(?:drop|truncate|delete|insert|update|alter|create|grant|select|flushall)\b|\bdb\.",
    re.IGNORECASE,
)


def names_in_statement(text: str) -> Iterator[str]:
    for found in _STATEMENT.finditer(text[: LONGEST_VALUE * 10]):
        for part in next(filter(None, found.groups()), "").split(","):
            name = part.strip(' "`\n\t')
            if name and name.casefold() not in table().plain:
                yield name


def file_name(path: str) -> Name:
    called = next((said for pattern, said in table().paths if pattern.search(path)), None)
    return Name(path, called=called)


def qualifiers_of(words: Iterable[str]) -> frozenset[str]:
    given = list(words)
    return frozenset(
        rule.name for rule in table().qualifiers if any(rule.call.search(word) for word in given)
    )
