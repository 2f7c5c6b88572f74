"""Permission patterns: `tool` or `tool(glob)`, and which calls they speak of."""

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from automode.core.call import Delegate, Fetch, Other, Read, Shell, ToolCall, Write
from automode.core.errors import BadPattern
from automode.core.tool_input import canonical
from automode.shell.script import HOLE

STEPS_LIMIT = 50_000_000
"""Characters of pattern times characters of text past which `could_match` just says yes."""

_EXPRESSION_LIMIT = 1_000_000  # past this the automaton, slower on short texts, is the faster one


def matches(glob: str, text: str) -> bool:
    """Whether plain-text `glob` covers the whole of `text`. A HOLE in the text is a character that
    only `*` covers: then the answer holds whatever stands there."""
    if len(glob) * len(text) > _EXPRESSION_LIMIT:
        return _automaton(glob, paths=False).accepts(text, holes=False)
    return _expression(glob).match(text) is not None


@lru_cache(maxsize=4096)
def _expression(glob: str) -> re.Pattern[str]:
    """Each piece where it comes first, never taken back: at worst pattern times text."""
    first, *rest = (re.escape(piece).replace(r"\?", "[^\0]") for piece in glob.split("*"))
    inner = "".join(f"(?>.*?{piece})" for piece in rest[:-1])
    return re.compile(f"{first}{inner}{f'.*{rest[-1]}' if rest else ''}\\Z", re.DOTALL)


def could_match(glob: str, text: str) -> bool:
    """Whether some text in place of each HOLE would make plain-text `glob` cover `text`."""
    if HOLE not in text:
        return matches(glob, text)
    if len(glob) * len(text) > STEPS_LIMIT:
        return True
    return _automaton(glob, paths=False).accepts(text, holes=True)


def matches_path(glob: str, path: str) -> bool:
    """Whether the path-dialect `glob` covers the whole of `path`."""
    if len(glob) * len(path) > STEPS_LIMIT:
        return False
    return _automaton(glob, paths=True).accepts(path, holes=False)


@dataclass(frozen=True, slots=True)
class _Automaton:
    """A set of places in the pattern as the bits of one number, so that one step costs a few
    machine operations whatever the pattern is."""

    letters: dict[str, int]  # where each literal character stands
    anything: int  # places of `?`
    stars: int  # places that stay where they are on any character but `/`
    globstars: int  # places that stay where they are on any character
    skips: int  # places of `**/`, which may also stand for no folder at all
    end: int
    slash_is_special: bool

    def accepts(self, text: str, *, holes: bool) -> bool:
        """With `holes`, a HOLE is any text; without, something that only a star covers."""
        places = self.enter(1)
        for letter in text:
            places = self.skip(places, holes=holes) if letter == HOLE else self.step(places, letter)
            if not places:
                return False
        return bool(places & self.end)

    def skip(self, places: int, *, holes: bool) -> int:
        if not holes:
            return self.close(places & (self.stars | self.globstars))
        lowest = places & -places
        return ((self.end << 1) - 1) & ~(lowest - 1)  # every later place can be reached

    def step(self, places: int, letter: str) -> int:
        slash = self.slash_is_special and letter == "/"
        staying = places & (self.globstars if slash else self.globstars | self.stars)
        moving = places & (self.letters.get(letter, 0) | (0 if slash else self.anything))
        return self.close(staying) | self.enter(moving << 1)

    def enter(self, places: int) -> int:
        return self.close(places | (places & self.skips) << 2)

    def close(self, places: int) -> int:
        """Stars may stand for nothing. Neighbouring stars were merged, so one round is enough."""
        return places | (places & (self.stars | self.globstars)) << 1


@lru_cache(maxsize=4096)
def _automaton(glob: str, *, paths: bool) -> _Automaton:
    pieces = _path_pieces(glob) if paths else list(re.sub(r"\*+", "*", glob))
    letters: dict[str, int] = {}
    anything = stars = globstars = skips = 0
    for index, piece in enumerate(pieces):
        bit = 1 << index
        if piece == "**":
            globstars |= bit
            before = pieces[index - 1] if index else "/"
            if before == "/" and pieces[index + 1 : index + 2] == ["/"]:
                skips |= bit
        elif piece == "*":
            stars |= bit
        elif piece == "?":
            anything |= bit
        else:
            letters[piece] = letters.get(piece, 0) | bit
    return _Automaton(letters, anything, stars, globstars, skips, 1 << len(pieces), paths)


def _path_pieces(glob: str) -> list[str]:
    while "**/**/" in glob:
        glob = glob.replace("**/**/", "**/")
    pieces: list[str] = []
    for letter in glob:
        if letter == "*" and pieces and pieces[-1] in ("*", "**"):
            pieces[-1] = "**"
        else:
            pieces.append(letter)
    return pieces


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
