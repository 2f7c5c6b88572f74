"""What a message of the user's asks for: the verb of a request, what it is about, and what the
message says of the work as a whole. A question, a quotation, a plan and what somebody did ask for
nothing."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from automode.core.transcript import Entry, UserMessage
from automode.judge.deeds import Deed
from automode.judge.objects import NOTHING, Name, Objects, speaks_of

NEAR = 48
LONGEST_SENTENCE = 400
LONGEST_HEAD = 90

# Typed with a straight or a curly apostrophe, or without one.
_APOSTROPHE = "['\u2019]?"


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("@", _APOSTROPHE), re.IGNORECASE)


_NOT = _words(
    r"(?:\b(?:do(?:es)?\s*n[o']?t|don@t|never|(?<!if )not|no(?!\s*,)|nothing|without|avoid|"
    r"stop(?=\s+\w+ing)|instead of|rather than|before|hold off|wait (?:with|before)|mustn@t|"
    r"must not|nobody|no one|"
    r"refus\w*|forb\w*|prohibit\w*|explain|ask me|shouldn@t|can@t|only(?=\s+\w)|nicht|kein\w*|ohne|"
    r"nie|nunca|sin|ne|jamais|sans|não|bez)\b|不要|别|しない|не\b|без\b|нельзя)"
    r"[^.!?;\n]{0,32}$|\bi(?:@ll| will|@m going to| am going to)\s*$"
)
_AFTER_NOT = _words(
    r"^\w*\s*(?:\?\s*no\b|[=:]?\s*(?:forbidden|prohibited|no\b|never|not)|(?:it |them )?yourself|"
    r"(?:it |them )?myself|manually|isn@t|is (?:not|my|our|done|up to)|by (?:me|us)|later|"
    r"after (?:i|we|review)|only (?:after|when|if)|don@t\b|nichts?\b|nada\b|rien\b)\b"
)
_PLACE = _words(
    r"(?:^|[.!?;:,(\n\-*•>+]|\b(?:and|but|only|then|please|pls|plz|also|now|to|you|just|let@?s|"
    r"let us|can|could|should|must|may|ahead|ok(?:ay)?|yes|yeah|yep|sure|so|next|finally|"
    r"afterwards|before|after|first|go|by|try|do|git|terraform|tofu|kubectl|helm|pulumi|docker|"
    r"compose|npm|pnpm|yarn|cargo|gh|prisma|alembic|with|force|kindly|either|or|otherwise|"
    r"und|dann|bitte|jetzt|y|por favor|ahora|et|puis|maintenant|e|pode|i potem))"
    r"\s*(?:\d+[.)]\s*)?$"
)
_DONE = re.compile(r"(?<!^se)(?<!^re-se)(?:ed|done|gone|kept|sent|built)$", re.IGNORECASE)
_OTHERS_DO = re.compile(
    r"[a-z]{2}(?:shes|ches|ys|es|ts|ls|ps|ks|ns|rs|ds)$|(?<!^br)ing$", re.IGNORECASE
)
_MAYBE = _words(
    r"\b(?:we|i|they|he|she|it|one|that|which|who|users?|somebody|someone)\s+"
    r"(?:could|can|might|may|would)\s*$|"
    r"\b(?:how|where|whether|what|when|way|able|about|used|meant|supposed|going|trying|tries|"
    r"wants?(?<!i want)|allowed|permission|need@?n@?t)\s+to\s*$|"
    r"\b(?:whether|how|why|what|which|where|(?:tell|explain|say|show|check|see|find out|look|know|"
    r"confirm|verify|wonder|ask|decide|think|sure)\b[^,;.]{0,16}\b(?:if|when))[^\S\n]+"
    r"(?:(?!(?:and|then|but|please|so)\b)[^\s,;:]*[^\s,;:.!?][^\S\n]+){0,6}$|"
    r"\b(?:verif|check|confirm|see|tell|sure|know|think|ask|say)\w*\b[^,;.]{0,24}\b(?:safe|ok|okay|"
    r"fine|good|wise|better|possible|necessary|allowed)\s+to\s*$|"
    r"\b(?:said|says|told (?:me|us)|wrote|suggests?|claims?|thinks?)\b[^.]{0,30}$"
)
_FOR_CODE = _words(
    r"\b(?:scripts?|migrations?|functions?|methods?|commands?|tests?|workflows?|actions?|buttons?|"
    r"endpoints?|jobs?|helpers?|tools?|code|cli|options?|flags?|handlers?|pages?|hooks?|api|"
    r"features?|plan|steps?|checklist|docs?|guide|menu|link|dialog|form|logic|routes?|class|"
    r"module|component|query|feld|knopf|skript)\b"
    r"[^,;]{0,24}\b(?:to|that|which|who|zum|pour|para|que)\s*(?:\w+\s+)?$"
)
_THING = _words(
    r"[- ]*(?:buttons?|pages?|notif\w*|fields?|dialogs?|forms?|endpoints?|functions?|methods?|"
    r"handlers?|events?|components?|tests?|checks?|steps?|stages?|flags?|options?|modals?|links?|"
    r"the (?:deadline|date|limits?|envelope|boundar\w*|meeting)|back\b|icons?|hooks?|"
    r"apis?|routes?|errors?|logic|flow|code|conflicts?|nothing|downs?)\b(?![/.\w-])"
)
_ASKS = _words(
    r"^\W*(?:why|what|how|when|where|which|who|whose|is|are|am|was|were|does|did|"
    r"do (?:we|i|you|they)|has|have (?:we|you|i|they)|should|"
    r"would(?! (?:you|u) (?!think|say|rather|recommend|suggest|consider|agree|advise))|"
    r"will (?:it|the|this)|isn@t|aren@t|didn@t|doesn@t|any idea|warum|wieso|was|"
    r"wie|wer|wo|welche\w*|por qu[eé]|qu[eé]|cu[aá]nt\w*|pourquoi|"
    r"combien|quel\w*|почему|что|как|为什么)\b"
)
_POLITE = _words(
    r"\b(?:(?:can|could|would|will) (?:you|u|we)|pls|plz|please|go ahead|kannst|könntest|würdest|"
    r"bitte|puedes|podr[ií]as|peux|pourrais|pode|можешь)\b|请"
)
_ADVICE = _words(r"\b(?:advise|suggest|recommend|thoughts|opinion|wonder|think|tell me|explain)\b")
_EITHER = _words(
    r",?\s+or\s+(?:keep|leave|should|do|does|is|are|not|would|can|shall|wait|better|what|rather|"
    r"will|maybe|did)\b[^?]*[?\uff1f]\s*$"
)
_LATER = _words(
    r"\b(?:later|tomorrow|tonight|next (?:week|sprint|month|time|release|year)|yet|eventually|"
    r"some ?(?:day|time)|in the future|follows?|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"(?:i|we|ich|wir|yo|je) (?:do|does|mache?n?|hago|fais)|lo hago yo|mach(?:e|en) (?:ich|wir)|"
    r"lunes|martes|miércoles|jueves|viernes|(?:mon|diens|donners|frei)tag|mittwoch|"
    r"thinking (?:about|of)|maybe|perhaps|probably|morgen|später|nächste\w*|mañana|luego|"
    r"más tarde|demain|plus tard|завтра|позже|потом)\b|明天|以后|稍后|来週|明日|之后"
)
_CONDITION = _words(
    r"\b(?:if|once|when(?:ever)?|after|until|till|unless|as soon as|in case|provided|wenn|falls|"
    r"sobald|nachdem|erst|cuando|si|después|tras|quand|lorsque|après|когда|если|после)\b"
    r"([^.;\n]{0,80})|如果|等"
)
_NOT_OURS = _words(
    r"\b(?:i|i@ve|i@m|we|me|my (?:review|ok|go)|us|review\w*|approv\w*|sign(?:ed|s)?(?: |-)?off|"
    r"confirm\w*|sa(?:y|ys|id)|agree\w*|qa|ci|green|ok from|permission|legal|ops|team|he|"
    r"she|they|her|his|their|release\w*|launch\w*|freeze|meeting|deploy\w*|holiday\w*|merged|weekend|monday|tuesday|"
    r"wednesday|thursday|friday|tomorrow|[a-z]+ (?:is|are|has|have) (?:ready|back|done with)|"
    r"ich|wir|prüfung|freigabe|yo|revis\w*|aprob\w*|apruebe\w*|je|valid\w*|я|провер\w*)\b"
)
# Where what the verb is about comes to its end.
_HEAD_END = re.compile(
    r"[,;()\n]|[.!?:+](?=\s|$)|(?:^|\s)(?:and|then|but|so|because|since|as|that|which|who|where|while|"
    r"before|after|if|when|once|until|unless|in|into|from|of|off|on|onto|to|for|with|within|"
    r"inside|about|regarding|titled|saying|at|by|via|against|under|over|around|through|without|using|instead|und|dann|aber|im|"
    r"aus|von|vom|auf|nach|mit|für|y|en|con|para|et|dans|du|des|sur|avec|pour|и|в|из|на|\u0441)(?=\s|$)|"
    r"\s[\u2013\u2014-]\s",
    re.IGNORECASE,
)
_PARTICLES = re.compile(r"^\s*(?:up|down|out|off|away|back|over|all of|any of)\b(?=\s|$)", re.I)


_QUOTED = re.compile(r"(?<!\w)(?:\"[^\"\n]{3,300}\"|'[^'\n]{3,300}'(?!\w)|“[^”\n]{3,300}”)")


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


# Of a plan that was told before only this is to be done.
_BEGINS = _words(
    r"\b(?:start|begin)(?:ing)? (?:only )?(?:with|at|by|on)\b|\b(?:just|only|now)? ?do "
    r"(?:only |just )?(?:the first|(?:step|number|item|no\.?|#) ?\d)|\bfirst (?:one|step|item) "
    r"(?:only|for now|first)"
)


def said_by(message: str, found: re.Match[str], *, anywhere: bool) -> Said:
    """What a verb says where it stands in a message."""
    before = message[max(0, found.start() - NEAR) : found.start()]
    after = message[found.end() : found.end() + NEAR]
    if _NOT.search(before) or _AFTER_NOT.match(after):
        return Said.DENIAL
    start, end = sentence_around(message, found.start())
    sentence = message[start:end]
    if _BEGINS.search(message, end) or is_question(sentence):
        return Said.NOTHING
    if _put_off(message, start, end, found):
        return Said.NOTHING
    if anywhere or _stands_as_verb(message, found, before, after):
        return Said.REQUEST
    return Said.NOTHING


def request(message: str, found: re.Match[str]) -> Request:
    start, end = sentence_around(message, found.start())
    after = _QUOTED.sub(" it ", message[found.end() : end])[:LONGEST_HEAD]
    after = _PARTICLES.sub("", after)
    ended = _HEAD_END.search(after)
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


_FURTHER = re.compile(
    r"(?:,\s*)?(?:,|\sand|\sund|\sy|\set)\s+(?:also )?((?:the|its|my|our|all|both|their|"
    r"[^\s,]*[\d/._-])[^,;\n]{0,60})",
    re.IGNORECASE,
)


def _more(text: str) -> str:
    found = _FURTHER.match(text)
    if found is None:
        return ""
    ended = _HEAD_END.search(found[1])
    return found[1][: ended.start()] if ended else found[1]


def sentences(message: str) -> list[str]:
    return [one for one in re.split(r"(?<=[.!?;])\s+|\n+", message) if one.strip()]


def puts_off(sentence: str) -> bool:
    """Whether it speaks of another time, or of what is not to be done."""
    return bool(_LATER.search(sentence) or _NOT.search(sentence + " "))


def sentence_around(message: str, place: int) -> tuple[int, int]:
    first, last = max(0, place - LONGEST_SENTENCE), place + LONGEST_SENTENCE
    start = first
    for found in _ENDS.finditer(message, first, place):
        start = found.end()
    ended = _ENDS.search(message, place, last)
    return start, ended.end() if ended else min(last, len(message))


_ENDS = re.compile(r"[.!?;](?=\s|$)|\n|[\u3002\uff01\uff1f\uff1b]")


def is_question(sentence: str) -> bool:
    if _ASKS.match(sentence) or _EITHER.search(sentence):
        return True
    if not sentence.rstrip().endswith(("?", "\uff1f")):
        return False
    return _POLITE.search(sentence) is None or _ADVICE.search(sentence) is not None


def _put_off(message: str, start: int, end: int, found: re.Match[str]) -> bool:
    """Whether the clause is about another time, or waits for somebody else."""
    comma = max(message.rfind(",", start, found.start()), start)
    following = message.find(",", found.end(), end)
    clause = message[comma : following if following >= 0 else end]
    if _LATER.search(clause):
        return True
    for one in _CONDITION.finditer(message, start, end):
        # A condition in a later clause of its own is about something else.
        apart = one.start() > found.end() and "," in message[found.end() : one.start()]
        if not apart and (one[1] is None or _waits(one[1])):
            return True
    return False


def _waits(condition: str) -> bool:
    """Whether a condition is somebody else's to fulfil."""
    somebody = re.match(r"\s*[A-Z][a-zé]+\b", condition)
    return bool(somebody or _NOT_OURS.search(condition) or _LATER.search(condition))


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
    if code or _DONE.search(found[0]) or _OTHERS_DO.search(found[0]) or _THING.match(after):
        return False
    if _MAYBE.search(before) or _FOR_CODE.search(before):
        return False
    last = found[0].endswith("en") and _ENDED.match(after)  # where German has its infinitives
    if last or _PLEASE.match(after):
        return True
    return _PLACE.search(before) is not None or found.start() == 0


_ENDED = re.compile(r"\s*(?:$|[.,;!?\n])")
_PLEASE = re.compile(r"\s*(?:please|pls|plz|bitte)\b", re.IGNORECASE)


def _is_quoted(line: str, rest: str) -> bool:
    if any(line.count(mark) % 2 for mark in '`"') or line.count("“") > line.count("”"):
        return True
    return re.search(r"(?:^|\s)'[^']*$", line) is not None and "'" in rest[:LONGEST_SENTENCE]


_ADVERBS = frozenset(
    "please pls plz now again too also locally remotely completely entirely recursively there here"
    " directly already anyway instead together first everywhere forced just down up off away live"
    " upstream hard soft bitte jetzt weg ab auf ahora ya maintenant".split()
)
PRONOUNS = frozenset(
    "it them this that these those everything whatever all both one ones thing things change"
    " changes work stuff result results rest lot so mine ours es das alles sie eso esto"
    " todo ça cela"
    " tout это всё все".split()
)


def words_of(head: str) -> list[str]:
    words = [word.strip(".'\"`!?") for word in re.findall(r"(?<!\S)[^\s,;()-][^\s,;()]*", head)]
    while words and words[-1] in _ADVERBS:
        words.pop()
    return words


def is_kind(word: str, deed: Deed, objects: Objects) -> bool:
    if deed.kinds is not None and deed.kinds.fullmatch(word):
        return True
    return speaks_of(objects.kinds, word)


def required_names(deed: Deed, objects: Objects) -> list[Name]:
    if deed.free is None:
        return list(objects.names)
    return [name for name in objects.names if name.firm or not deed.free.fullmatch(name.text)]


_BARE = re.compile(
    r"^\W*(?:y|yes|yep|yeah|yup|sure|ok(?:ay)?|k|go(?: ahead| on)?|do (?:it|that|this|so)|proceed|"
    r"continue|please(?: do| continue)?|sounds good|lgtm|perfect|great|good|thanks?|approved?|next|"
    r"keep going|carry on|ja|oui|s[ií]|da|hai|好的?|はい|继续|\d{1,2}|[a-d])"
    r"(?:[\s,.!]+\w+){0,4}\W*$",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"\b(?:only|solely|exclusively|nothing (?:else|more)|no more than|"
    r"anything (?:else|but|except)|leave (?:everything|the rest|all) (?:else )?(?:alone|as)|"
    r"that's (?:it|all)|no changes outside|únicamente|solamente|"
    r"sólo|nur|ausschließlich|seulement|uniquement|apenas|somente|soltanto|только)\b|只",
    re.IGNORECASE,
)
_NO_CHANGE = re.compile(
    r"\bread-?only\b|\b(?:change|modify|edit|touch|write) nothing\b|"
    r"\b(?:no|without(?: any)?) (?:code |file )?(?:changes|edits|modifications)\b|"
    r"\b(?:do not|don['\u2019]?t|dont) (?:change|modify|edit|touch|write) "
    r"(?:anything|any ?thing|any (?:code|files?)|files|code)\b"
    r"(?! (?:else|but|except|other|outside))",
    re.IGNORECASE,
)
_HALT = (
    r"^\W*(?:(?:no|oh|ok(?:ay)?|hey|actually|sorry|please|pls|hm+|but|well|um+|and|yeah|uh)\b\W*)*"
    r"(?:(?:stop|cancel|abort|skip)(?=\W*$|[,.!;:\u2014-]|\s+(?:it|that|this|there|everything|all|"
    r"please|pls|right|for|now|what|doing|working|here|them)\b)|"
    r"(?:leave|keep) (?:it|them|that|this|those)(?=\W*$|[,.!;]|\s+(?:as|for|there|alone|in)\b)|"
    r"wait(?!\s+(?:for|times?)\b)|hold (?:on|off|up|it|your)\b|hang on|pause|halt\b|"
    r"not (?:yet|now|so fast|today)|never ?mind|nvm|forget (?:it|that|about|what)|scratch that|"
    r"let['\u2019]?s not\b|(?:do not|don['\u2019]?t)(?: do)?(?: (?:it|that|so))?(?=\W*$|[,.!;])|"
    r"(?:i|we)(?:['\u2019]ve| have)? changed (?:my|our) minds?|on second thoughts?|"
    r"first(?:ly)?,? (?:show|let|tell|explain|check|look|run|do|make|fix|finish|test|see|read|list|"
    r"give|i|we|please|review|verify|clarify|answer|discuss|wait)\b(?!.*\bthen\b)|"
    r"before (?:that|doing)\b|no(?=\W*$)|nope|scrap (?:it|that)|"
    r"warte|stopp?(?=\W*$)|noch nicht|doch nicht|lass (?:es|das)|espera|todavía no|para(?=\W*$)|"
    r"attends|pas encore|arrête(?=\W*$)|подожди|стоп|не надо)|^\W*(?:等|停|先别|别|待って|まだ)"
)
_HALTS = re.compile(_HALT, re.IGNORECASE)
_BARE_HALT = re.compile(rf"(?:{_HALT})(?:[\s,.!]+[\w'\u2019]+){{0,4}}\W*$", re.IGNORECASE)
_LOOKS = re.compile(r"\b(?:repo(?:s|sitor(?:y|ies))?|code ?base|project)\b", re.IGNORECASE)
_DOES = re.compile(
    r"\b(?:run|build|test|install|fix|add|mak|writ|chang|updat|refactor|implement|creat|set ?up|"
    r"start|execut|improv|compil|lint|verif|try|deploy|commit|push|get|debug|reproduc|remov|delet|"
    r"mov|ensur|sure|pass|bench|do (?:it|the|this|that|not|a)|if|init|new|fork|publish|releas|"
    r"migrat|convert|upgrad|bump|config|clean|renam|continu|need|want|should|must|error|fail|bug|"
    r"broken|work)\w*",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\b(?:no|not|\w+n['\u2019]t|dont|stop|wait|hold|pause|halt|cancel|abort|later|yet|myself|"
    r"rather|never ?mind|keep(?! going| on)|still need|before|unsure|think about|doubt\w*|wrong|"
    r"mistake|ignore (?:it|that)|take (?:it|over) from here|alone|postpone|undo|meant|"
    r"decided against|nicht|nein|noch|warte|espera|todavía|pas|attends|нет|не|подожди)\b|别|不|等",
    re.IGNORECASE,
)
_SUGGESTS = re.compile(r"\b(?:can|could|should|shall) (?:we|you|i)\b", re.IGNORECASE)
SHORT = 40
LONGEST_LIMIT = 600  # in a long text `only` is about something else


def limits(message: str) -> bool:
    """Whether the user wants one thing and nothing beside it."""
    return len(message) <= LONGEST_LIMIT and _LIMITED.search(message) is not None


def wants_no_change(message: str) -> bool:
    return len(message) <= LONGEST_LIMIT and _NO_CHANGE.search(message) is not None


def only_looks(message: str) -> bool:
    """Whether all that the user wants is to learn what a project is."""
    short = len(message) <= LONGEST_LIMIT
    return short and bool(_LOOKS.search(message)) and not _DOES.search(message)


def affirms(message: str) -> bool:
    return _BARE.match(message) is not None


def takes_back(message: str) -> bool:
    """Whether it stops, or puts something before, what was asked for earlier."""
    return _HALTS.search(message) is not None


def halts(message: str) -> bool:
    """Whether it says nothing but that."""
    return _BARE_HALT.search(message) is not None and "then" not in message


def doubts(message: str) -> bool:
    """Whether a short answer has a word in it that may take back what was asked for earlier."""
    if len(message) > SHORT or not _DOUBTS.search(message):
        return False
    return "?" not in message or _SUGGESTS.search(message) is not None


MOST_MESSAGES = 40
LONGEST_MESSAGE = 6_000
MOST_KEPT = 256  # sessions whose words are kept as they were worked out
LONGEST_KEPT = 16_384  # characters of all messages together


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
    messages = tuple([_cut(_with_referent(one)) for one in said[-MOST_MESSAGES:]])
    # They are the same for all calls until the user speaks again.
    short = sum(map(len, messages)) <= LONGEST_KEPT
    return _kept_worked_out(messages) if short else _worked_out(messages)


def _worked_out(messages: tuple[str, ...]) -> UsersWords:
    last = messages[-1] if messages else ""
    said = "\n".join(messages).casefold()
    no_change = wants_no_change(last) or halts(last)
    looks = bool(messages) and all(map(only_looks, messages))
    return UsersWords(messages, said, limits(last), no_change, looks)


_kept_worked_out = lru_cache(maxsize=MOST_KEPT)(_worked_out)


def _with_referent(message: UserMessage) -> str:
    """A bare yes says what it answers."""
    bare = message.referent and affirms(message.text)
    return f"yes: {message.referent}" if bare else message.text


def _cut(text: str) -> str:
    half = LONGEST_MESSAGE // 2
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:half]}\n{text[-half:]}"


MOST_HEARD = 2_048  # messages of which is kept what they say
LONGEST_HEARD = 8_192  # characters of one of them
MOST_REQUESTS = 12

# What it asks for, whether it forbids, and the sentences that have a word for it.
_Statements = tuple[tuple[Request, ...], bool, tuple[str, ...]]


@lru_cache(maxsize=MOST_HEARD)
def _memo_of(message: str) -> dict[Deed, _Statements]:
    """What one message says of the deeds that were looked for in it: every later call of a session
    is held against the same messages."""
    return {}


def statements_about(deed: Deed, message: str) -> _Statements:
    if len(message) > LONGEST_HEARD:
        return _find_statements(deed, message)
    heard = _memo_of(message)
    if deed not in heard:
        heard[deed] = _find_statements(deed, message)
    return heard[deed]


def _find_statements(deed: Deed, message: str) -> _Statements:
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


def _denies(deed: Deed, message: str, found: re.Match[str]) -> bool:
    """A broad verb forbids only what it is said of."""
    if not deed.broad:
        return True
    words = words_of(request(message, found).head)
    return bool(words) and is_kind(words[-1], deed, NOTHING)
