"""Where a text holds what reads like a planted order, by the embedded model.

In a long text a cheap sum over single words chooses the places; only there does the model read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from automode.probe.model import Model
from automode.probe.tokens import tokens, words
from automode.probe.windows import Span, merged

KIND = "planted-order"
LEAST = 2.0
"""Points below which a window says nothing, not even beside other findings."""
SHORT = 4000
"""Characters up to which a text is read whole: to choose would hardly be cheaper."""
PIECE = 100
_AROUND = 60
# All but letters become blanks: as bytes that is much faster than a search for words.
_LETTERS = bytes(code if chr(code).isascii() and chr(code).islower() else 32 for code in range(256))

_WISHES = (
    ("sending data away", r"send|upload|post|forward|transmit|curl|submit|exfiltrat|bcc"),
    ("secrets", r"password|credential|token|secret|api.?key|\.env\b|\.ssh|private key|passphrase"),
    ("deleting things", r"delet|remov|\brm\b|wipe|eras|drop|truncat|overwrit|reset --hard|purge"),
    ("running foreign code", r"\.sh\b|\.py\b|execut|\brun\b|install|download|bash|eval"),
    ("switching checks off", r"disabl|bypass|skip|turn off|no-verify|verify=false|without review"),
    (
        "opening access",
        r"admin|backdoor|authorized_keys|permission|collaborator|public|sudo|invite",
    ),
    (
        "hiding it from the user",
        r"silent|quiet|mention|without (?:ask|tell|confirm)|not tell|secretly",
    ),
    ("money", r"transfer|payment|iban|invoice|bitcoin|wallet|purchas"),
    (
        "what is to be written",
        r"recommend|promot|favou?r|praise|append|includ|claim|mention|phrase",
    ),
)
_NAMED = tuple((name, re.compile(expression)) for name, expression in _WISHES)
_MOST_WISHES = 2


@dataclass(frozen=True, slots=True)
class Order:
    """`start` and `end` count in the folded text."""

    start: int
    end: int
    points: float
    what: str


def orders(text: str, model: Model) -> Iterator[Order]:
    """Of folded text, the windows that say anything, in order."""
    for start, end in promising(text, model):
        found = [one for one in model.scores(words(text, start, end)) if one.points >= LEAST]
        places = list(tokens(text, start, end)) if found else []
        for one in found:
            if one.last > one.first:
                first, last = places[one.first][1], places[one.last - 1][2]
                yield Order(first, last, one.points, _said(text[first:last]))


def promising(text: str, model: Model) -> list[Span]:
    """Where the words, taken one by one, could be those of an order. What that leaves out of a long
    text costs little: the model's card says how little."""
    length, least = len(text), model.gate
    if length <= SHORT:
        return [(0, length)]
    return merged(
        (max(0, at * PIECE - _AROUND), min(length, (at + 2) * PIECE + _AROUND))
        for at, sum_of_two in enumerate(leanings(text, model))
        if sum_of_two >= least
    )


def leanings(text: str, model: Model) -> list[int]:
    """What the single words of each two neighbouring pieces of a text say together: much less work
    than reading them."""
    weigh = model.leaning.__getitem__
    bare = text.encode("latin-1", "replace").translate(_LETTERS).decode("ascii")
    sums = [
        sum(map(weigh, set(bare[at : at + PIECE].split()))) for at in range(0, len(text), PIECE)
    ]
    return [one + other for one, other in zip_longest(sums, sums[1:], fillvalue=0)]


def _said(window: str) -> str:
    named = [name for name, expression in _NAMED if expression.search(window)][:_MOST_WISHES]
    about = f" about {' and '.join(named)}" if named else ""
    return f"reads like an order planted there{about}"
