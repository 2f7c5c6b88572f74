"""What a scripted model says: turns, one after the other, for each conversation it is part of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call as the model writes it, with the agent's own name of the tool."""

    tool: str
    input: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Turn:
    """Tool calls, or words where there are none. `before` runs when the turn is asked for and
    before it is given: what happens between two calls of an agent happens there. `offered`: only
    tools that the agent offers are called; a model may call others."""

    uses: tuple[ToolUse, ...] = ()
    words: str = ""
    before: Callable[[], None] | None = field(default=None, compare=False)
    offered: bool = True


def using(*uses: ToolUse, before: Callable[[], None] | None = None) -> Turn:
    return Turn(uses, before=before)


def saying(words: str, before: Callable[[], None] | None = None) -> Turn:
    return Turn(words=words, before=before)


LAST = saying("There is nothing left to do.")


@dataclass(frozen=True, slots=True)
class Script:
    """`opening`: the script is for conversations in whose first message these words stand; empty
    for any. A sub-agent has a conversation of its own."""

    turns: tuple[Turn, ...]
    opening: str = ""

    def turn(self, number: int) -> Turn:
        return self.turns[number] if number < len(self.turns) else LAST


def turn_for(scripts: tuple[Script, ...], opening: str, number: int) -> Turn:
    """The script that names its opening goes first."""
    named = [one for one in scripts if one.opening and one.opening in opening]
    unnamed = [one for one in scripts if not one.opening]
    for script in (*named, *unnamed):
        return script.turn(number)
    return LAST
