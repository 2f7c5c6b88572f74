"""What the clause of a request is about beside its verb: something else than the call, a part of
it, more or less than it, or where something goes."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from automode.judge.consent.objects import ANY_STATE, KNOWN, NOTHING, Name, Objects, is_named_in
from automode.judge.consent.requests import Request, is_kind, required_names, words_of
from automode.judge.deeds import DELETIONS, Deed, Weight
from automode.judge.words import patterns, word_lists

_W = word_lists("asked")
_REQUESTS_W = word_lists("requests")
_P = patterns("asked")
NAMELIKE = re.compile(r"[\d_/@#~*]|\w[.-]\w")
# Deeds that put down what somebody says.
_WRITING = frozenset({"changes-service", "writes-forge", "messages"})
_FROM = re.compile(r"^\s*(?:from|off|out of)\s")
_FOLDER = re.compile(r"(?:folders?|director(?:y|ies)|dirs?|files?)$")
# A row is called by what it stands for: the sentence has its database, its table and its key.
_ROWS = frozenset({"drops-data", "changes-database"})
WHOLE_ROW = 3
# Scripts without blanks: a clause has verbs, particles and known objects, and nothing else.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
WHOLES = DELETIONS | {"deletes-scratch", "deletes-made"}
_PORT = re.compile(r"\b(?<![.\d])\d{4,5}\b")
# They are asked for by where something goes: "zip docs into ~/archive/docs.zip".
_DESTINED = frozenset("writes-outside edits-outside collects remote-copy".split())
_REACHING = frozenset("deploys publishes sends".split())
_TO = re.compile(r"(?:^|\s)(?:to|into|in|under|at|as|onto|nach|en|dans|a)\s+(\S+)")


def is_about_another(one: Request, deed: Deed, objects: Objects) -> bool:
    """Whether the clause goes on with something that the deed is not done to."""
    clause = one.place
    if deed.name in _WRITING and _P.content.match(clause):
        return False  # what is to be written there
    when = _P.when.search(clause)
    if when and not _P.ours.search(when[1]):
        return True
    ended = _P.clause_end.search(clause)
    clause = clause[: ended.start()] if ended else clause
    return any(not _is_known(words, deed, objects) for words in _phrases(clause))


def _phrases(clause: str) -> Iterator[list[str]]:
    for found in _P.phrase.finditer(clause):
        words = [word.strip(".'\"`!?") for word in found[1].split()]
        while words and words[-1] in _W.ending:
            words.pop()
        if words:
            yield words


def _is_known(words: list[str], deed: Deed, objects: Objects) -> bool:
    last = words[-1]
    if last.startswith("request") and words[-2:-1] in (["pull"], ["merge"]):
        return True
    if ANY_STATE in objects.text and _P.states.fullmatch(" ".join(words)):
        return True
    shelf = deed.name in _WRITING and _P.shelves.fullmatch(last)
    if shelf and any(is_named_in(name, word) for name in objects.names for word in words):
        return True
    if any(_P.forges.fullmatch(word) for word in words):
        return True
    if _P.systems.fullmatch(last) or (deed.kinds is not None and deed.kinds.fullmatch(last)):
        return True
    if NAMELIKE.search(last) and not last.endswith("%"):
        return True
    if any(is_named_in(name, last) for name in objects.names):
        return True
    return not {last, "".join(words)}.isdisjoint(re.split(r"\W+|_", objects.text.casefold()))


def words_in(objects: Objects) -> set[str]:
    return {word.strip("/").removeprefix("./") for word in objects.text.casefold().split()}


def takes_from(one: Request, deed: Deed, objects: Objects) -> bool:
    """Whether a file is only to be taken off something: "remove a.py from the exclude list"."""
    return (
        "find" not in objects.programs
        and _FROM.match(one.place) is not None
        and any(
            not _is_known(words, deed, objects) and not _P.project.fullmatch(words[-1])
            for words in list(_phrases(one.place))[:1]
        )
    )


def is_about_contents(one: Request, objects: Objects) -> bool:
    """Whether "it" or "everything" is something in the file: "a.py has dead code, remove it"."""
    told = [one.sentence, *one.before.split("\n")]
    text = "\n".join(
        part for part in told if any(is_named_in(name, part) for name in objects.names)
    )
    found = [name for name in objects.names if is_named_in(name, text)]
    return bool(found) and (
        _P.holds.search(text) is not None
        or any(
            re.search(
                rf"\b(?:in|of|from|inside|within|at)\s+(?:\S+\s+)?\S*{re.escape(last)}",
                text,
            )
            for last in (name.text.casefold().rstrip("/").rsplit("/", 1)[-1] for name in found)
        )
    )


def names_a_part(one: Request, objects: Objects) -> bool:
    """Whether the user said which file or folder is meant, and the call has no such word."""
    given = objects.text.casefold()
    clause = f"{one.head} {one.place}"
    if any(path.rstrip("/.") not in given for path in _P.path.findall(clause)):
        return True
    words = one.head.split()
    return len(words) > 1 and _FOLDER.match(words[-1]) is not None and words[-2] not in _W.any


def is_within(one: Request, objects: Objects) -> bool:
    """Whether the user named a part of what the call takes as a whole, and not the whole."""
    said = [
        path.rstrip("/.").removeprefix("./") for path in _P.path.findall(f"{one.head} {one.more}")
    ]
    taken = [name.text.casefold().removeprefix("./").rstrip("/*") for name in objects.names]
    return any(
        path.startswith(f"{whole}/") and whole not in said
        for path in said
        for whole in taken
        if whole
    )


def is_another_command(verb: str, words: Sequence[str], objects: Objects) -> bool:
    """Whether the user said the program with another of its sub-commands: `terraform plan`."""
    given = set(objects.text.casefold().split())
    return any(
        program in objects.programs
        and following not in given
        and following in _W.subcommands | KNOWN.verbs
        and (verb, following) != ("apply", "plan")
        for program, following in pairwise(words)
    )


def is_one_row(one: Request, deed: Deed, objects: Objects) -> bool:
    """Whether a statement is about one row, and the user said all that it says."""
    text = objects.text.casefold()
    told = len(objects.names) >= WHOLE_ROW and " where " in text
    if deed.name not in _ROWS or not told or bool(_P.removes.match(one.verb)) != ("delete" in text):
        return False
    return all(is_named_in(name, one.sentence) for name in objects.names)


def says_more(one: Request) -> bool:
    """Whether a clause in a script without blanks is about something that is not known."""
    if not _UNSPACED.search(one.verb):
        return False
    clauses = [part for part in _P.parts.split(one.sentence) if one.verb in part]
    return all(_P.unspaced_known.sub("", part).strip() for part in clauses)


def exceeds(requests: Sequence[Request], deed: Deed, objects: Objects) -> bool:
    """Whether the user named what a lighter deed is to be done to, and the call has more."""
    if deed.name in WHOLES and any(is_within(one, objects) for one in requests):
        return True
    if deed.weight >= Weight.LASTING or deed.kinds is None:
        return False
    wanted = required_names(deed, objects)
    if deed.name == "installs" and any(_is_other_package(one, deed, wanted) for one in requests):
        return True
    if deed.name == "kills" and wanted:
        ports = {port for one in requests for port in _PORT.findall(one.sentence)}
        if ports and ports.isdisjoint(name.text for name in wanted):
            return True
    # Who says "tmp" names no file below it.
    whole = deed.name in WHOLES
    called = [Name(name.text.rstrip("/").rsplit("/", 1)[-1]) if whole else name for name in wanted]
    return any(
        any(is_named_in(name, one.head) for name in called)
        and not all(is_named_in(name, one.sentence) for name in wanted)
        for one in requests
    )


def _is_other_package(one: Request, deed: Deed, wanted: Sequence[Name]) -> bool:
    """Whether the user named a package, and the call has others alone."""
    words = words_of(one.head)
    chosen = (
        bool(words)
        and not is_kind(words[-1], deed, NOTHING)
        and words[-1] not in _REQUESTS_W.pronouns
    )
    updates = len(words) == 1 and one.verb.startswith("updat")
    told = chosen and bool(wanted) and (updates or _P.installs.match(one.verb) is not None)
    last = [Name(name.text.rsplit("/", 1)[-1]) for name in wanted if name.text.startswith("@")]
    return told and not any(is_named_in(name, one.sentence) for name in (*wanted, *last))


def goes_to(one: Request, deed: Deed, objects: Objects) -> bool:
    """Whether the clause says by a path where it goes, and that is where the call puts it."""
    reaches = deed.name in _REACHING and not _P.general.match(one.verb)
    if not reaches and deed.name not in _DESTINED:
        return False
    said = [path.rstrip(".,") for path in _TO.findall(one.place) if NAMELIKE.search(path)]
    return any(is_named_in(name, path) for name in objects.names for path in said)


def edits_source(verb: str, after: str, deed: Deed) -> bool:
    """Whether it asks for an edit of the project's texts: "update the chart", "set the tag in
    values.yaml", "add the key to the schema"."""
    if deed.sources is None or not _P.edits.match(verb):
        return False
    thing = _P.preposition.split(after, maxsplit=1)[0]
    inside = [one[1] for one in _P.inside.finditer(after)]
    lasts = (words[-1] for one in (thing, *inside) if (words := words_of(one)))
    return any(deed.sources.fullmatch(one) for one in lasts)


def names_more(one: Request, objects: Objects) -> bool:
    """Whether the clause has a name that the call has not: "drop import_24 in catalog_dev"."""
    ended = _P.clause_end.search(one.place)
    clause = f"{one.head} {one.place[: ended.start()] if ended else one.place}"
    said = [word.strip(".'\"`!?():") for word in clause.split()]
    text = objects.text.casefold()
    return any(NAMELIKE.search(word) and word.strip("/~") not in text for word in said)
