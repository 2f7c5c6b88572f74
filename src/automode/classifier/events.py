"""What a host tells about a session, as data: the only way words reach a transcript.

Adapters make these from a host's own events. The origin of a text is stated by the adapter; it is
never guessed from the text alone where the host knows better.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import TypeAlias

from automode.core.transcript import Fact, Outcome


class Origin(StrEnum):
    """Who put a text into the user's place in the conversation."""

    PERSON = "person"
    MACHINE = "machine"  # task notifications, reminders, command output, expansions
    HOOK = "hook"  # context that a hook added
    COMPACTION = "compaction"  # a summary of earlier conversation
    ORCHESTRATOR = "orchestrator"  # another agent, speaking to its sub-agent


@dataclass(frozen=True, slots=True)
class UserPrompt:
    """A text in the user's place. Only a person's counts as the user's words."""

    text: str
    origin: Origin = Origin.PERSON


@dataclass(frozen=True, slots=True)
class BranchTaken:
    """The person went to another place in the conversation. `words` are on the branch to it, in
    their order; `left` on all other branches."""

    words: tuple[str, ...]
    left: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AgentParagraph:
    """What the agent said to the user. Forgotten, unless a bare affirmation answers it, or it is
    `shown` to the classifier because a person chose that."""

    text: str
    shown: bool = False


@dataclass(frozen=True, slots=True)
class ToolProposed:
    """`id` is the host's own id of the call, to find it again when it has finished."""

    id: str
    tool: str
    input: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolFinished:
    id: str
    outcome: Outcome
    approved: bool = False  # see `PriorCall`


@dataclass(frozen=True, slots=True)
class ApprovalsForgotten:
    """A person let the session begin anew: what they said yes to before says nothing any more."""


@dataclass(frozen=True, slots=True)
class HostQuestionAnswered:
    """`own_tool`: the host itself asked. A tool of the same name from elsewhere can put any answer
    into the user's mouth, so its answers are dropped."""

    question: str
    answer: str
    own_tool: bool


@dataclass(frozen=True, slots=True)
class FactNoted:
    fact: Fact


Event: TypeAlias = (
    UserPrompt
    | BranchTaken
    | AgentParagraph
    | ToolProposed
    | ToolFinished
    | ApprovalsForgotten
    | HostQuestionAnswered
    | FactNoted
)


# Tags around what a person typed: the words stay, with the sign the person typed before them.
_TYPED = {"command-name": "", "command-args": " ", "bash-input": "! "}


@cache
def word_table(theme: str) -> dict[str, list[str]]:
    """A table of `words.toml`."""
    text = files("automode.classifier").joinpath("words.toml").read_text("utf-8")
    table: dict[str, list[str]] = tomllib.loads(text)[theme]
    return table


@cache
def _blocks() -> re.Pattern[str]:
    names = "|".join(map(re.escape, (*word_table("machine")["blocks"], *_TYPED)))
    return re.compile(rf"<({names})[> ]", re.IGNORECASE)


def person_words(text: str) -> str:
    """`text` without what machines wove into it; empty when a machine wrote all of it. Hosts that
    say where a text came from are believed (`Origin`); some weave reminders, command output and
    summaries into the very text of a user turn."""
    if text.lstrip()[:80].casefold().startswith(tuple(word_table("machine")["openings"])):
        return ""
    return _without_blocks(text).strip() if "<" in text else text.strip()


def _without_blocks(text: str) -> str:
    """One pass from left to right. A block that never closes reaches to the end: machine text must
    not become user text because a mark is missing."""
    kept: list[str] = []
    position = 0
    while block := _blocks().search(text, position):
        kept.append(text[position : block.start()])
        name, opened = block[1].casefold(), text.find(">", block.start())
        end = text.find(f"</{name}", opened)  # hosts write it in lower case
        if opened < 0 or end < 0:
            return "".join(kept)
        if name in _TYPED:
            kept.append(_TYPED[name] + text[opened + 1 : end].strip())
        position = text.find(">", end) + 1 or len(text)
    return "".join((*kept, text[position:]))
