"""One row of the table of settings, and which change of its value loosens."""

from collections.abc import Callable
from dataclasses import dataclass

from automode.config.diagnostics import Source
from automode.config.json_tree import Scalar
from automode.config.kinds import Kind


@dataclass(frozen=True, slots=True)
class Order:
    """`loosens(now, new)`: whether going from `now` to `new` gives anything up. `words` says the
    same to a reader of the documentation."""

    loosens: Callable[[Scalar, Scalar], bool]
    words: str


def _never(_now: Scalar, _new: Scalar) -> bool:
    return False


def _any_change(now: Scalar, new: Scalar) -> bool:
    return now != new


def _to(loose: Scalar) -> Callable[[Scalar, Scalar], bool]:
    return lambda now, new: new == loose and now != loose


def _number(value: Scalar) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _raised(now: Scalar, new: Scalar) -> bool:
    before, after = _number(now), _number(new)
    return before is None or after is None or after > before


def _lowered(now: Scalar, new: Scalar) -> bool:
    before, after = _number(now), _number(new)
    return before is None or after is None or after < before


def _limit_raised(now: Scalar, new: Scalar) -> bool:
    return now is not None and _raised(now, new)


def along(*words: str) -> Order:
    """For words that stand in order, the strictest first."""

    def loosens(now: Scalar, new: Scalar) -> bool:
        if now not in words or new not in words:
            return True
        return words.index(str(new)) > words.index(str(now))

    return Order(loosens, "only towards " + ", ".join(f"`{word}`" for word in words[:-1]))


def only_to(stricter: dict[str, tuple[str, ...]]) -> Order:
    """For words of which each has a few that are certainly stricter."""

    def loosens(now: Scalar, new: Scalar) -> bool:
        return now != new and new not in stricter.get(str(now), ())

    steps = (f"`{now}` to {' or '.join(f'`{n}`' for n in new)}" for now, new in stricter.items())
    return Order(loosens, "only from " + ", from ".join(steps))


FREE = Order(_never, "yes")
CLOSED = Order(_any_change, "no")
ONLY_TRUE = Order(_to(loose=False), "only `true`")
ONLY_FALSE = Order(_to(loose=True), "only `false`")
ONLY_LOWER = Order(_raised, "only a lower number")
ONLY_HIGHER = Order(_lowered, "only a higher number")
ONLY_LOWER_LIMIT = Order(_limit_raised, "only a lower number, or a first one")


# A shared project file is not among them: it is read as a type that has no place for settings.
ANYONE = frozenset({Source.USER, Source.LOCAL, Source.ENVIRONMENT, Source.MANAGED})


@dataclass(frozen=True, slots=True)
class Row:
    """One setting. `order` bounds what an environment may do to it that the user does not trust."""

    key: str
    kind: Kind
    default: Scalar
    meaning: str
    order: Order = CLOSED
    absent: str = ""  # what holds without a default, in words
    sources: frozenset[Source] = ANYONE
    closes: bool = False  # whether a malformed entry may hide a prohibition
    chooses: bool = False  # whether a malformed value is still a choice, which nobody may replace
    spellings: tuple[str, ...] = ()  # earlier names: understood, applied and reported
    secret: bool = False  # never quoted in a diagnostic
