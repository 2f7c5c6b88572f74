"""What calls do, in the words of people: each deed with how it is told, and how users name it.

A deed is finer than an effect: that `git push` writes to another machine says little, that it
pushes says what a user would have had to ask for.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, lru_cache
from importlib.resources import files


class Weight(IntEnum):
    """How much a deed needs a word of the user's."""

    LIGHT = 0  # part of any work: nobody expects to be asked
    LOCAL = 1  # changes what is here, and can be undone or made again
    LASTING = 2  # cannot be undone, or reaches beyond the workspace
    SHARED = 3  # others see it, or rely on what it changes


@dataclass(frozen=True, eq=False)
class Deed:
    """Each is made once, so that one is equal to itself alone. To compile the patterns of all deeds
    takes half a second, and most calls need those of two or three."""

    name: str
    told: str  # completes "it …"
    weight: Weight
    anywhere: bool  # its words are names of things: they need not stand as a verb
    broad: bool  # its verbs are said of anything: only one about such a thing counts
    _given: Mapping[str, str] = field(repr=False)
    _words: Mapping[str, str] = field(repr=False)

    @cached_property
    def asked(self) -> re.Pattern[str] | None:
        """Words of a user that name it."""
        return self._pattern("asked")

    @cached_property
    def kinds(self) -> re.Pattern[str] | None:
        """What users call the things it is done to."""
        return self._pattern("kinds")

    @cached_property
    def needs(self) -> re.Pattern[str] | None:
        """Further words without which nobody asked for it."""
        return self._pattern("needs")

    @cached_property
    def plainly(self) -> re.Pattern[str] | None:
        """Words of which one is said where the call names nothing."""
        return self._pattern("plainly")

    @cached_property
    def free(self) -> re.Pattern[str] | None:
        """Names that need no word of the user's."""
        return self._pattern("free")

    @cached_property
    def own(self) -> re.Pattern[str] | None:
        """An agent's own notes: done to them alone, nobody need ask."""
        return self._pattern("own")

    def _pattern(self, name: str) -> re.Pattern[str] | None:
        text = self._given.get(name)
        if text is None:
            return None
        return re.compile(rf"{_START}(?:{_expand(text, self._words)})", re.IGNORECASE)


@lru_cache(maxsize=1)
def deeds() -> Mapping[str, Deed]:
    """Every deed by its name."""
    given = tomllib.loads(files("automode.judge").joinpath("deeds.toml").read_text("utf-8"))
    words: dict[str, str] = {}
    for name, pattern in given.pop("words").items():
        words[name] = _expand(pattern, words)
    return {
        name: Deed(
            name,
            one["told"],
            Weight[one["weight"].upper()],
            one.get("anywhere", False),
            one.get("broad", False),
            one,
            words,
        )
        for name, one in given.items()
    }


# Not within a word. Scripts without blanks have no such bounds.
_START = r"(?<![^\W\u3040-\u30ff\u3400-\u9fff])"


def _expand(pattern: str, words: Mapping[str, str]) -> str:
    pattern = pattern.replace("\n", "")  # broken only to be read
    for name, text in words.items():
        pattern = pattern.replace(f"{{{name}}}", text)
    return pattern


DELETIONS = frozenset({"deletes", "deletes-much", "deletes-near", "deletes-outside"})
PLAIN = frozenset(
    "develops stages switches writes-here writes-scratch deletes-scratch deletes-made".split()
)
"""What any task brings with it, and nothing outside of the workspace feels."""
TAME = PLAIN | frozenset(
    "merges commits moves writes-near makes-runnable runs-made runs-own sends-here fetches".split()
)
"""What stays here, or only looks: more than any task needs, less than anybody would mind."""
LOOKING = frozenset(
    "develops runs-own runs-made runs-code runs-unknown fetches sends-here looks-around browses"
    " reads-service delegates writes-scratch deletes-made".split()
)
"""What somebody does who may change nothing."""
