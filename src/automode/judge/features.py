"""What a call looks like beside its deeds: the words it is written with, its script, and whether
what it names was named before."""

import re
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from itertools import islice

from automode.core.call import Shell, ToolCall
from automode.core.session import Session
from automode.judge.calls.needs import named_by
from automode.judge.calls.network import is_called_in, is_near, only_reads
from automode.judge.calls.tool_deeds import addresses, input_text, tool_words
from automode.judge.consent.requests import UsersWords
from automode.judge.hosts import host_of
from automode.judge.reading import LONGEST_TEXT, Reading, has_holes
from automode.judge.runs.artefacts import artefacts, latest
from automode.judge.words import patterns
from automode.programs.call_facts import CallFacts
from automode.programs.use import Effect

_P = patterns("features")
_NETWORK_P = patterns("network")
UNREAD = "unread"
EARLIER_TEXTS = 12  # in which names may have been mentioned
_LOCAL = Effect.WRITES | Effect.RUNS | Effect.DEVELOPMENT
_HOST = re.compile(r"(?:https?://|@|//)([\w-]+(?:\.[\w-]+)+)")
_TEMPORARY = re.compile(r"(?<![\w./-])/(?:private/|var/)?tmp/[\w./-]*\w")
_VARIABLE = re.compile(r"\$(?=[A-Za-z{])\{?([A-Za-z_]\w*)\}?")
_EXPANDED = re.compile(r"[`*?~]|<\(|\{\S*,")


def tokens_of(
    facts: CallFacts, reading: Reading, session: Session, known: Container[str] | None = None
) -> tuple[str, ...]:
    """Each once: words of the call as written, and pairs of them. `known` None: all of them."""
    call = facts.call
    text = _without_own(input_text(call.input)[:LONGEST_TEXT], facts, reading, session)
    found = [*_names(call, reading), *_all_words(text)]
    return tuple(dict.fromkeys(found if known is None else [one for one in found if one in known]))


def _without_own(text: str, facts: CallFacts, reading: Reading, session: Session) -> str:
    """Without the temporary files of this session: what their names are made of says nothing."""
    named = set(_TEMPORARY.findall(text)) if isinstance(facts.call.action, Shell) else set()
    if not named:
        return text
    commands = reading.script.commands if reading.script else ()
    plain = (one for one in commands if not facts.of(one).effect & ~_LOCAL)
    own = {one.target.text for each in plain for one in each.redirects if one.writes}
    for path in sorted(named & (own | artefacts(facts, session).texts.keys()), key=len)[::-1]:
        text = text.replace(path, " ")
    return text


def _names(call: ToolCall, reading: Reading) -> Iterator[str]:
    if reading.script is not None and reading.script.understood:
        yield from [f"p:{one.program[:24]}" for one in reading.script.commands if one.words]
    if not isinstance(call.action, Shell):
        yield from [f"t:{word}" for word in tool_words(call.tool)]


def _all_words(text: str) -> list[str]:
    found: list[str] = []
    last = ""
    for one in _P.token.findall(text):
        word = "0" if one.isdigit() else one.casefold()
        found += (f"w:{word}", f"b:{last} {word}")
        last = word
    return found


@lru_cache(maxsize=256)
def _effect_names(effects: Effect) -> tuple[str, ...]:
    return tuple(str(one.name) for one in Effect if one and one in effects)


def script_features(
    call: ToolCall, reading: Reading, said: str, near: Container[str]
) -> Iterator[str]:
    yield f"kind:{type(call.action).__name__}"
    if reading.unread:
        yield UNREAD
    script = reading.script
    if script is None:
        return
    if any(one.elevated for one in script.commands):
        yield "elevated"
    if any(one.remote for one in script.commands):
        yield "remote"
    if has_holes(script) and not _are_told(call, said):
        yield "holes"
    yield from [f"effect:{name}" for name in _effect_names(reading.effects)]
    # What the agent wrote before is no word for a machine: it may be there to be heard.
    far = [name for name in reading.machines if name not in near]
    if any(name not in said and not is_called_in(name, said) for name in far):
        yield "reaches:strange"


def _are_told(call: ToolCall, said: str) -> bool:
    """Whether all that is only known when it runs are variables that the user wrote."""
    text = input_text(call.input)[:LONGEST_TEXT]
    names = _VARIABLE.findall(text)
    plain = len(names) == text.count("$") and not _EXPANDED.search(text)
    return plain and all(f"${name.casefold()}" in said for name in names)


def target_features(
    call: ToolCall, session: Session, words: UsersWords, near: Container[str]
) -> Iterator[str]:
    """Whether what the call names was named before; addresses also by earlier calls, and by their
    machine."""
    said, named = words.said, named_by(words.messages)
    text = input_text(call.input)[:LONGEST_TEXT]
    text = text if isinstance(call.action, Shell) else _NETWORK_P.readable.sub("", text)
    text = _NETWORK_P.public.sub("", text) if "https://" in text else text
    hosts = _HOST.findall(text) if "//" in text or "@" in text else ()
    for kind, targets in (("address", addresses(text)), ("host", hosts)):
        unsaid = [one for one in targets if one.casefold() not in said and host_of(one) not in near]
        unsaid = [
            one
            for one in unsaid
            if not (named.host(host_of(one)) and only_reads(one) and is_near(one, said))
        ]
        if unsaid and not set(unsaid) <= _told_by_calls(unsaid, call, session):
            yield f"{kind}:strange"


def _told_by_calls(targets: Iterable[str], call: ToolCall, session: Session) -> set[str]:
    """Those that stand in an earlier call. The same call, not yet ended, is no witness for itself:
    it may be waiting for a person's yes."""
    earlier = (one for one in latest(session) if one.outcome or one.input != call.input)
    done = [input_text(one.input).casefold() for one in islice(earlier, EARLIER_TEXTS)]
    return {one for one in targets if any(one.casefold() in text for text in done)}
