"""Whether the latest message tells to do what a call does, word by word: the verb means the same,
each word of the instruction is used by the call, and each name of the call is said. What has a word
that nobody knows is no such instruction, so another object, a condition or a question is none."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from automode.judge.consent.about import WHOLES, edits_source, is_another_command
from automode.judge.consent.objects import Name, Objects, is_named_in, same_environment
from automode.judge.consent.requests import (
    MOST_HEARD,
    Said,
    is_question,
    puts_off,
    required_names,
    said_by,
    sentence_around,
    sentences,
)
from automode.judge.deeds import IN_SERVICE, Deed
from automode.judge.words import expand, patterns, read_words, word_lists, word_table

_W = word_lists("meanings")
_OBJECTS_P = patterns("objects")
LONGEST = 400  # a longer message tells of more than one thing
MOST_WORDS = 14  # of a message without a verb
LEAST_USED = 2  # of them, and of the parts of a name
LEAST_STEM = 3
EARLIER = 4  # messages in which a name may have been said, the latest among them
_REACHING = frozenset({"remove", "publish"})
_SEPARATES = re.compile(
    r"\s*(?:[,;()\n]|:(?=\s))+\s*|(?<=\w)(?<!incl)[.!?]+(?:\s+|$)|\s+[\u2013\u2014-]+\s+"
    r"|\s+(?:and|then|und|y|et|и)\s+|\s+(?=(?:so (?:that|i|we|it)|because|since|cuz)\s)"
)
_JOINS = re.compile(r"\s+(?:and|then|und|y|et|и)\s+")
_WORD = re.compile(r"[^\s,;:()!?\"“”]+")
_PARTS = re.compile(r"[^\W_]+")
_NAMELIKE = re.compile(r"\d|\w[_/@.-]\w|#\w")
_NUMBERS = "zero one two three four five six seven eight nine ten".split()
_ENDING = re.compile(r"(?:'s|es|s|ed|ing|e)$")
# "The css in main.css" is a part of the file.
_CONTENTS = re.compile(r"\w\s+(?:in|from|of|inside|within|at)\s+(?:the |my |our )?\S*[./_-]")
_PACKAGES = frozenset("installs installs-globally runs-fetched".split())
LONGEST_ENDING = 4
# Deeds of many kinds: what the call's own words mean says which.
_MANY = frozenset(
    "deploys changes-service grants accounts services administers-forge acts-remotely changes-here"
    " acts-unknown configures changes-unnamed deletes-in-service sends remote-shell writes-forge"
    " changes-database permits starts-workflow runs-unnamed".split()
)
_RUNS = frozenset({"runs-unnamed", "acts-unknown"})
# What `needs` asks for has to be said whatever is named.
_STRICT = frozenset(
    "pushes-main deletes-remote removes-volumes selects-environment opens-request"
    " reads-secret".split()
)
_FRESH = frozenset({"publish", "create", "install", "copy"})
_COMPARES = re.compile(
    r"[<>]|\b(?:m?time|older|newer|before|after|since|until|interval|age|days?)\b|min\b"
)
_DESCRIBES = re.compile(r"\b(?:is|was|are|were|has|had|have|ist|war|es|era)\s+(?:only|nur|solo)\b")
_VERSION = re.compile(r"^v(?=\d)")
_ONE = re.compile(r"\b(that|this|the|these|those) ones?\b")
# Somebody else's words.
_REPORTS = re.compile(
    r"(?i)\b(?:sa(?:id|ys?)|told|tells|wrote|writes|suggest\w*|claim\w*|wants?)\b"
)
_QUOTES = re.compile(r"[\"“”`>]|(?:^|\s)'")


@dataclass(frozen=True, slots=True)
class Instruction:
    """`verb`: empty where none is said. `words`: the others, in small letters."""

    verb: str
    meanings: frozenset[str]
    words: tuple[str, ...]

    @property
    def points(self) -> bool:
        """Whether it speaks of what was named before."""
        return not (_W.singular | _W.plural).isdisjoint(self.words)


@cache
def _meanings() -> Mapping[str, re.Pattern[str]]:
    rows = read_words("meanings")
    return {
        name: re.compile(rf"(?i)(?<![\w./-])(?:{expand(row['said'], {})})(?![\w/-]|\.\w)")
        for name, row in rows.items()
        if "said" in row
    }


@cache
def _by_word() -> Mapping[str, frozenset[str]]:
    """What the words of commands mean."""
    found: dict[str, set[str]] = {}
    for name in _meanings():
        for word in read_words("meanings")[name]["does"].split():
            found.setdefault(word, set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


@cache
def _by_deed() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name in _meanings():
        for deed in read_words("meanings")[name]["deeds"].split():
            found.setdefault(deed, set()).add(name)
    return {deed: frozenset(names) for deed, names in found.items()}


def instruction_for(deed: Deed, messages: Sequence[str], objects: Objects) -> Instruction | None:
    """What of the latest message tells to do it. `messages` are the user's, oldest first."""
    if not objects.whole or not messages or len(messages[-1]) > LONGEST:
        return None
    wanted = _means(deed, objects)
    told, denied = _instructions(messages[-1])
    if denied & wanted:
        return None
    said = frozenset[str]().union(*(one.meanings for one in told))
    if _goes_further(objects, said, messages[-1]):
        return None
    fitting = (one for one in told if one.meanings & wanted or (wanted and not one.meanings))
    return next((one for one in fitting if _is_it(one, deed, messages, objects)), None)


def _means(deed: Deed, objects: Objects) -> frozenset[str]:
    own = _by_deed().get(deed.name, frozenset())
    if deed.name not in _MANY:
        return own
    text = objects.text.casefold()
    if not objects.programs and not _OBJECTS_P.any_statement.search(text):
        text = text.partition(" ")[0]  # a tool's name says what it does, and not what it is given
    words = [part for part in re.split(r"[^\w-]+", text) if part]
    heads = [*words, *(part for word in words for part in re.split(r"[_-]+", word))]
    found = frozenset[str]().union(*(_by_word().get(word, frozenset()) for word in heads))
    return found | own if deed.name in _RUNS else found or own


def _goes_further(objects: Objects, said: frozenset[str], message: str) -> bool:
    """Whether an option removes or sends something, and the message has no word for that."""
    for option in re.findall(r"(?<!\S)--([a-z][a-z-]*)", objects.text):
        means = frozenset[str]().union(
            *(_by_word().get(part, frozenset()) for part in option.split("-"))
        )
        means &= _REACHING
        if means and not means & said and option not in message.casefold():
            return True
    return False


@lru_cache(maxsize=MOST_HEARD)
def _instructions(message: str) -> tuple[tuple[Instruction, ...], frozenset[str]]:
    """What a message tells to do, and what it says not to do."""
    orders: dict[int, tuple[re.Match[str], frozenset[str]]] = {}
    denied = frozenset[str]()
    verbs = _verbs(message)
    for start, (found, meanings) in verbs.items():
        said = said_by(message, found, anywhere=False)
        if said is Said.DENIAL:
            denied |= meanings
        elif said is Said.REQUEST or _begins(message, found):
            orders[start] = (found, meanings)
    pieces = list(_pieces(message, orders))
    rest = [text for start, text in pieces if not _orders_in(start, text, orders)]
    if any(not _W.against.isdisjoint(_words(_DESCRIBES.sub("", text))) for text in rest):
        return (), denied
    every = frozenset[str]().union(*(meanings for _, meanings in verbs.values()))
    return (*_told(pieces, orders), *_without_verb(message, every)), denied


def _begins(message: str, found: re.Match[str]) -> bool:
    """Whether a clause that is no question begins with the verb, whatever follows it: each word of
    the clause has to be used by the call."""
    start, end = sentence_around(message, found.start())
    sentence = message[start:end]
    if sentence.rstrip().endswith("?") or is_question(sentence) or puts_off(sentence):
        return False
    if _QUOTES.search(message) or _REPORTS.search(message[start : found.start()]):
        return False
    clause = _SEPARATES.split(message[start : found.start()])[-1]
    return all(word in _W.fill for word in _words(clause))


def _verbs(message: str) -> dict[int, tuple[re.Match[str], frozenset[str]]]:
    """By where they stand: the longest one, and all that it may mean."""
    verbs: dict[int, tuple[re.Match[str], frozenset[str]]] = {}
    for name, pattern in _meanings().items():
        for found in pattern.finditer(message):
            known, meanings = verbs.get(found.start(), (found, frozenset[str]()))
            longest = found if found.end() > known.end() else known
            verbs[found.start()] = (longest, meanings | {name})
    return verbs


def _pieces(
    message: str, orders: Mapping[int, tuple[re.Match[str], frozenset[str]]]
) -> Iterator[tuple[int, str]]:
    """Clauses with where they begin. "And" begins one where a verb follows."""
    last = 0
    for found in _SEPARATES.finditer(message):
        if _JOINS.fullmatch(found[0]):
            following = _WORD.finditer(message, found.end())
            first = next((one for one in following if one[0].casefold() not in _W.fill), None)
            if first is None or first.start() not in orders:
                continue
        if message[last : found.start()].strip():
            yield last, message[last : found.start()]
        last = found.end()
    if message[last:].strip():
        yield last, message[last:]


def _orders_in(
    start: int, text: str, orders: Mapping[int, tuple[re.Match[str], frozenset[str]]]
) -> list[int]:
    return [place for place in orders if start <= place < start + len(text)]


def _told(
    pieces: Sequence[tuple[int, str]],
    orders: Mapping[int, tuple[re.Match[str], frozenset[str]]],
) -> Iterator[Instruction]:
    """Each verb with the words of its clause, and of those beside it that tell nothing."""
    open_words: list[str] = []
    verb, meanings = "", frozenset[str]()
    for start, text in pieces:
        places = _orders_in(start, text, orders)
        words = _words(text)
        if places:
            if verb:
                yield Instruction(verb, meanings, tuple(open_words))
                open_words = []
            found, meanings = orders[min(places)]
            verb = found[0].casefold()
            before = _words(text[: found.start() - start])
            after = _words(text[found.start() - start + len(verb.split()[0]) :])
            open_words += [*before, *after]
        elif not _is_apart(words):
            open_words += words
        elif verb:
            yield Instruction(verb, meanings, tuple(open_words))
            verb, open_words = "", []
        else:
            open_words = []
    if verb:
        yield Instruction(verb, meanings, tuple(open_words))


def _is_apart(words: Sequence[str]) -> bool:
    """Whether a clause tells why, or is about other work."""
    content = [word for word in words if word not in _W.fill or word in _W.subjects]
    if not content:
        return False
    first = content[0]
    tells = not _W.tells.isdisjoint(words) or (first in _W.subjects and len(content) > 1)
    return tells or first in _W.others or (first.endswith("ed") and len(content) > 1)


def _without_verb(message: str, meanings: frozenset[str]) -> Iterator[Instruction]:
    """The whole of a short message, whatever stands for its verb."""
    words = _words(message)
    whole = len(words) <= MOST_WORDS and "?" not in message and not is_question(message)
    if whole and not _QUOTES.search(message):
        yield Instruction("", meanings, tuple(words))


def _words(text: str) -> list[str]:
    text = _ONE.sub(r"\1", text.casefold())
    words = (one.strip(".'`<>[]{}*…") for one in _WORD.findall(text))
    return [one for one in words if re.search(r"\w", one)]


def _is_it(one: Instruction, deed: Deed, messages: Sequence[str], objects: Objects) -> bool:
    known = _vocabulary(objects.whole, objects.programs)
    # What says how it is done is no name.
    names = [name for name in required_names(deed, objects) if name.text not in _by_word()]
    content = _content(one, objects)
    used = known if names else _vocabulary(objects.text, objects.programs)
    wanted = _means(deed, objects)
    if not all(
        _is_spelled(word, used)
        or (one.verb and (_is_kind(word, deed, objects) or _verb_means(word) & wanted))
        for word in content
    ):
        return False
    if is_another_command(one.verb, (*one.verb.split(), *one.words), objects):
        return False
    text = " ".join(one.words)
    if edits_source(one.verb, text, deed):
        return False
    if deed.name in WHOLES and _CONTENTS.search(text):
        return False
    unsaid = [name for name in names if not _is_said(name, text, one.words, deed, objects)]
    if not one.verb and (unsaid or len(content) < LEAST_USED):
        return False
    if not names and not content:
        return False
    strict = deed.name in _STRICT or not names
    context = "\n".join(messages[-EARLIER:]).casefold()
    if strict and deed.needs is not None and not deed.needs.search(context):
        return False
    if not unsaid:
        return True
    kinds = all(_is_kind(word, deed, objects) for word in content)
    return (
        deed.name not in WHOLES
        and _points(one, unsaid, kinds=kinds)
        and _is_meant(unsaid, messages, deed, objects)
    )


def _content(one: Instruction, objects: Objects) -> list[str]:
    """The words that the call has to have."""
    light = _W.fill | _W.states
    light |= _W.fresh if one.meanings & _FRESH else frozenset()
    light |= _W.compares if _COMPARES.search(objects.text) else frozenset()
    return [word for word in one.words if word not in light]


def _points(one: Instruction, unsaid: Sequence[Name], *, kinds: bool) -> bool:
    """Whether it speaks of what was named before, and of as many things. A place needs no word."""
    things = [name for name in unsaid if not name.location]
    if not things or not _W.plural.isdisjoint(one.words):
        return True
    single = not _W.singular.isdisjoint(one.words)
    return len(things) == 1 and (single or (kinds and _W.states.isdisjoint(one.words)))


def _is_kind(word: str, deed: Deed, objects: Objects) -> bool:
    """Whether it is what people call such a thing. A tool says itself which kind it is."""
    if word in _W.channels:
        return False
    singular = word.removesuffix("s")
    kinds = deed.kinds
    if kinds is not None and kinds.fullmatch(word):
        same = word_table("needs", "same")
        given = {kind.removesuffix("s") for kind in objects.kinds if kinds.fullmatch(kind)}
        own = {word for kind in given for word in same.get(kind, (kind,))}
        return deed.name not in IN_SERVICE or not own or singular in own
    called = word_table("meanings", "called")
    return any(singular in called.get(one, ()) for one in objects.programs)


def _is_meant(
    unsaid: Iterable[Name],
    messages: Sequence[str],
    deed: Deed,
    objects: Objects,
) -> bool:
    """Whether what was told before names the rest, and the last to name anything names no other."""
    known = _vocabulary(objects.whole, objects.programs)
    told = [part.casefold() for text in messages[-EARLIER:] for part in sentences(text)]
    if not all(
        any(_is_said(name, text, _words(text), deed, objects) for text in told) for name in unsaid
    ):
        return False
    for text in reversed(told):
        names = [word for word in _words(text) if _NAMELIKE.search(word)]
        if names:
            return all(_is_spelled(word, known) for word in names)
    return True


@lru_cache(maxsize=MOST_HEARD)
def _verb_means(word: str) -> frozenset[str]:
    return frozenset(name for name, said in _meanings().items() if said.fullmatch(word))


def _is_spelled(word: str, known: frozenset[str]) -> bool:
    parts = _PARTS.findall(word)
    return bool(parts) and all(
        not known.isdisjoint({_stem(part), *map(_stem, same_environment(part))})
        or (part in _NUMBERS and str(_NUMBERS.index(part)) in known)
        for part in parts
    )


@lru_cache(maxsize=256)
def _vocabulary(text: str, programs: frozenset[str]) -> frozenset[str]:
    """The parts of all words of the call, and what people call the things of its programs."""
    words = [
        part
        for word in _PARTS.findall(text)
        for part in (word, *re.findall(r"[A-Z]?[a-z]+|\d+", word))
    ]
    called = word_table("meanings", "called")
    for program in {*programs, *(word.casefold() for word in words)}:
        words += called.get(program, ())
    return frozenset(_stem(word.casefold()) for word in words)


def _is_said(name: Name, text: str, words: Sequence[str], deed: Deed, objects: Objects) -> bool:
    """By its name, or by the parts that tell it from others: what stands in front of it may be left
    out, what stands behind it may not."""
    plain = replace(name, text=_VERSION.sub("", name.text))
    if is_named_in(name, text) or is_named_in(plain, text):
        return True
    if name.firm or deed.name in _PACKAGES:
        return False
    bare = name.text.casefold().rpartition("://")[2].rstrip("/").removesuffix(".git")
    last = bare if ":" in bare else bare.rsplit("/", 1)[-1]
    stem, dot, ending = last.rpartition(".")
    short = dot and ending.isalpha() and len(ending) <= LONGEST_ENDING
    parts = _PARTS.findall(stem if short else last)
    known = set(map(_singular, parts))
    spoken = ({_singular(part) for part in _PARTS.findall(word)} for word in words)
    # "Orders_tmp" says nothing of `orders`.
    said = {part for some in spoken if len(some) == 1 or some <= known for part in some}
    flags = [not said.isdisjoint({_singular(part), *same_environment(part)}) for part in parts]
    if not flags or not flags[-1]:
        return False
    first = flags.index(True)
    front = parts[:first]
    if not all(flags[first:]) or any(same_environment(part) or part.isdigit() for part in front):
        return False
    telling = [part for part, flag in zip(parts, flags, strict=True) if flag and not part.isdigit()]
    usual = _W.prefixes | {*_PARTS.findall(objects.here)}
    many = len(telling) >= LEAST_USED and ":" not in bare
    return many or (bool(telling) and usual.issuperset(front))


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > LEAST_STEM else word


@lru_cache(maxsize=MOST_HEARD)
def _stem(word: str) -> str:
    shorter = _ENDING.sub("", word, count=1)
    word = shorter if len(shorter) >= LEAST_STEM else word
    return f"{word[:-1]}i" if word.endswith("y") else word
