"""What calls do, in the words of people: each deed with how it is told, and how users name it.

A deed is finer than an effect: that `git push` writes to another machine says little, that it
pushes says what a user would have had to ask for.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache, cached_property

from automode.judge.words import expand, read_words

# Not within a word. Scripts without blanks have no such bounds.
_START = r"(?<![^\W\u3040-\u30ff\u3400-\u9fff])"
DELETIONS = frozenset({"deletes", "deletes-much", "deletes-near", "deletes-outside"})
IN_SERVICE = frozenset({"changes-service", "deletes-in-service", "changes-unnamed"})
PLAIN = frozenset(
    "develops stages switches writes-here writes-scratch deletes-scratch deletes-made".split()
)
"""What any task brings with it, and nothing outside of the workspace feels."""
TAME = PLAIN | frozenset(
    "merges commits amends-own discards-own moves writes-near makes-runnable runs-made runs-own"
    " sends-here fetches".split()
)
"""What stays here, or only looks: more than any task needs, less than anybody would mind."""
STAYING = (TAME - {"writes-near", "fetches"}) | {"runs-code", "runs-unknown"}
"""What reaches nothing beyond the project: it goes on while a result is suspect."""
LOOKING = frozenset(
    "develops runs-own runs-made runs-code runs-unknown fetches sends-here looks-around browses"
    " reads-service delegates writes-scratch deletes-made".split()
)
"""What somebody does who may change nothing."""
OF_PROJECT = frozenset("publishes deploys changes-database destroys-infrastructure".split())
"""What sends or runs files of the project without naming them."""


class Weight(IntEnum):
    """How much a deed needs a word of the user's."""

    LIGHT = 0  # part of any work: nobody expects to be asked
    LOCAL = 1  # changes what is here, and can be undone or made again
    LASTING = 2  # cannot be undone, or reaches beyond the workspace
    SHARED = 3  # others see it, or rely on what it changes


def _lazy(name: str) -> "cached_property[re.Pattern[str] | None]":
    return cached_property(lambda deed: deed.compile(name))


@dataclass(frozen=True, eq=False)
class Deed:
    """Each is made once, so that one is equal to itself alone. To compile the patterns of all deeds
    takes half a second, and most calls need those of two or three."""

    name: str
    told: str  # completes "it …"
    weight: Weight
    anywhere: bool  # its words are names of things: they need not stand as a verb
    broad: bool  # its verbs are said of anything: only one about such a thing counts
    given: Mapping[str, str] = field(repr=False)

    asked = _lazy("asked")  # words of a user that name it
    implied = _lazy("implied")  # those of them that name more: who forbids more forbids not this
    kinds = _lazy("kinds")  # what users call the things it is done to
    needs = _lazy("needs")  # further words without which nobody asked for it
    plainly = _lazy("plainly")  # words of which one is said where the call names nothing
    free = _lazy("free")  # names that need no word of the user's
    sources = _lazy("sources")  # texts of the project: to change one is no such deed

    def says_by_itself(self, verb: str) -> bool:
        """Whether a verb names this deed, also where nothing is said of what it is done to. A verb
        for any change does not."""
        return self._own.fullmatch(verb) is not None

    @cached_property
    def _own(self) -> re.Pattern[str]:
        given = self.given.get("asked", "").replace("%change%|", "")
        return re.compile(
            rf"(?:{expand(given, read_words('deeds')['words'])}).*", re.IGNORECASE | re.DOTALL
        )

    def compile(self, name: str) -> re.Pattern[str] | None:
        if name not in self.given:
            return None
        text = expand(self.given[name], read_words("deeds")["words"])
        return re.compile(rf"{_START}(?:{text})", re.IGNORECASE)


@cache
def deeds() -> Mapping[str, Deed]:
    """Every deed by its name. One that is `like` another is asked for in the same words."""
    rows = read_words("deeds")
    return {
        name: Deed(
            name,
            one["told"],
            Weight[one["weight"].upper()],
            bool(one.get("anywhere")),
            bool(one.get("broad")),
            {**rows.get(one.get("like", ""), {}), **one},
        )
        for name, one in rows.items()
        if name != "words"
    }
