"""Whether a text of the user's names a thing that a call acts upon."""

import re
from collections.abc import Iterator
from functools import lru_cache

from automode.judge.objects import Name, table
from automode.shell.script import HOLE

LEAST_STEM = 4
LEAST_PART = 3
_ENVIRONMENTS = (
    frozenset("prod production prd live produktion producción produção 本番 生产".split()),
    frozenset("staging stage stg ステージング".split()),
    frozenset("dev development devel".split()),
    frozenset("test testing testumgebung".split()),
)
_WILD = frozenset("*?%[")
_MANY = re.compile(
    r"\b(?:all|every\w*|each|whole|any|rest|alle\w*|tod[oa]s|tous|toutes|вс[её])\b|全部|所有|すべて|\*",
    re.IGNORECASE,
)
# Too common to say which file is meant.
_COMMON = frozenset(
    "index main test tests init setup config utils types readme src lib app".split()
)
# Another package, or another place, under the name of a package.
_ALIAS = re.compile(r"^(?:github|gitlab|bitbucket|gist|file|git\+\w+):|\w@(?:\w+:|[\w.-]+/)[^/]")
_VERSION = re.compile(r"(?<=[^@/])@[^@/]*$")


def named(name: Name, text: str) -> bool:
    """`text` without regard to case. What is only known when it runs has no name."""
    if HOLE in name.text:
        return False
    if _ALIAS.search(name.text):
        return name.text.casefold() in text
    if name.called is not None and name.called.search(text):
        return True
    full = name.text.casefold().strip("'\"")
    if name.whole:
        return full in text and _whole(full).search(text) is not None
    if any(_says(one, text) for one in _spellings(full, stem=name.called is None)):
        return True
    if _WILD & set(full):
        parts = [one for one in re.split(r"[^\w.-]+", full) if one.strip(".")]
        many = _MANY.search(text) is not None and bool(parts)
        return many and all(_says(one.strip("."), text) for one in parts)
    return _by_parts(full, text, location=name.location)


def _spellings(full: str, *, stem: bool) -> Iterator[str]:
    yield full
    bare = full.strip("/")
    bare = bare.removeprefix("./").removeprefix("~/")
    if bare and bare != full:
        yield bare
    last = bare.rsplit("/", 1)[-1]
    if last and not _WILD & set(last):
        yield last
        bare = last.rpartition(".")[0]
        if stem and len(bare) >= LEAST_STEM and bare not in _COMMON:
            yield bare
    without = _VERSION.sub("", full)
    if without != full:
        yield without


def _by_parts(full: str, text: str, *, location: bool) -> bool:
    """`acme/api:1.4` where the user says "api 1.4", `crm-prod` as a place where they say "prod"."""
    known = table()
    if location:
        parts = [one for one in re.split(r"[^\w]+|_", full) if len(one) >= LEAST_PART]
        environments = [one for one in parts if _synonyms(one)]
        return any(_says(one, text) for one in environments or parts)
    parts = [one for one in re.split(r"[/:@=,#]+", full) if one]
    unknown = [one for one in parts if one not in known.plain | known.kinds]
    return len(parts) > 1 and bool(unknown) and all(_says(one, text) for one in unknown)


def _synonyms(word: str) -> frozenset[str]:
    return next((group for group in _ENVIRONMENTS if word in group), frozenset())


def _says(word: str, text: str) -> bool:
    synonyms = _synonyms(word)
    if synonyms:
        return any(_pattern(one).search(text) for one in synonyms)
    return word in text and _pattern(word).search(text) is not None


@lru_cache(maxsize=2_048)
def _pattern(word: str) -> re.Pattern[str]:
    """Not as a part of a longer name. Scripts without blanks have no such bounds."""
    if not word.isascii():
        return re.compile(re.escape(word))
    return re.compile(rf"(?<![a-z0-9_-]){re.escape(word)}(?![a-z0-9_]|[-/.][a-z0-9_*])")


@lru_cache(maxsize=512)
def _whole(word: str) -> re.Pattern[str]:
    before = r"(?:(?<![a-z0-9_/-])|(?<=origin/)|(?<=upstream/))"
    return re.compile(rf"{before}{re.escape(word)}(?![a-z0-9_]|[-/.][a-z0-9_*])")


def speaks_of(words: frozenset[str], text: str) -> bool:
    """Whether one of the words stands in the text, in either number."""
    parts = re.findall(r"[\w.#-]+", text)
    return any(part in words or part.removesuffix("s") in words for part in parts)
