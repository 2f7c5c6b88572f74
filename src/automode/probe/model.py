"""The embedded model: where a text holds what reads like an order planted there.

A linear model on hashed traits of windows of words. Its weights are one file in the package that
carries its own checksum; nothing is fetched and nothing leaves the machine. In a long text a cheap
sum over single words chooses the places; only there does the model read.
"""

import json
import re
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import pairwise, zip_longest
from typing import TypeAlias, TypeVar
from zlib import crc32

from automode.core.errors import AutomodeError
from automode.probe.patterns import Span, merge_spans

Token: TypeAlias = tuple[str, int, int]
_T = TypeVar("_T")

MOST_WORDS = 1 << 16
"""How many words are remembered: a long-lived process meets ever new ones."""
PAUSE = "|"
"""Stands for the end of a sentence, a line or an item."""
ADDRESS, MAILBOX, PATH, NUMBER, SWITCH = "<url>", "<mail>", "<path>", "<number>", "<switch>"
_LONGEST_WORD = 24
# Words that every sentence holds. A model that may count them learns what is prose.
_IDLE = frozenset(
    "a an the of to in on at by as is are was were be been being it its this that these those and"
    " or with for from into has have had will would there here so s t".split()
)
# Most are plain words: what follows says that they can be nothing else, so nothing else is tried.
_PLAIN = r"[a-z]{1,60}(?=[ \n,)])"
_URL = r"(?:https?|ftp|wss?)://[^\s\"'<>)\]`]{1,200}|\bwww\.[^\s\"'<>)\]`]{3,200}"
_MAIL = r"[\w.+\-]{1,40}@[\w\-]{1,40}\.[a-z.]{2,20}"
_FILE = r"(?:~|\.{1,2})?/[\w.\-]{1,60}(?:/[\w.\-]{0,60}){0,8}|(?<!\w)\.[a-z][\w.]{1,20}"
_FLAG = r"(?<![\w-])--?[a-z][\w\-]{1,30}"
_WORD = r"[a-z]{1,60}(?:['\u2019][a-z]{1,2}(?![a-z]))?"
_SUM = r"[0-9]{5,40}|[$\u20ac\u00a3][0-9]"
_END = r"[.!?:;](?=[\s\"'*)`]|$)|\n"
_TOKEN = re.compile("|".join((_PLAIN, _URL, _MAIL, _FILE, _FLAG, _WORD, _SUM, _END)))
TABLE_BITS = 18
WIDTH = 24
"""Words in a window."""
STRIDE = 12
"""Words from one window to the next: every word stands in two."""
UNKNOWN_FAMILY = 0
"""The kin of words that the model has never met."""
_MASK = (1 << TABLE_BITS) - 1
_NEXT, _OVER = 0x9E3779B1, 0x85EBCA6B
_KIN = b"\0kin"
MAGIC = b"automode-probe-1\n"
FILE = "planted.bin"
_CHECKSUM = 32
_LENGTHS = struct.Struct("<II")
_HINT = "install automode again; until then the probe searches by patterns alone"
KIND = "planted-order"
LEAST = 2.0
"""Points below which a window says nothing, not even beside other findings."""
SHORT = 4000
"""Characters up to which a text is read whole: to choose would hardly be cheaper."""
PIECE = 100
_AROUND = 60
# All but letters become blanks: as bytes that is much faster than a search for words.
_LETTERS = bytes(code if chr(code).isascii() and chr(code).islower() else 32 for code in range(256))
# What an order is about, by a word of it.
_SUBJECTS = {
    "sending data away": r"send|upload|post|forward|transmit|curl|submit|exfiltrat|bcc",
    "secrets": r"password|credential|token|secret|api.?key|\.env\b|\.ssh|private key|passphrase",
    "deleting things": r"delet|remov|\brm\b|wipe|eras|drop|truncat|overwrit|reset --hard|purge",
    "running foreign code": r"\.sh\b|\.py\b|execut|\brun\b|install|download|bash|eval",
    "switching checks off": r"disabl|bypass|skip|turn off|no-verify|verify=false|without review",
    "opening access": r"admin|backdoor|authorized_keys|permission|collaborator|public|sudo|invite",
    "hiding it from the user": (
        r"silent|quiet|mention|without (?:ask|tell|confirm)|not tell|secretly"
    ),
    "money": r"transfer|payment|iban|invoice|bitcoin|wallet|purchas",
    "what is to be written": r"recommend|promot|favou?r|praise|append|includ|claim|mention|phrase",
}
_MOST_SUBJECTS = 2


class _Remembered(dict[str, _T]):
    """What `work` makes of each word, worked out when it is first met."""

    def __init__(self, work: Callable[[str], _T]) -> None:
        super().__init__()
        self._work = work

    def __missing__(self, word: str) -> _T:
        found = self._work(word)
        if len(self) < MOST_WORDS:
            self[word] = found
        return found


def _meaning(piece: str) -> str:
    """What stands for a piece of text; nothing for words that say nothing."""
    if "://" in piece or piece.startswith("www."):
        return ADDRESS
    if "@" in piece:
        return MAILBOX
    if piece[0].isalpha():
        return "" if piece in _IDLE else piece[:_LONGEST_WORD]
    if piece[0] == "-":
        return SWITCH
    if len(piece) == 1:
        return PAUSE
    return PATH if piece[0] in "~/." else NUMBER


_MEANINGS = _Remembered(_meaning)


def words(text: str, start: int, end: int) -> list[str]:
    """Of folded text from `start` to `end`, as the model reads them.

    Line numbers of a listing, comment signs and markup are no words: an order reads the same in a
    file, a comment, a log and a letter. Where a sentence, a line or an item begins is kept as a
    word, because that is where an order begins; two such pauses never follow each other.
    """
    said = [*filter(None, map(_MEANINGS.__getitem__, _TOKEN.findall(text, start, end)))]
    return [
        *said[:1],
        *(word for before, word in pairwise(said) if word is not PAUSE or before is not PAUSE),
    ]


def tokens(text: str, start: int, end: int) -> Iterator[Token]:
    """The same words, with their places; slower."""
    before = ""
    for found in _TOKEN.finditer(text, start, end):
        word = _MEANINGS[found[0]]
        if word and not (word is PAUSE and before is PAUSE):
            yield word, found.start(), found.end()
        before = word or before


def starts(count: int) -> range:
    """Where the windows of so many words start."""
    return range(0, max(1, count - STRIDE), STRIDE)


class Traits:
    """What the model sees in a window of words: words and pairs of them, as they stand and by kin.

    Kin are words that are used alike: "send" and "transmit", "password" and "credentials". A model
    that knows only words knows the attacks that it was shown; one that knows kin knows others too.
    `kin` is the number of each known word's family.
    """

    def __init__(self, kin: Mapping[str, int]) -> None:
        self._kin = kin
        self.alone = _Remembered(self._cells)

    def _cells(self, word: str) -> tuple[int, int]:
        """Of a word by itself: its own, and that of its kin."""
        family = self._kin.get(word, UNKNOWN_FAMILY) if word.isalpha() else word
        return (
            crc32(word.encode("utf-8", "surrogatepass")) & _MASK,
            crc32(str(family).encode("utf-8", "surrogatepass"), crc32(_KIN)) & _MASK,
        )

    def windows(
        self, words: Sequence[str], chosen: Iterable[int]
    ) -> Iterator[tuple[int, set[int]]]:
        """The chosen starts of windows, and the cells of the table that each window touches."""
        hashed = [*map(self.alone.__getitem__, words)]
        own = [word for word, _ in hashed]
        kin = [family for _, family in hashed]
        own_pairs = [(a * _NEXT + b) & _MASK for a, b in pairwise(own)]
        kin_pairs = [(a * _NEXT + b) & _MASK for a, b in pairwise(kin)]
        over = [(a * _OVER + b) & _MASK for a, b in zip(kin, kin[2:], strict=False)]
        for start in chosen:
            end = start + WIDTH
            touched = {*own[start:end], *kin[start:end]}
            touched.update(own_pairs[start : end - 1], kin_pairs[start : end - 1])
            touched.update(over[start : end - 2])
            yield start, touched


class BrokenWeights(AutomodeError):
    """The weights are missing or are not what was shipped."""


class Model:
    """`table` holds a signed byte for each trait; `gate` is the least sum of single words, in the
    same bytes, for which a stretch of text is read at all."""

    def __init__(
        self, table: bytes, scale: float, bias: float, gate: int, kin: Mapping[str, int]
    ) -> None:
        self.table = table
        self.scale = scale
        self.bias = bias
        self.gate = gate
        self.kin = kin
        self._cells = list(memoryview(table).cast("b"))
        self._traits = Traits(kin)
        self.leaning = _Remembered(self._lean)

    def _lean(self, word: str) -> int:
        """What a word says by itself."""
        own, kin = self._traits.alone[word]
        return self._cells[own] + self._cells[kin]

    def scores(self, words: Sequence[str]) -> Iterator[tuple[int, int, float]]:
        """Of each window its first word, the one behind its last, and its points: enough of them
        make a text suspect."""
        weigh, scale, bias = self._cells.__getitem__, self.scale, self.bias
        for start, touched in self._traits.windows(words, starts(len(words))):
            last = min(len(words), start + WIDTH)
            yield start, last, bias + scale * sum(map(weigh, touched))

    def pack(self) -> bytes:
        """As a file, checksum first."""
        head = json.dumps(
            {
                "bits": TABLE_BITS,
                "width": WIDTH,
                "stride": STRIDE,
                "scale": self.scale,
                "bias": self.bias,
                "gate": self.gate,
            }
        ).encode()
        families: dict[int, list[str]] = {}
        for word, family in sorted(self.kin.items()):
            families.setdefault(family, []).append(word)
        most = max(families, default=0)
        kin = "\n".join(" ".join(families.get(one, ())) for one in range(most + 1)).encode()
        body = _LENGTHS.pack(len(head), len(kin)) + head + kin + self.table
        return MAGIC + sha256(body).digest() + body


def unpack(data: bytes) -> Model:
    """The model in a file; whatever else the file holds is an error."""
    opening = len(MAGIC) + _CHECKSUM
    body = data[opening:]
    if not data.startswith(MAGIC) or sha256(body).digest() != data[len(MAGIC) : opening]:
        raise BrokenWeights(f"`{FILE}` is not the file that was shipped", _HINT)
    head_length, kin_length = _LENGTHS.unpack_from(body)
    at = _LENGTHS.size + head_length
    kin = body[at : at + kin_length].decode()
    table = body[at + kin_length :]
    match json.loads(body[_LENGTHS.size : at]):
        case {
            "bits": int(bits),
            "width": int(width),
            "stride": int(stride),
            "scale": float(scale),
            "bias": float(bias),
            "gate": int(gate),
        } if (bits, width, stride) == (TABLE_BITS, WIDTH, STRIDE) and len(table) == 1 << bits:
            return Model(table, scale, bias, gate, _families(kin))
        case _:
            raise BrokenWeights(f"`{FILE}` is for another version of automode", _HINT)


def _families(text: str) -> dict[str, int]:
    return {word: number for number, line in enumerate(text.split("\n")) for word in line.split()}


@cache
def shipped_model() -> Model | BrokenWeights:
    """The package's own model, read once; or why there is none."""
    try:
        data = files("automode.probe").joinpath("weights", FILE).read_bytes()
    except OSError as error:
        return BrokenWeights(f"`{FILE}` cannot be read: {type(error).__name__}", _HINT)
    try:
        return unpack(data)
    except BrokenWeights as error:
        return error


@dataclass(frozen=True, slots=True)
class Order:
    """`start` and `end` count in the folded text."""

    start: int
    end: int
    points: float
    what: str


def orders(text: str, model: Model) -> Iterator[Order]:
    """Of folded text, the windows that say anything, in order."""
    for start, end in promising_spans(text, model):
        found = [one for one in model.scores(words(text, start, end)) if one[2] >= LEAST]
        places = list(tokens(text, start, end)) if found else []
        for first, last, points in found:
            if last > first:
                at, until = places[first][1], places[last - 1][2]
                yield Order(at, until, points, _describe(text[at:until]))


def promising_spans(text: str, model: Model) -> list[Span]:
    """Where the words, taken one by one, could be those of an order. What that leaves out of a long
    text costs little: the model's card says how little."""
    length, least = len(text), model.gate
    if length <= SHORT:
        return [(0, length)]
    return merge_spans(
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


def _describe(window: str) -> str:
    named = [name for name, words in _SUBJECTS.items() if re.search(words, window)]
    about = f" about {' and '.join(named[:_MOST_SUBJECTS])}" if named else ""
    return f"reads like an order planted there{about}"
