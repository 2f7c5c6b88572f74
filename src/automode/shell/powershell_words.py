"""Words of PowerShell: strings, variables, escapes, numbers, and what their value is.

Names are compared without case. A value is only known where the script itself writes it."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from automode.core.word_lists import word_lists
from automode.shell.script import HOLE, Assignment, Origin, Word

LISTS = {key: frozenset(words) for key, words in word_lists("automode.shell", "powershell").items()}
SINGLE_QUOTES = "'\u2018\u2019\u201a\u201b"
DOUBLE_QUOTES = '"\u201c\u201d\u201e'
DASHES = "-\u2013\u2014\u2015"
BLANK = " \t\r\f\v\xa0\x85"
ENDS = f"{BLANK}\n;|&(){{}},{SINGLE_QUOTES}{DOUBLE_QUOTES}"
"""What ends a word, or begins something else inside it."""
SPACE = re.compile(r"(?:[ \t\r\f\v]+|`\r?\n)+")
LINES = re.compile(r"(?:[ \t\r\f\v\n;]+|`\r?\n|#[^\n]*)+")
CMDLET = re.compile(r"(?:[\w.]+\\)?([a-z]+-[a-z]\w*)", re.IGNORECASE)
REDIRECT = re.compile(r"([*1-6]?)(>>?)(?:&([12]))?[ \t]*")
ASSIGN = re.compile(r"(?:[-+*/%]|\?\?)?=(?!=)")
NUMBER = re.compile(
    r"(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?)[dlu]?(?:kb|mb|gb|tb|pb)?(?![\w])", re.IGNORECASE
)
VARIABLE = re.compile(r"[$@](?:\{([^{}]*)\}|((?:\w+:)?\w+)|([$?^]))")
TYPE = re.compile(r"\[([A-Za-z_][\w.]*(?:\[[\w.,\[\] ]{0,200}\])?)\]")
BARE = re.compile(rf"[^\s;|&(){{}},<>`$@{SINGLE_QUOTES}{DOUBLE_QUOTES}]+")
_ESCAPES = {"0": "\0", "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_PATH = re.compile(r"(?:[A-Za-z]:|\.{1,2}|~|\\\\[.?]|)\\|[A-Za-z]:/|/")
_DEVICE = re.compile(r"^[\\/]{2}[?.][\\/](?=[A-Za-z]:)")
LOCAL = ("", "global", "local", "script", "private", "using", "variable")
MOST_GAPS = 20
TRUE = Word("$true")
CONSTANTS = {"true": TRUE, "false": Word("$false"), "null": Word("$null")}
BLOCK = Word("{}", plain=True)
"""A script block. What it runs is listed by itself."""
DERIVED = Word(HOLE, Origin.DERIVED)
UNKNOWN = Word(HOLE, Origin.UNKNOWN)


def pairs(key: str) -> Mapping[str, str]:
    words = word_lists("automode.shell", "powershell")[key]
    return dict(zip(words[::2], words[1::2], strict=True))


ALIASES, STATICS, ACTING = pairs("aliases"), pairs("statics"), pairs("acting")


class Part(NamedTuple):
    text: str
    origin: Origin = Origin.LITERAL


def word_of(parts: list[Part], *, quoted: bool = False) -> Word:
    text = "".join(part.text for part in parts)
    origin = max((part.origin for part in parts), default=Origin.LITERAL)
    if not quoted and origin is Origin.LITERAL and any(mark in text for mark in "*?["):
        origin = Origin.GLOB
    return Word(text, origin, plain=quoted)


def as_path(word: Word) -> Word:
    """With slashes where its backslashes separate folders."""
    text = _DEVICE.sub("", word.text)
    bare = not word.plain and "\\" in text
    if bare or _PATH.match(text):
        text = text.replace("\\", "/")
    return word if text == word.text else replace(word, text=text)


class Cursor:
    """The place in a script, and what is known where it stands."""

    def __init__(self, text: str, cwd: str, home: str) -> None:
        self.text = text
        self.place = 0
        self.gaps: dict[str, None] = {}
        self.home = home
        self.known: dict[str, Word] = {}  # variables that are assigned once, at the top
        self.environment: dict[str, Assignment] = {}
        self.folder: str | None = cwd

    def gap(self, why: str) -> None:
        if len(self.gaps) < MOST_GAPS:
            self.gaps.setdefault(why)

    def blanks(self) -> None:
        """Goes on to what follows in this line, or in the next one where it is joined."""
        self._skip(SPACE)

    def lines(self) -> None:
        """The same over the ends of lines and statements."""
        self._skip(LINES)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        while self.match(pattern) or self.at("<#"):
            if self.at("<#"):
                end = self.text.find("#>", self.place)
                self.place = len(self.text) if end < 0 else end + 2

    # Said by those who know more of the language.

    def operand(self) -> Word | None:
        """One value with what is done to it; None where there is none."""
        raise NotImplementedError

    def accessed(self, value: Word) -> Word:
        """The value with the members behind it."""
        raise NotImplementedError

    def nested(self, opening: str, *, blocks: int = 0) -> None:
        """The statements in brackets."""
        raise NotImplementedError

    def statement(self) -> Word:
        raise NotImplementedError

    def at(self, text: str) -> bool:
        return self.text.startswith(text, self.place)

    @property
    def char(self) -> str:
        return self.text[self.place : self.place + 1]

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What the pattern finds right here; the place moves behind it."""
        found = pattern.match(self.text, self.place)
        if found:
            self.place = found.end()
        return found

    def substitution(self) -> Word:
        """The commands in `$(…)`, behind its `$(`."""
        raise NotImplementedError

    def single_quoted(self) -> Word:
        """Behind its first quote."""
        found: list[str] = []
        while self.place < len(self.text):
            char = self.text[self.place]
            self.place += 1
            if char not in SINGLE_QUOTES:
                found.append(char)
            elif self.char and self.char in SINGLE_QUOTES:
                found.append(self.char)
                self.place += 1
            else:
                return Word("".join(found), plain=True)
        self.gap("a quote is not closed")
        return Word("".join(found), plain=True)

    def double_quoted(self) -> Word:
        """Behind its first quote."""
        parts: list[Part] = []
        while self.place < len(self.text):
            char = self.char
            if char in DOUBLE_QUOTES:
                self.place += 1
                if not self.char or self.char not in DOUBLE_QUOTES:
                    return word_of(parts, quoted=True)
                parts.append(Part('"'))
                self.place += 1
            else:
                parts.append(self.expanded())
        self.gap("a quote is not closed")
        return word_of(parts, quoted=True)

    def expanded(self) -> Part:
        """One piece of text in which variables and escapes count."""
        if self.at("`"):
            return Part(self.escape())
        if self.at("$("):
            self.place += 2
            word = self.substitution()
            return Part(word.text, word.origin)
        variable = self.match(VARIABLE) if self.at("$") else None
        if variable:
            word = self.value_of(variable)
            return Part(word.text, word.origin)
        start = self.place
        self.place += 1
        while self.char and self.char not in f"`${DOUBLE_QUOTES}":
            self.place += 1
        return Part(self.text[start : self.place])

    def escape(self) -> str:
        """Behind a backtick most letters are themselves; `u{…}` and `e` depend on the version."""
        letter = self.text[self.place + 1 : self.place + 2]
        self.place += 1 + len(letter)
        if letter in ("u", "e"):
            self.gap("an escape that versions read differently")
        return _ESCAPES.get(letter, letter).replace(HOLE, "")

    def here_string(self) -> Word:
        """At `@'` or `@"`; it ends with the quote at the start of a line."""
        quote = self.text[self.place + 1]
        opened = self.match(re.compile(r"@.[ \t]*\r?\n"))
        end = self.text.find(f"\n{quote}@", self.place - 1) if opened else -1
        if end < 0:
            self.gap("a here-string that does not end")
            self.place = len(self.text)
            return UNKNOWN
        inside = self.text[self.place : max(end, self.place)].removesuffix("\r")
        if quote == "'":
            self.place = end + 3
            return Word(inside, plain=True)
        parts: list[Part] = []
        while self.place < end:
            if self.char in DOUBLE_QUOTES:
                parts.append(Part(self.char))
                self.place += 1
            else:
                parts.append(self.expanded())
        if self.place != end:
            self.gap("a here-string whose end is not sure")
        self.place = max(self.place, end + 3)
        return word_of(parts, quoted=True)

    def value_of(self, variable: re.Match[str]) -> Word:
        """What a variable holds, as far as it is known before the script runs."""
        name = (variable[1] or variable[2] or variable[3]).casefold()
        scope, colon, rest = name.partition(":")
        scope, rest = (scope, rest) if colon else ("", name)
        home = self.home
        if scope == "env":
            return self._of_environment(rest, home)
        if scope not in LOCAL:
            self.gap("a variable of another drive")
            return UNKNOWN
        if rest in CONSTANTS:
            return CONSTANTS[rest]
        if rest == "home":
            return Word(home, plain=True)
        if rest == "pwd":
            return Word(
                self.folder or HOLE, Origin.LITERAL if self.folder else Origin.UNKNOWN, plain=True
            )
        if rest == "profile":
            return Word(f"{home}/Documents/PowerShell/Microsoft.PowerShell_profile.ps1", plain=True)
        return self.known.get(rest, DERIVED)

    def _of_environment(self, name: str, home: str) -> Word:
        places = {
            "home": home,
            "userprofile": home,
            "temp": f"{home}/AppData/Local/Temp",
            "tmp": f"{home}/AppData/Local/Temp",
            "appdata": f"{home}/AppData/Roaming",
            "localappdata": f"{home}/AppData/Local",
            "systemroot": "/c/Windows",
            "windir": "/c/Windows",
            "systemdrive": "C:",
            "programfiles": "/c/Program Files",
            "programdata": "/c/ProgramData",
            "allusersprofile": "/c/ProgramData",
            "homedrive": "C:",
        }
        if name.upper() in self.environment:
            return replace(self.environment[name.upper()].value, plain=True)
        if name not in LISTS["environment"]:
            self.gap("a variable of the environment that may hold a secret")
        if name in places:
            return Word(places[name], Origin.UNKNOWN, plain=True)
        return UNKNOWN
