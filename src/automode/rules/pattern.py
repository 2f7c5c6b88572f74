"""Permission patterns: `tool` or `tool(glob)`, and which calls they speak of."""

import re
from dataclasses import dataclass
from enum import IntEnum

from automode.core.call import Delegate, Fetch, Other, Read, Shell, ToolCall, Write
from automode.core.errors import BadPattern
from automode.core.tools import canonical
from automode.rules.glob import could_match, matches

__all__ = ["MAX_CHARACTERS", "Match", "Pattern", "Rule", "could_match", "matches", "parse"]

MAX_CHARACTERS = 4096
_TOOL = re.compile(r"@?([\w*.:/-]+)")
_FILE_TOOLS = ("read", "write", "edit", "grep", "find", "ls")
_OWN_NAMES = (*_FILE_TOOLS, "bash", "powershell", "cmd", "web_fetch", "agent")


class Match(IntEnum):
    """How sure it is that a pattern matches, least first."""

    NO = 0
    COULD = 1  # something is not known, and one way of filling it in would match
    YES = 2


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern as the person wrote it, and where: `~/.config/automode/config.json:12`."""

    text: str
    origin: str = ""

    @property
    def shown(self) -> str:
        return f"`{self.text}`" + (f" ({self.origin})" if self.origin else "")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A rule that has been read. `argument` is None when it is about the whole tool."""

    rule: Rule
    tool: str  # canonical, or with `*`
    argument: str | None = None

    def about(self, call: ToolCall) -> bool:
        """Whether a deny or ask rule speaks of this call's tool, by any of its names."""
        return any(matches(self.tool, name) for name in _names(call))

    def permits(self, call: ToolCall) -> bool:
        """Whether an allow rule speaks of it: only by the name for what the call does."""
        name = _name(call)
        return name is not None and matches(self.tool, name)


def parse(rule: Rule) -> Pattern:
    """Raises BadPattern for text that is no pattern."""
    text = rule.text.strip()
    if len(text) > MAX_CHARACTERS:
        raise BadPattern(
            f"permission pattern of {len(text)} characters: `{text[:60]}…`",
            f"at most {MAX_CHARACTERS} are read; write several shorter ones",
        )
    tool, opened, rest = text.partition("(")
    named = _TOOL.fullmatch(tool.strip())
    if not named or (opened and not rest.endswith(")")) or "\0" in text:
        raise BadPattern(
            f"unreadable permission pattern: `{text[:200]}`", "write `tool` or `tool(glob)`"
        )
    argument = rest[:-1].strip() if opened else ""
    return Pattern(rule, canonical(named[1]), None if argument in ("", "*") else argument)


def _name(call: ToolCall) -> str | None:
    """The rule name for what a call does. None when what it does and its name disagree."""
    own = canonical(call.tool)
    match call.action:
        case Shell(dialect=dialect):
            return dialect
        case Fetch():
            return "web_fetch"
        case Delegate():
            return "agent"
        case Write():
            return own if own in ("write", "edit") else "write"
        case Read(paths=paths):
            return "read" if paths and own not in _FILE_TOOLS else own
        case Other():
            return None if own in _OWN_NAMES else own


def _names(call: ToolCall) -> tuple[str, ...]:
    """Every name a deny or ask rule may use. Writing is writing and showing is showing: a rule for
    `write` or `edit` holds for both, and one for `read` also for `grep`, which prints files."""
    names = [canonical(call.tool), call.tool.strip().casefold()]
    name = _name(call)
    if name:
        names.append(name)
    if isinstance(call.action, Write):
        names += ["write", "edit"]
    if isinstance(call.action, Read) and (call.action.paths and name in ("edit", "grep")):
        names.append("read")
    if isinstance(call.action, Shell) and call.action.dialect != "bash":
        names = [name for name in names if name != "bash"]
    return tuple(dict.fromkeys(names))
