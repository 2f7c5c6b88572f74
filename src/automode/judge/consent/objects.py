"""What a call may act upon: names that a user would have to say, the kinds of things they are, what
makes a call reach further than its verb, and whether a text says such a name."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from automode.judge.words import patterns, read_words, word_lists
from automode.shell.script import HOLE

_P = patterns("objects")
KNOWN = word_lists("objects")
"""Words of commands that name nothing: kinds of things, verbs, plain words, described options."""

MOST_NAMES = 40
ANY_STATE = "any-state"  # among the words of a call: which one is only told by a number
LONGEST_VALUE = 300
LEAST_STEM = 4
LEAST_PART = 3
_ENVIRONMENTS = (
    frozenset("prod production prd live produktion producción produção 本番 生产".split()),
    frozenset("staging stage stg ステージング".split()),
    frozenset("dev development devel".split()),
    frozenset("test testing testumgebung".split()),
)
_WILD = frozenset("*?%[")
# In a registry of containers that everybody knows, the place of an image needs no word.
_IMAGE = re.compile(
    r"([\w.-]+\.(?:pkg\.dev|gcr\.io|amazonaws\.com|azurecr\.io)/(?:[\w.-]+/)*)([\w.-]+):([\w.-]+)"
)
_VERSION = re.compile(r"(?<=[^@/])@[^@/]*$")


@dataclass(frozen=True, slots=True)
class Name:
    text: str
    location: bool = False  # where the thing lies: a part of it that the user says is enough
    called: re.Pattern[str] | None = None  # what users call such a file
    whole: bool = False  # never the last part of a longer name
    firm: bool = False  # no deed frees it: where it goes, or who gets it
    made: bool = False  # a file that is made: its folder, told as a path, is enough


@dataclass(frozen=True, slots=True)
class Objects:
    """`names`: each needs the user's word. `kinds`: words that the call itself has for such things.
    `text`: the words of the call, for what the user wants to see in it. `verbs`: what its own
    words say is done. `path`: the program with its sub-command, as people write it.
    `whole`: the words of all commands of the call. `here`: what the project is called."""

    names: tuple[Name, ...] = ()
    kinds: frozenset[str] = frozenset()
    qualifiers: frozenset[str] = frozenset()
    text: str = ""
    programs: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    path: str = ""
    whole: str = ""
    here: str = ""


NOTHING = Objects()


@dataclass(frozen=True, slots=True)
class Rule:
    """A qualifier, or a restriction, which holds for some deeds or all of them."""

    name: str
    said: re.Pattern[str]
    call: re.Pattern[str]
    deeds: frozenset[str]
    meaning: frozenset[str]  # of a verb that says it too


@cache
def rules(kind: str) -> tuple[Rule, ...]:
    """The `qualifiers`, or the `restrictions`."""
    return tuple(
        Rule(
            name,
            re.compile(one["said"], re.IGNORECASE),
            re.compile(one["call"], re.IGNORECASE),
            frozenset(one.get("deeds", "").split()),
            frozenset(one.get("meaning", "").split()),
        )
        for name, one in read_words(kind).items()
    )


@cache
def _file_names() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Files, and what users call them."""
    return tuple(
        (
            re.compile(one["path"], re.IGNORECASE),
            re.compile(rf"(?<![\w.])(?:{'|'.join(one['said'].split())})(?!\w)"),
        )
        for one in read_words("file_names").values()
    )


def names_in_statement(text: str) -> Iterator[str]:
    for found in _P.statement.finditer(text[: LONGEST_VALUE * 10]):
        for part in next(filter(None, found.groups()), "").split(","):
            name = part.strip(' "`\n\t')
            if name and name.casefold() not in KNOWN.plain:
                yield name


def file_name(path: str, *, made: bool = False) -> Name:
    called = next((said for pattern, said in _file_names() if pattern.search(path)), None)
    return Name(path, called=called, made=made)


def qualifiers_of(words: Iterable[str]) -> frozenset[str]:
    given = list(words)
    return frozenset(
        one.name for one in rules("qualifiers") if any(one.call.search(word) for word in given)
    )


def is_named_in(name: Name, text: str) -> bool:
    """`text` without regard to case. What is only known when it runs has no name."""
    if HOLE in name.text:
        return False
    if _P.alias.search(name.text):
        return name.text.casefold() in text
    if name.called is not None and name.called.search(text):
        return True
    full = name.text.casefold().strip("'\"")
    if name.made and _is_in_folder(full, text):
        return True
    if name.whole:
        return full in text and _whole(full).search(text) is not None
    if any(_says(one, text) for one in _spellings(full, stem=name.called is None)):
        return True
    if _WILD & set(full):
        parts = [one for one in re.split(r"[^\w.-]+", full) if one.strip(".")]
        many = _P.many.search(text) is not None and bool(parts)
        return many and all(_says(one.strip("."), text) for one in parts)
    return _by_parts(full, text, location=name.location)


def _is_in_folder(full: str, text: str) -> bool:
    """Whether the text has the path of the folder that a file lies in."""
    folder = full.rpartition("/")[0]
    last = folder.rpartition("/")[2]
    name = re.escape(last)
    told = rf"(?<![\w.-])((?:~|\.{{1,2}})?/(?:[\w.-]+/)*{name}|{name}(?=/))/?(?![\w/-])"
    found = re.findall(told, text) if last and "." not in last[:1] else []
    return any(folder.endswith(one.lstrip("~.").rstrip("/")) for one in found)


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
        if stem and len(bare) >= LEAST_STEM and bare not in KNOWN.common:
            yield bare
    without = _VERSION.sub("", full)
    if without != full:
        yield without


def _by_parts(full: str, text: str, *, location: bool) -> bool:
    """`acme/api:1.4` where the user says "api 1.4", `crm-prod` as a place where they say "prod"."""
    if location:
        parts = [one for one in re.split(r"[^\w]+|_", full) if len(one) >= LEAST_PART]
        environments = [one for one in parts if same_environment(one)]
        return any(_says(one, text) for one in environments) or (
            not environments and any(_holds(one, text) for one in parts)
        )
    image = _IMAGE.fullmatch(full)
    if image is not None:
        environments = [
            one for one in re.split(r"\W+|_", image[1].partition("/")[2]) if same_environment(one)
        ]
        return all(_says(one, text) for one in (image[2], image[3], *environments))
    parts = [one for one in re.split(r"[/:@=,#]+", full) if one]
    unknown = [one for one in parts if one not in KNOWN.plain | KNOWN.kinds]
    return len(parts) > 1 and bool(unknown) and all(_says(one, text) for one in unknown)


def _holds(part: str, text: str) -> bool:
    """Also as a part of a longer name."""
    return re.search(rf"(?<![a-z0-9_]){re.escape(part)}(?![a-z0-9_])", text) is not None


def same_environment(word: str) -> frozenset[str]:
    """The words for the environment that a word names, if it names one."""
    return next((group for group in _ENVIRONMENTS if word in group), frozenset())


def _says(word: str, text: str) -> bool:
    synonyms = same_environment(word)
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
