"""Settings of git: the text of a configuration file, and the keys that are known to be harmless.

The parser follows git's character by character, and refuses what git refuses: a looser one could be
shown a helper that it overlooks. Any other key, in any file that git would read, means that nothing
is proved: one that a later version of git adds is not taken for a harmless one.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Flag, auto
from functools import lru_cache

from automode.shell.word_lists import word_lists

LONGEST_KEPT = 8_192  # characters of a file whose settings are kept
_SPACE = " \t\r\n"
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "\\": "\\", '"': '"'}


class BadConfig(Exception):
    """The text is not a git configuration, or is written in a way this parser does not follow."""


@dataclass(frozen=True, slots=True)
class Setting:
    """`section` and `name` in lower case; `subsection` as written."""

    section: str
    subsection: str
    name: str
    value: str
    key: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        middle = f"{self.subsection}." if self.subsection else ""
        object.__setattr__(self, "key", f"{self.section}.{middle}{self.name}")

    @property
    def switch(self) -> bool | None:
        """What the value means as a switch, None when it is something else."""
        word = self.value.strip().lower()
        if word in ("true", "yes", "on", "1"):
            return True
        return False if word in ("false", "no", "off", "0", "") else None


class _Text:
    def __init__(self, text: str) -> None:
        self.text = text.removeprefix("\ufeff").replace("\r\n", "\n") + "\n"
        self.at = 0
        self.section = ""
        self.subsection = ""

    def next(self) -> str:
        """The next character, empty at the end."""
        char = self.text[self.at : self.at + 1]
        self.at += 1
        return char

    def settings(self) -> list[Setting]:
        found: list[Setting] = []
        while char := self.next():
            if char in _SPACE:
                continue
            if char in "#;":
                self.skip_line()
            elif char == "[":
                self.header()
            elif char.isascii() and char.isalpha() and self.section:
                found.append(self.setting(char))
            else:
                raise BadConfig(f"`{char}` is out of place")
        return found

    def skip_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = end if end >= 0 else len(self.text)

    def header(self) -> None:
        name, self.subsection = "", ""
        while (char := self.next()) != "]":
            if char and char in " \t":
                self.subsection = self.quoted_subsection()
                break
            if not _names(char) and char != ".":
                raise BadConfig("a section has no proper name")
            name += char.lower()
        # `[branch.main]` is the old way to write `[branch "main"]`.
        self.section, _, old = name.partition(".")
        self.subsection = ".".join(part for part in (old, self.subsection) if part)
        if not self.section:
            raise BadConfig("a section has no name")

    def quoted_subsection(self) -> str:
        while (char := self.next()) in (" ", "\t"):
            pass
        if char != '"':
            raise BadConfig("a sub-section is not quoted")
        name = ""
        while (char := self.next()) != '"':
            if char == "\\":
                char = self.next()
            if char in ("", "\n"):
                raise BadConfig("a sub-section is not closed")
            name += char
        if self.next() != "]":
            raise BadConfig("a section is not closed")
        return name

    def setting(self, first: str) -> Setting:
        name = first
        while _names(char := self.next()):
            name += char
        while char in (" ", "\t"):
            char = self.next()
        if char not in ("\n", "="):
            raise BadConfig(f"`{name}` has no value")
        value = self.value() if char == "=" else "true"
        return Setting(self.section, self.subsection, name.lower(), value)

    def value(self) -> str:
        value, quoted = "", False
        keep = 0  # blanks at the end of an unquoted value do not belong to it
        while (char := self.next()) != "\n" or quoted:
            if char in ("", "\n"):
                raise BadConfig("a quoted value is not closed")
            if char in "#;" and not quoted:
                self.skip_line()
                continue
            if char == '"':
                quoted = not quoted
                keep = len(value)
                continue
            if char == "\\":
                char = self.escape()
            elif char in _SPACE and not quoted:
                value += char if value else ""
                continue
            value += char
            keep = len(value)
        return value[:keep]

    def escape(self) -> str:
        char = self.next()
        if char == "\n":
            return ""
        if char not in _ESCAPES:
            raise BadConfig("a value has an unknown escape")
        return _ESCAPES[char]


def _names(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "-")


def parse(text: str) -> tuple[Setting, ...]:
    """Every setting in the order written; raises BadConfig where git would give up."""
    return _kept_settings(text) if len(text) <= LONGEST_KEPT else _settings(text)


def _settings(text: str) -> tuple[Setting, ...]:
    return tuple(_Text(text).settings())


# Every git command asks for the same few files, and what one says depends on its text alone.
_kept_settings = lru_cache(maxsize=64)(_settings)

WORDS = word_lists("automode.programs")


class Family(Flag):
    """What a command does that a setting can turn into more than reading."""

    NONE = 0
    DATA = auto()  # reads the index or objects, which a partial clone fetches when they are missing
    PAGER = auto()
    WORKTREE = auto()  # looks at files of the checkout: filters, the hook of the index
    EXTERNAL = auto()  # may hand a comparison to another program
    TEXTCONV = auto()  # shows contents, which drivers convert or merge first
    LOG = auto()  # shows commits in the configured format
    GREP = auto()
    FSCK = auto()
    TRAILER = auto()
    LFS = auto()  # a program of its own: another command stands in for it where it is missing
    PRINTS = auto()  # prints settings


_FOR_CHANGES = WORDS["git-keys-for-changes"]
_ON_OR_OFF = r"(?i:true|false|yes|no|on|off|0|1)?"
_OFF = r"(?i:false|no|off|0)?"
_LESS = (
    r"less(?: (?:-[aeEfFgGiIJKmMnNqQrRsSuUwWXx0-9,]+|--(?:tabs=[\d,]+|RAW-CONTROL-CHARS|mouse)))*"
)
_PAGER = rf"cat|more|most|bat|delta|(?:diff-so-fancy \| |diff-highlight \| )?{_LESS}"
_ATOMS = (
    "refname object[a-z]* deltabase tree parent numparent type tag[a-z]* author[a-z]* "
    "committer[a-z]* creator[a-z]* subject body contents upstream push symref flag HEAD "
    "worktreepath ahead-behind color align end if then else trailers rest raw decorate path stage "
    "eolinfo eolattr"
)
_FORMAT = (
    r"(?:[^%]|%%|%[-+ ]?(?:[HhTtPpeSsfbBNdDnm]|[ac][nNeElLdDrtiIsh]|g[dDnNeEs]|x?[0-9a-fA-F]{2}"
    r"|C(?:auto|red|green|blue|reset|\([^()%]*\))|w\([^()%]*\)|[<>][<>|]*\([^()%]*\)"
    rf"|\(\*?(?:{'|'.join(_ATOMS.split())})(?:[:=,](?:[^()%]|%x[0-9a-fA-F]{{2}})*)?\)))*"
)

# Harmless for every command when the whole value fits. No part of a format holds a `%` that git
# would read by itself where it does not understand the part.
_VALUES: dict[str, str] = {
    "core.fsmonitor core.usebuiltinfsmonitor": _ON_OR_OFF,
    "core.pager": f"|{_PAGER}",
    "pager.*": rf"{_ON_OR_OFF}|{_PAGER}",
    "log.showsignature remote.*.promisor status.submodulesummary core.splitindex": _OFF,
    "submodule.recurse grep.fallbacktonoindex merge.renormalize": _OFF,
    "help.autocorrect": rf"{_OFF}|never|prompt|show",
    "format.pretty pretty.*": _FORMAT,
    "filter.lfs.clean filter.lfs.smudge filter.lfs.process": (
        r"|git-lfs (?:clean|smudge|filter-process)(?: --skip)?(?: -- %f)?"
    ),
    "filter.*.clean filter.*.smudge filter.*.process diff.external": "",
    "diff.submodule": "short|log",
    "core.excludesfile": r"|[^\0]*(?:ignore|exclude)[\w.-]*",
    "core.attributesfile": r"|[^\0]*attributes[\w.-]*",
    "mailmap.file": r"|[^\0]*mailmap[\w.-]*",
    "blame.ignorerevsfile": r"|[^\0]*ignore[-_]?revs?[\w.-]*",
}

_SECRET_NAME = re.compile(r"token|passw|^(?:smtp|db)?pass$|secret|extraheader|oauth|api-?key", re.I)
_SECRET_ADDRESS = re.compile(r"://(?:[^/\s@]*:[^/\s@]+|[^/\s@]{20,})@|[?&;][\w-]*(?:token|key)=")


def _pattern_of(keys: Iterable[str]) -> str:
    return "|".join(re.escape(key).replace(r"\*", ".*") for key in keys)


_ROWS = tuple(
    (family, re.compile(_pattern_of(WORDS[f"git-keys-{str(family.name).lower()}"]), re.S))
    for family in (Family.NONE, *Family)
    if family is not Family.PRINTS
)


@lru_cache(maxsize=4_096)
def _is_listed(key: str, families: Family) -> bool:
    """Whether a key is harmless, whatever its value, for a command of these families."""
    return any(not family & families and keys.fullmatch(key) for family, keys in _ROWS)


_CHANGES = re.compile(_pattern_of(_FOR_CHANGES), re.S)
_BY_VALUE = tuple(
    (re.compile(_pattern_of(keys.split()), re.S), re.compile(value))
    for keys, value in _VALUES.items()
)


def plain_format(text: str) -> bool:
    """Whether a format asks for nothing but what is known to be read: `%G?` would run gpg."""
    return re.fullmatch(_FORMAT, text) is not None


def harmless(setting: Setting, families: Family) -> bool:
    if Family.PRINTS in families and secret(setting):
        return False
    return _is_listed(setting.key, families) or any(
        keys.fullmatch(setting.key) and value.fullmatch(setting.value) for keys, value in _BY_VALUE
    )


def harmless_for_changes(setting: Setting) -> bool:
    return _CHANGES.fullmatch(setting.key) is not None


def secret(setting: Setting) -> bool:
    """Whether printing the setting would print a credential."""
    named = _SECRET_NAME.search(setting.name) is not None
    return named or _SECRET_ADDRESS.search(f"{setting.subsection} {setting.value}") is not None
