"""What a message of the user's asks for: the verb of a request, what it is about, and what the
message says of the work as a whole. A question, a quotation, a plan and what somebody did ask for
nothing."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import islice

from automode.core.transcript import Entry, UserMessage
from automode.judge.consent.objects import NOTHING, Name, Objects, speaks_of
from automode.judge.deeds import Deed
from automode.judge.words import patterns, word_lists

_P = patterns("requests")
_W = word_lists("requests")
NEAR = 48
REACH = 32  # of a word that forbids
LONGEST_SENTENCE = 400
LONGEST_HEAD = 90
_ENDS = re.compile(r"[.!?;](?=\s|$)|\n|[\u3002\uff01\uff1f\uff1b]")
_STOPS = re.compile(r"[.!?;\n]")
_ENDED = re.compile(r"\s*(?:$|[.,;!?\n])")
_PLEASE = re.compile(r"\s*(?:please|pls|plz|bitte)\b", re.IGNORECASE)
# This machine as an address, and nothing on it.
_HERE = re.compile(r"(?i)(?:\w+://)?(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?/?")
SHORT = 40
LONGEST_LIMIT = 600  # in a long text `only` is about something else
MOST_MESSAGES = 40
LONGEST_MESSAGE = 6_000
MOST_KEPT = 64  # sessions whose words are kept as they were worked out
MOST_HEARD = 16_384  # pairs of a deed and a message of which is kept what it says
MOST_REQUESTS = 12


class Said(Enum):
    REQUEST = "request"
    DENIAL = "denial"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Request:
    """Both without regard to case. `head`: what the verb is about, as far as it follows at once."""

    verb: str
    head: str
    sentence: str
    place: str  # what follows the head: "from the diagram"
    more: str  # further things, where the head goes on with "and its branch"
    before: str  # the acceptable rest of the message: what a pronoun may stand for


def said_by(message: str, found: re.Match[str], *, anywhere: bool) -> Said:
    """What a verb says where it stands in a message."""
    before = message[max(0, found.start() - NEAR) : found.start()]
    after = message[found.end() : found.end() + NEAR]
    start, end = sentence_around(message, found.start())
    sentence = message[start:end]
    if _P.article.search(before) and _P.thing.match(after):
        return Said.NOTHING
    forbids = None if _P.inside.search(before) else _forbids(before, found[0], sentence, after)
    if forbids or _P.after_not.match(after):
        return Said.DENIAL
    if forbids is False or _P.begins.search(message, end) or is_question(sentence):
        return Said.NOTHING
    if _put_off(message, start, end, found):
        return Said.NOTHING
    if anywhere or _stands_as_verb(message, found, before, after):
        return Said.REQUEST
    return Said.NOTHING


def _forbids(before: str, verb: str, sentence: str, after: str = "") -> bool | None:
    """Whether a word before the verb forbids it; None where there is none. A statement of how
    things are does not forbid, and neither does a question that asks for a reason: but who makes
    one asks for nothing."""
    if _P.mine.search(before):
        return True
    found: bool | None = None
    for one in _P.negator.finditer(before + verb):
        if one.end() > len(before):
            break
        between = before[one.end() :]
        told = f"{before[: one.start()]}<{one[0]}>{between}"
        if len(between) > REACH or _STOPS.search(between) or _P.apart.search(told):
            continue
        if _P.ended.search(f"{told}[{verb}]{after}"):
            continue
        word = one[0].casefold()
        past = word == "not" and not between.strip() and _P.done.search(verb)
        wonders = word not in _W.beside and _P.wonders.match(sentence)
        if not (past or wonders or _P.tells.search(told)):
            return True
        found = False
    return found


def request(message: str, found: re.Match[str]) -> Request:
    start, end = sentence_around(message, found.start())
    after = _P.quoted.sub(" it ", message[found.end() : end])[:LONGEST_HEAD]
    after = _P.particles.sub("", after)
    ended = _P.head_end.search(after)
    head = after[: ended.start()] if ended else after
    rest = [one for one in sentences(message) if not puts_off(one)]
    return Request(
        found[0].casefold(),
        head.strip().rstrip(".!?").casefold(),
        message[start:end].casefold(),
        after[ended.start() :].casefold() if ended else "",
        _more(after[ended.start() :] if ended else "").casefold(),
        "\n".join(rest).casefold(),
    )


def _more(text: str) -> str:
    found = _P.further.match(text)
    if found is None:
        return ""
    ended = _P.head_end.search(found[1])
    return found[1][: ended.start()] if ended else found[1]


def sentences(message: str) -> list[str]:
    return [one for one in re.split(r"(?<=[.!?;])\s+|\n+", message) if one.strip()]


def puts_off(sentence: str) -> bool:
    """Whether it speaks of another time, or of what is not to be done."""
    return bool(_P.later.search(sentence) or _forbids(sentence[-NEAR:] + " ", "", sentence))


def sentence_around(message: str, place: int) -> tuple[int, int]:
    first, last = max(0, place - LONGEST_SENTENCE), place + LONGEST_SENTENCE
    start = first
    for found in _ENDS.finditer(message, first, place):
        start = found.end()
    ended = _ENDS.search(message, place, last)
    return start, ended.end() if ended else min(last, len(message))


def is_question(sentence: str) -> bool:
    if _P.asks.match(sentence) or _P.either.search(sentence):
        return True
    if not sentence.rstrip().endswith(("?", "\uff1f")):
        return False
    return _P.polite.search(sentence) is None or _P.advice.search(sentence) is not None


def _put_off(message: str, start: int, end: int, found: re.Match[str]) -> bool:
    """Whether the clause is about another time, or waits for somebody else."""
    comma = max(message.rfind(",", start, found.start()), start)
    following = message.find(",", found.end(), end)
    clause = message[comma : following if following >= 0 else end]
    if _P.later.search(clause):
        return True
    for one in _P.condition.finditer(message, start, end):
        # A condition in a later clause of its own is about something else.
        apart = one.start() > found.end() and "," in message[found.end() : one.start()]
        if not apart and (one[1] is None or _waits(one[1])):
            return True
    return False


def _waits(condition: str) -> bool:
    """Whether a condition is somebody else's to fulfil."""
    somebody = re.match(r"\s*[A-Z][a-zé]+\b", condition)
    return bool(somebody or _P.not_ours.search(condition) or _P.later.search(condition))


def _stands_as_verb(message: str, found: re.Match[str], before: str, after: str) -> bool:
    """Whether the word stands where a request has its verb. "The reset page" asks for nothing, and
    neither does what somebody did. Other scripts than Latin have no such places."""
    if message.lstrip().startswith("/") or not found[0][:1].isascii():
        return True
    line = message[message.rfind("\n", 0, found.start()) + 1 : found.start()]
    if line.lstrip().startswith(">") or _is_quoted(line, message[found.end() :]):
        return False  # somebody else's words
    code = after.startswith(("(", "/", ".")) and after[1:2].strip() != ""
    code = code or (before[-1:] == "." and before[-2:-1].isalnum())  # a method: `router.push`
    if code or _P.done.search(found[0]) or _P.thing.match(after) or _P.subject.match(after):
        return False
    if _P.others_do.search(found[0]) and not _P.including.search(before):
        return False
    if _P.maybe.search(before) or _P.for_code.search(before):
        return False
    last = found[0].endswith("en") and _ENDED.match(after)  # where German has its infinitives
    if last or _PLEASE.match(after):
        return True
    if _P.together.search(before):
        start, end = sentence_around(message, found.start())
        return _P.please.search(message, start, end) is not None
    line = re.split(r"[.!?;:,](?=\s)", line)[-1]
    return bool(_P.place.search(before) or _P.fronted.fullmatch(line)) or found.start() == 0


def _is_quoted(line: str, rest: str) -> bool:
    if any(line.count(mark) % 2 for mark in '`"') or line.count("“") > line.count("”"):
        return True
    return re.search(r"(?:^|\s)'[^']*$", line) is not None and "'" in rest[:LONGEST_SENTENCE]


def words_of(head: str) -> list[str]:
    words = [word.strip(".'\"`!?") for word in re.findall(r"(?<!\S)[^\s,;()-][^\s,;()]*", head)]
    while words and words[-1] in _W.adverbs:
        words.pop()
    return words


def is_kind(word: str, deed: Deed, objects: Objects) -> bool:
    if deed.kinds is not None and deed.kinds.fullmatch(word):
        return True
    return speaks_of(objects.kinds, word)


def required_names(deed: Deed, objects: Objects) -> list[Name]:
    return [
        name
        for name in objects.names
        if name.firm
        or not (_HERE.fullmatch(name.text) or (deed.free and deed.free.fullmatch(name.text)))
    ]


def only_looks(message: str) -> bool:
    """Whether all that the user wants is to learn what a project is."""
    short = len(message) <= LONGEST_LIMIT
    return short and bool(_P.looks.search(message)) and not _P.does.search(message)


def affirms(message: str) -> bool:
    return _P.bare.match(message) is not None


def agrees(message: str) -> bool:
    """Whether a short message says yes to what was said just before, and puts nothing before it."""
    short = len(message) <= SHORT * 2 and not message.rstrip().endswith("?")
    plain = short and _P.agreed.search(message) is not None
    return plain and not (_P.doubts.search(message) or puts_off(message) or takes_back(message))


def takes_back(message: str) -> bool:
    """Whether it stops, or puts something before, what was asked for earlier."""
    return _P.halts.search(message) is not None


def halts(message: str) -> bool:
    """Whether it says nothing but that."""
    return _P.bare_halt.search(message) is not None and "then" not in message


def doubts(message: str) -> bool:
    """Whether a short answer has a word in it that may take back what was asked for earlier."""
    if len(message) > SHORT or not _P.doubts.search(message):
        return False
    return "?" not in message or _P.suggests.search(message) is not None


@dataclass(frozen=True, slots=True)
class UsersWords:
    messages: tuple[str, ...]
    said: str  # all of them, without regard to case
    limited: bool  # the last one asks for one thing and nothing beside it
    no_change: bool  # the last one wants nothing changed
    looks: bool = False  # all of them only want to learn what a project is


def users_words(entries: Iterable[Entry]) -> UsersWords:
    """Each message is cut: consent stands at the beginning or the end of a text."""
    said = [one for one in entries if isinstance(one, UserMessage)]
    return _work_out(tuple([_cut(_with_referent(one)) for one in said[-MOST_MESSAGES:]]))


# They are the same for all calls until the user speaks again.
@lru_cache(maxsize=MOST_KEPT)
def _work_out(messages: tuple[str, ...]) -> UsersWords:
    last = messages[-1] if messages else ""
    short = len(last) <= LONGEST_LIMIT
    return UsersWords(
        messages,
        "\n".join(messages).casefold(),
        limited=short and _is_limited(last),
        no_change=(short and _P.no_change.search(last) is not None) or halts(last),
        looks=bool(messages) and all(map(only_looks, messages)),
    )


def _is_limited(message: str) -> bool:
    """Whether it asks for one thing and nothing beside it."""
    return any(
        not _P.unlimited.search(f"{message[: one.start()]}<{one[0]}>{message[one.end() :]}")
        for one in _P.limited.finditer(message)
    )


# `commit/push` is no path.
_JOINED = re.compile(
    r"(?i)(?<![\w/.-])(commit|push|merge|tag)\s*[/&]\s*(commit|push|pr|tag)(?![\w/.-])"
)


def _with_referent(message: UserMessage) -> str:
    """A bare yes says what it answers."""
    bare = message.referent and affirms(message.text)
    return f"yes: {message.referent}" if bare else _JOINED.sub(r"\1 and \2", message.text)


def _cut(text: str) -> str:
    half = LONGEST_MESSAGE // 2
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:half]}\n{text[-half:]}"


# What it asks for, whether it forbids, and the sentences that have a word for it.
_Statements = tuple[tuple[Request, ...], bool, tuple[str, ...]]


# Every later call of a session is held against the same messages.
@lru_cache(maxsize=MOST_HEARD)
def statements_about(deed: Deed, message: str) -> _Statements:
    denied = False
    requests: list[Request] = []
    sentences: list[str] = []
    for found in deed.asked.finditer(message) if deed.asked else ():
        said = said_by(message, found, anywhere=deed.anywhere)
        denied = denied or (said is Said.DENIAL and _denies(deed, message, found))
        if said is Said.REQUEST and len(requests) < MOST_REQUESTS:
            requests.append(request(message, found))
        if len(sentences) < MOST_REQUESTS:
            start, end = sentence_around(message, found.start())
            sentences.append(message[start:end].casefold())
    return tuple(requests), denied, tuple(sentences)


@lru_cache(maxsize=MOST_HEARD)
def requests_with(words: frozenset[str], message: str) -> tuple[Request, ...]:
    """What a message asks for in these very words."""
    pattern = re.compile(rf"(?i)(?<![\w-])(?:{'|'.join(map(re.escape, sorted(words)))})(?![\w-])")
    found = pattern.finditer(message) if words else ()
    return tuple(
        request(message, one)
        for one in islice(found, MOST_REQUESTS)
        if said_by(message, one, anywhere=False) is Said.REQUEST
    )


def _denies(deed: Deed, message: str, found: re.Match[str]) -> bool:
    """A broad verb forbids only what it is said of, and one for more than the deed does not forbid
    it: "no PR, just a commit"."""
    if deed.implied is not None and deed.implied.fullmatch(found[0]):
        return False
    light = deed.kinds is not None and _P.light.fullmatch(found[0]) is not None
    if not (deed.broad or light):
        return True
    words = words_of(request(message, found).head)
    if not deed.broad and (not words or words[0] in _W.pronouns):
        return True
    return bool(words) and is_kind(words[-1], deed, NOTHING)
