"""The embedded model: how much a window of words reads like an order planted in a text.

A linear model on hashed traits. Its weights are one file in the package that carries its own
checksum; nothing is fetched and nothing leaves the machine.
"""

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from automode.core.errors import AutomodeError
from automode.probe.traits import MOST_WORDS, STRIDE, TABLE_BITS, WIDTH, Traits, starts

MAGIC = b"automode-probe-1\n"
FILE = "planted.bin"
_CHECKSUM = 32
_LENGTHS = struct.Struct("<II")
_HINT = "install automode again; until then the probe searches by patterns alone"


class BrokenWeights(AutomodeError):
    """The weights are missing or are not what was shipped."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A window from the word at `first` up to the one at `last`."""

    first: int
    last: int
    points: float


class Leaning(dict[str, int]):
    """What each word says by itself, worked out when it is first met."""

    def __init__(self, cells: Sequence[int], traits: Traits) -> None:
        super().__init__()
        self._cells = cells
        self._traits = traits

    def __missing__(self, word: str) -> int:
        own, kin = self._traits.alone[word]
        found = self._cells[own] + self._cells[kin]
        if len(self) < MOST_WORDS:
            self[word] = found
        return found


class Model:
    """`table` holds a signed byte for each trait; `gate` is the least sum of single words, in the
    same bytes, for which a stretch of text is read at all."""

    def __init__(
        self,
        table: bytes,
        scale: float,
        bias: float,
        gate: int,
        kin: Mapping[str, int],
    ) -> None:
        self.table = table
        self.scale = scale
        self.bias = bias
        self.gate = gate
        self.kin = kin
        self._cells = list(memoryview(table).cast("b"))
        self._traits = Traits(kin)
        self.leaning = Leaning(self._cells, self._traits)

    def scores(self, words: Sequence[str]) -> Iterator[Scored]:
        """In points of the weighing: enough of them make a text suspect."""
        weigh, scale, bias = self._cells.__getitem__, self.scale, self.bias
        for start, touched in self._traits.windows(words, starts(len(words))):
            last = min(len(words), start + WIDTH)
            yield Scored(start, last, bias + scale * sum(map(weigh, touched)))

    def packed(self) -> bytes:
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


def unpacked(data: bytes) -> Model:
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
def shipped() -> Model | BrokenWeights:
    """The package's own model, read once; or why there is none."""
    try:
        data = files("automode.probe.weights").joinpath(FILE).read_bytes()
    except (OSError, ModuleNotFoundError) as error:
        return BrokenWeights(f"`{FILE}` cannot be read: {type(error).__name__}", _HINT)
    try:
        return unpacked(data)
    except BrokenWeights as error:
        return error
