"""The user's own words in a session: the newest of them, and what every deed is held against."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from automode.core.transcript import Entry, UserMessage
from automode.judge.limits import affirms, halts, limits, only_looks, wants_no_change

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
