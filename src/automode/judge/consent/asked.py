"""Whether the user's own words name a deed and what it is done to, forbid it, or say nothing."""

import re
from collections.abc import Sequence
from enum import StrEnum

from automode.judge.consent.about import (
    NAMELIKE,
    WHOLES,
    edits_source,
    exceeds,
    goes_to,
    is_about_another,
    is_about_contents,
    is_another_command,
    is_one_row,
    names_a_part,
    names_more,
    says_more,
    takes_from,
    words_in,
)
from automode.judge.consent.instructions import instruction_for
from automode.judge.consent.objects import NOTHING, Name, Objects, is_named_in, rules
from automode.judge.consent.requests import (
    LONGEST_LIMIT,
    Request,
    affirms,
    agrees,
    doubts,
    is_kind,
    is_question,
    requests_with,
    required_names,
    statements_about,
    takes_back,
    words_of,
)
from automode.judge.deeds import DELETIONS, IN_SERVICE, Deed, Weight
from automode.judge.words import patterns, word_lists, word_table

_REQUESTS_W = word_lists("requests")
_P = patterns("asked")
EARLIER_MESSAGES = 3  # what a pronoun may stand for
_FILE = re.compile(r"[\w./~-]*\w\.[a-z]\w{0,9}")
# They take a name for all that it says: `acme/api:1.2` is no other image of that name.
_NAMED_WHOLLY = frozenset({"publishes"})
# What is named word by word is named.
_UNNAMED = frozenset({"changes-unnamed", "runs-unnamed"})
_PLACE = re.compile(r"\s*(?:to|on|in|at|from|into|onto|against)\s")
# "The PR" is the one that is worked on, where no number is said.
_DEFINITE = frozenset({"writes-forge"})
# "All comments" are no files, and no rows of a table.
_GONE = DELETIONS | frozenset(
    "drops-data discards destroys-infrastructure deletes-in-service removes-volumes empties".split()
)
_OF_FILES = DELETIONS | frozenset(
    "deletes-scratch deletes-made discards pushes writes-outside edits-outside edits-protected"
    " remote-copy collects locks-away conceals writes-forge reads-secret sends changes-service"
    " deletes-in-service grants messages commits deploys".split()
)


class Asked(StrEnum):
    LATEST = "asked"  # the latest message names it
    EARLIER = "earlier"  # one of the messages before does
    AFFIRMED = "affirmed"  # nobody named it, and the latest message is a bare "yes, go on"
    NO = "unasked"
    FORBIDDEN = "forbidden"


def request_state(deed: Deed, messages: Sequence[str], objects: Objects = NOTHING) -> Asked:
    """`messages` are the user's, oldest first. What was forbidden stays so until a later message
    names the deed without forbidding it."""
    if not messages or (deed.asked is None and deed.name not in _UNNAMED):
        return Asked.NO
    state = _heard(deed, messages, objects)
    if state in (Asked.NO, Asked.EARLIER) and _is_instructed(deed, messages, objects):
        return Asked.LATEST
    if state is Asked.EARLIER and agrees(messages[-1]):
        before = _heard(deed, messages[:-1], objects)
        return before if before is Asked.LATEST else state
    if state is Asked.NO and _is_meant_otherwise(deed, messages, objects):
        return Asked.FORBIDDEN
    if state is Asked.NO and affirms(messages[-1]):
        return Asked.AFFIRMED
    return state


def _heard(deed: Deed, messages: Sequence[str], objects: Objects) -> Asked:
    """What the messages say of it, one after the other."""
    state = Asked.NO
    last = len(messages) - 1
    far = deed.weight >= Weight.LASTING or deed.name in DELETIONS
    for place, message in enumerate(messages):
        if state is not Asked.NO and takes_back(message):
            state = Asked.FORBIDDEN
        elif state is Asked.EARLIER and far and doubts(message):
            state = Asked.NO
        said = _asks_or_forbids(
            deed, message, messages[max(0, place - EARLIER_MESSAGES) : place], objects
        )
        if said is False:
            state = Asked.FORBIDDEN
        elif said:
            state = Asked.LATEST if place == last else Asked.EARLIER
    return state


def _is_instructed(deed: Deed, messages: Sequence[str], objects: Objects) -> bool:
    """Whether the latest message tells to do it, word by word."""
    one = instruction_for(deed, messages, objects)
    if one is None or (one.verb and _contradicts(one.verb, objects)):
        return False
    scope = messages[-1].casefold()
    return _says_qualifiers(deed, scope, objects, one.meanings) and not _lacks_restriction(
        deed, scope, objects
    )


def _is_meant_otherwise(deed: Deed, messages: Sequence[str], objects: Objects) -> bool:
    """Whether the user speaks of these files in another way, or of other files to delete."""
    if deed.name in WHOLES and _is_spoken_of(deed, messages, objects):
        return True
    return deed.name in DELETIONS and _names_another(deed, messages, objects)


def _is_spoken_of(deed: Deed, messages: Sequence[str], objects: Objects) -> bool:
    """Whether the user speaks of the file and does not ask for that: the latest message in any way,
    an earlier one with a word for the deed, in a question or about something in the file."""
    told = {one for message in messages for one in statements_about(deed, message)[2]}
    told |= {one.casefold() for one in messages[-1:]}
    sentences = told if deed.name in DELETIONS else filter(is_question, told)
    return any(_spells(name.text, one) for one in sentences for name in objects.names)


def _names_another(deed: Deed, messages: Sequence[str], objects: Objects) -> bool:
    """Whether the latest message names a file to delete, and the call deletes others alone."""
    requests = statements_about(deed, messages[-1])[0] if messages else ()
    heads = [one for one in requests if any(map(_FILE.fullmatch, words_of(one.head)))]
    return bool(heads) and not any(
        is_named_in(name, one.sentence) for one in heads for name in objects.names
    )


def _spells(path: str, sentence: str) -> bool:
    bare = path.casefold().strip("./~")
    last = bare.rsplit("/", 1)[-1]
    spelled = last if "." in last else bare
    return bool(spelled) and is_named_in(Name(spelled, whole=True), sentence.replace("/", " / "))


def _asks_or_forbids(
    deed: Deed, message: str, before: Sequence[str], objects: Objects
) -> bool | None:
    """True: asks for it; False: forbids it; None: neither."""
    requests, denied, _ = statements_about(deed, message)
    near = deed.weight < Weight.LASTING and deed.kinds is None
    if near and not all(map(says_more, requests)):
        return True
    if any(
        _covers(one, deed, before, objects)
        for one in _distinct_requests(_without_edits(requests, deed), deed, objects)
    ):
        return True
    if not denied and _is_spelled_out(deed, message, requests, objects):
        return True
    return False if denied or exceeds(requests, deed, objects) else None


def _without_edits(requests: Sequence[Request], deed: Deed) -> list[Request]:
    return [one for one in requests if not edits_source(one.verb, f"{one.head}{one.place}", deed)]


def _distinct_requests(requests: Sequence[Request], deed: Deed, objects: Objects) -> list[Request]:
    """Without those that only take up what the sentence said of something else."""
    if deed.weight < Weight.LASTING or len(requests) < 2:
        return list(requests)
    others = {one.sentence for one in requests if is_about_another(one, deed, objects)}
    return [one for one in requests if one.head or one.sentence not in others]


def _covers(one: Request, deed: Deed, before: Sequence[str], objects: Objects) -> bool:
    """Whether a request is about what the call does it to: its verb is about such a thing, each
    thing is named, and so is what makes the call reach further."""
    if deed.broad and deed.anywhere and not objects.names:
        return False
    vague = not objects.names and not (deed.says_by_itself(one.verb) or _says_kind(one, deed))
    if vague or _contradicts(one.verb, objects) or _is_other_kind(one, deed, objects):
        return False
    if deed.name in _NAMED_WHOLLY and objects.names and names_more(one, objects):
        return False
    if deed.name == "kills-by-name" and not objects.names and not objects.kinds - objects.programs:
        return False  # whatever comes in: nobody can have named it
    command = one.sentence.lstrip().startswith("/")
    placed = goes_to(one, deed, objects) and not names_more(one, objects)
    if not (command or deed.anywhere or placed or _fits(one, deed, objects)):
        return False
    message = f"{one.sentence}\n{one.before}"
    pointed = NAMELIKE.search(one.head) is not None and not _P.foreign.match(one.verb)
    scope = one.sentence if pointed else "\n".join([*map(str.casefold, before), message])
    if deed.needs is not None and not deed.needs.search(scope):
        return False
    wanted = required_names(deed, objects)
    far = deed.weight >= Weight.LASTING and not command and not deed.anywhere
    if far and not _is_plain(one, deed, objects, scope):
        return False
    if deed.name in _DEFINITE and not re.search(r"\d", message):
        wanted = [name for name in wanted if name.firm or not name.text.isdigit()]
    if not all(is_named_in(name, scope) for name in wanted):
        return False
    near = one.sentence if pointed or len(message) > LONGEST_LIMIT else message
    return _says_qualifiers(deed, near, objects) and not _lacks_restriction(deed, near, objects)


def _says_kind(one: Request, deed: Deed) -> bool:
    """Whether a verb that is said of few things is said of such a thing: "create a PR"."""
    words = words_of(one.head)
    return not deed.broad and bool(words) and is_kind(words[-1], deed, NOTHING)


def _is_spelled_out(
    deed: Deed, message: str, requests: Sequence[Request], objects: Objects
) -> bool:
    """Whether one sentence has a verb for the deed, or the call's own, and each name of the call
    as it is: then it needs no word for the kind of thing."""
    if deed.name in WHOLES or deed.anywhere:
        return False
    own = requests_with(objects.verbs, message) if deed.broad else ()
    found = _without_edits((*requests, *own), deed)
    commands = requests_with(_lines(objects), message)
    asks = message.rstrip().endswith("?")  # "… what does it do?"
    if not asks and any(_is_command(one, deed, objects) for one in commands):
        return True
    return any(
        _spells_names(one, objects)
        and not _contradicts(one.verb, objects)
        and (deed.needs is None or deed.needs.search(f"{one.sentence}\n{one.before}") is not None)
        and not names_more(one, objects)
        and _is_about_it(one, deed, objects)
        and not is_about_another(one, deed, objects)
        and not _is_elsewhere(one, words_of(one.head) or ["it"], deed, objects)
        and not says_more(one)
        and _says_qualifiers(deed, one.sentence, objects)
        and not _lacks_restriction(deed, _around(one, message), objects)
        for one in found
    )


def _around(one: Request, message: str) -> str:
    """Where a restriction may stand: in a short message anywhere."""
    return message if len(message) <= LONGEST_LIMIT else one.sentence


def _contradicts(told: str, objects: Objects) -> bool:
    """Whether the call does the opposite: "disable the workflow" and `gh workflow enable`."""
    verb = told.split()[0]
    against = word_table("asked", "opposites").get(verb, frozenset[str]())
    words = objects.verbs or frozenset(objects.text.casefold().split())
    return bool(words & against) and verb not in words


def _is_other_kind(one: Request, deed: Deed, objects: Objects) -> bool:
    """Whether the user speaks of one kind of thing and the tool of another: "a task", and a tool
    that makes projects."""
    words = words_of(one.head)
    if deed.name not in IN_SERVICE or deed.kinds is None or not words:
        return False
    own = {kind for kind in objects.kinds if deed.kinds.fullmatch(kind)}
    said = words[-1]
    same = {said, said.removesuffix("s"), f"{said}s"}
    return bool(own) and deed.kinds.fullmatch(said) is not None and own.isdisjoint(same)


def _is_about_it(one: Request, deed: Deed, objects: Objects) -> bool:
    """Whether the verb is about the thing or its place, and not about its docs or its snapshot."""
    words = words_of(one.head)
    last = words[-1] if words else "it"
    return (
        last in _REQUESTS_W.pronouns
        or last in words_in(objects)
        or is_kind(last, deed, objects)
        or any(is_named_in(name, last) for name in objects.names)
        or (
            deed.name not in _GONE  # "reset the counter in a.ts" is about the counter
            and _PLACE.match(one.place) is not None
            and _P.general.match(one.verb) is None
        )
    )


def _lines(objects: Objects) -> frozenset[str]:
    """The command as people write it, with its program and without."""
    _, _, short = objects.path.partition(" ")
    lines = [one for one in (objects.path, short) if " " in one]
    return frozenset(f"{before}{one}" for one in lines for before in ("", "run ", "execute "))


def _is_command(one: Request, deed: Deed, objects: Objects) -> bool:
    """Whether the user wrote the command itself, and each name of it."""
    return (
        all(is_named_in(name, one.sentence) for name in required_names(deed, objects))
        and (deed.needs is None or deed.needs.search(one.sentence) is not None)
        and not names_more(one, objects)
        and _says_qualifiers(deed, one.sentence, objects)
        and not _lacks_restriction(deed, one.sentence, objects)
    )


def _spells_names(one: Request, objects: Objects) -> bool:
    return all(is_named_in(name, one.sentence) for name in objects.names) and any(
        NAMELIKE.search(name.text) for name in objects.names
    )


def _is_plain(one: Request, deed: Deed, objects: Objects, scope: str) -> bool:
    """Whether a far-reaching deed is said in its own words: of what the call names, or of the
    system that it is done to, and of nothing beside it."""
    if says_more(one) or (deed.name not in DELETIONS and is_about_another(one, deed, objects)):
        return False
    if required_names(deed, objects):
        return True
    if deed.name == "discards" and names_a_part(one, objects):
        return False
    words = words_of(one.head)
    text = scope if not words or words[0] in _REQUESTS_W.pronouns else one.sentence
    return deed.plainly is None or deed.plainly.search(text) is not None


def _says_qualifiers(
    deed: Deed, scope: str, objects: Objects, meanings: frozenset[str] = frozenset()
) -> bool:
    return all(
        rule.meaning & meanings or rule.said.search(scope)
        for rule in rules("qualifiers")
        if rule.name in objects.qualifiers and (not rule.deeds or deed.name in rule.deeds)
    )


def _lacks_restriction(deed: Deed, scope: str, objects: Objects) -> bool:
    """Whether the user wants something of the call that it lacks."""
    return any(
        rule.said.search(scope) and not rule.call.search(objects.text)
        for rule in rules("restrictions")
        if objects.text and (not rule.deeds or deed.name in rule.deeds)
    )


def _fits(one: Request, deed: Deed, objects: Objects) -> bool:
    """Whether the verb is about such a thing: by its name, its kind or a pronoun, or about nothing
    that is said."""
    words = words_of(one.head)
    if all(word in _REQUESTS_W.pronouns for word in words) or (
        words[0] in _REQUESTS_W.pronouns
        and not (deed.name in _GONE and "find" not in objects.programs)
    ):
        return _stands_for_such(one, deed, objects)
    if _is_elsewhere(one, words, deed, objects):
        return False
    if is_another_command(one.verb, [one.verb, *words], objects):
        return False
    # The second: the command itself is named.
    if is_one_row(one, deed, objects) or words[0] in objects.programs:
        return True
    if any(_is_named(name, one, words, deed, objects) for name in objects.names):
        return True
    if not one.verb.isascii() and not objects.names:
        return not says_more(one)
    if (
        _P.foreign.match(one.verb)
        and objects.names
        and not (deed.name in DELETIONS and words and one.verb.isascii())
    ):
        return any(is_named_in(name, one.sentence) for name in objects.names)
    if NAMELIKE.search(words[-1]):
        # Else it names another thing.
        return not objects.names or words[-1].strip("/") in words_in(objects)
    if is_kind(words[-1], deed, objects):
        return True
    return words[-1] in _REQUESTS_W.pronouns and _stands_for_such(one, deed, objects)


def _is_named(name: Name, one: Request, words: list[str], deed: Deed, objects: Objects) -> bool:
    """Whether the verb is about it, and not about a part of it: "the users table layout"."""
    if deed.name in DELETIONS and not _names_file(name, one, words, deed, objects):
        return False
    if is_named_in(name, one.more):
        return True
    last = words[-1]
    light = deed.weight < Weight.LASTING or is_named_in(name, last) or NAMELIKE.search(last)
    return is_named_in(name, one.head) and bool(light or is_kind(last, deed, objects))


def _names_file(name: Name, one: Request, words: list[str], deed: Deed, objects: Objects) -> bool:
    """Whether a file is called by its name, and not by a word that its name begins with."""
    last = name.text.casefold().rstrip("/").rsplit("/", 1)[-1]
    text = f"{one.head} {one.more}".replace("/", " / ")
    called = "." not in last.strip(".") or is_named_in(Name(last, whole=True), text)
    return called or is_kind(words[-1], deed, objects)


def _stands_for_such(one: Request, deed: Deed, objects: Objects) -> bool:
    """Whether a pronoun, or no word at all, may mean what the call does it to."""
    if (
        deed.name in DELETIONS
        and "find" not in objects.programs
        and is_about_contents(one, objects)
    ):
        return False
    if not deed.broad or _P.general.match(one.verb) is None:
        return True
    # The sentence has to have such a thing anywhere. "Make it faster" by itself has none.
    if any(is_named_in(name, one.sentence) for name in objects.names):
        return True
    return any(is_kind(word, deed, objects) for word in words_of(one.sentence))


def _is_elsewhere(one: Request, words: list[str], deed: Deed, objects: Objects) -> bool:
    """Whether the verb is about a file, a part of a program's text, or something in a text."""
    others = [word for word in words if deed.kinds is None or not deed.kinds.fullmatch(word)]
    if any(_P.code.fullmatch(word) for word in others):
        return True
    if deed.name not in _OF_FILES and words[-1] in others and _P.files.fullmatch(words[-1]):
        return True
    if deed.name in DELETIONS and takes_from(one, deed, objects):
        return True
    text = _P.in_text.match(one.place) if deed.name not in _OF_FILES else None
    return text is not None and not any(is_named_in(name, text[0]) for name in objects.names)
