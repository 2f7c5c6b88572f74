"""Secrets that give themselves away, by their shape or by the word before them: how they are found.

The formats come from a maintained source (`secret_formats.json`, written by `make secrets`) and
from a short table of ours (`secret_formats_own.toml`). A pattern is tried only where its mark
stands, and whatever it repeats is bounded or gives nothing back: no text makes the search slower
than linear.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain

LONG_ENOUGH = 8  # characters of a bare value that must hold a digit to count as a secret
HAS_DIGIT = re.compile(r"[0-9]")
_LONG_SETTING = 6  # characters of a bare value behind `=`
_MOST_NAMES = 4096
_LONGEST_NAME = 120  # characters; longer texts must not fill our memory

# A name says that its value is a secret when it ends so, whatever joins its words.
_ENDINGS = (
    *("token", "secret", "password", "passwd", "passphrase", "passcode", "pwd", "credential"),
    *("credentials", "apikey", "accesskey", "accountkey", "secretkey", "privatekey", "authkey"),
    *("signingkey", "encryptionkey", "masterkey", "sharedkey", "licensekey", "connectionstring"),
    *("secretaccesskey", "clientsecret", "apitoken", "authtoken", "userpass", "storagekey"),
    *("hmackey", "apisecret", "deploykey", "sessionkey", "secrethash", "authorization"),
    *("dbpass", "keypass", "storepass", "rootpass", "adminpass"),
)
_JOINTS = str.maketrans("", "", "_-. ")
# As a word of its own: not in `compass` and `bypass`, and not where a thing is gone through.
_PASS = re.compile(
    r"(?<![A-Za-z0-9])(?i:pass)\Z|(?<=[a-z0-9])Pass\Z",
)
_GONE_THROUGH = re.compile(
    r"(?i)(?:\A|[_.\- ])(?:first|second|third|last|next|final|one|two|single|multi|each|per|low"
    r"|high|band|by|all|render|shader|compute|depth|shadow|post|opt|lint|tests?|checks?|should|must"
    r"|will|can|does|not|no|did|to|num|n|total|count|full|quick|forward|backward)[_.\- ]?pass\Z"
)

_SCHEMES = ("bearer", "basic", "digest", "negotiate", "token")
_REFERENCE = re.compile(
    r"[$%<{\[(*]|(?:true|false|null|none|nil|undefined|yes|no|on|off|str|string|int|bool|any)\b"
    r"|(?:bearer|basic|digest|token)[ \t]{1,3}[$%<{\[(*]"
    r"|(?:process|os|env|secrets|vars|config|settings|self|this|args|import)[.\[]|\.{0,2}/|~|[A-Za-z]:[\\/]|\w+!?[(<\[]",
    re.IGNORECASE,
)


def secret_name(name: str) -> bool:
    return _names_secret(name[-_LONGEST_NAME:])


@lru_cache(maxsize=_MOST_NAMES)
def _names_secret(name: str) -> bool:
    plain = name.translate(_JOINTS).casefold()
    if plain.endswith(_ENDINGS):
        return True
    if plain.endswith("pass"):
        return _PASS.search(name) is not None and _GONE_THROUGH.search(name) is None
    return name.isupper() and plain.endswith(("key", "auth"))


def kind(name: str) -> str:
    plain = name.translate(_JOINTS).casefold()
    kinds = ("cookie", "password", "token", "credential", "secret", "key")
    found = next((kind for kind in kinds if kind in plain), None)
    return found or ("password" if "p" in plain and "auth" not in plain else "secret")


def reference(text: str, start: int = 0) -> bool:
    """A variable, a path, a type, a word for "nothing": a judge must be able to read those."""
    return _REFERENCE.match(text, start) is not None


def secret_value(name: str, value: str) -> bool:
    if len(value) <= 2 or reference(value) or "[secret:" in value:
        return False
    if not _only_pass(name):
        return True
    # Test runs write `PASS=1204`, encoders are told `--pass 2`.
    shortest = LONG_ENOUGH if value.isdigit() else _LONG_SETTING
    return len(value) >= shortest and " " not in value


def bare_secret(name: str, joint: str, value: str) -> bool:
    """Without quotes, code and prose look like settings: `password: string`, `token = next`."""
    if value.casefold() in _SCHEMES:
        return False  # what follows it has been looked at
    if name.isupper() and "=" in joint:
        return True
    if joint == "=":
        return len(value) >= _LONG_SETTING
    if _only_pass(name) and name != "pass":
        return False  # `PASS: TestLogin2`
    return len(value) >= LONG_ENOUGH and HAS_DIGIT.search(value) is not None


def _only_pass(name: str) -> bool:
    return len(name) == len("pass") and name.casefold() == "pass"


_PIECE = 4  # characters of a mark by which all marks are looked for at once
_COMMON_LETTERS = "etaoinsrhldcumfpgwybvkxjqz"  # the most frequent first

# The word, what may stand between it and a sign of assignment, and the value.
_NAMED = (
    r"%s[ \t\w.\-]{0,20}+[\s'\"]{0,3}+"
    r"(?:=>|\|\||\?=|:{0,3}=|[>:,])[`'\"\s=]{0,5}(%s)"
)
# Some secrets begin like the names of functions and files, but none is small letters throughout.
_FLOOD = 3  # misses of one format in one text
_PART = re.compile(r"<([A-Z_]+)>")
_SAME_COMMAND = r"[^\n;&|]{0,200}+"
_WORDS = re.compile(r"[A-Z]?[a-z_.\-]*+")


@dataclass(frozen=True, slots=True)
class Format:
    """`name` is what the placeholder says. A match begins with one of `marks`, or holds one; a mark
    in small letters stands for either case. The pattern's only group is the secret. `placed`: by
    where it stands alone, so that it may look like a word. Where `program` matches and `pattern`
    does not, the rest of the command holds no secret of this kind either."""

    name: str
    marks: tuple[str, ...]
    pattern: str
    begins: bool = True
    own: bool = False
    placed: bool = False
    program: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    start: int
    stop: int
    name: str


def find_secrets(text: str) -> list[Found]:
    """From left to right. What several formats cover together is one secret; the first and longest
    of them names it, and our table rather than the source, whose names are not ours to keep. Its
    shape tells more than its place."""
    small = text.replace("\u0130", "i").lower()  # the one letter whose small form is longer
    every = sorted(
        found
        for mark, searched in _marks_in(text, small)
        for form in _formats_of()[mark]
        for found in _matches(form, mark, text, searched)
    )
    merged: list[Found] = []
    for start, minus_stop, _, name in every:
        if merged and start < merged[-1].stop:
            last = merged.pop()
            merged.append(Found(last.start, max(last.stop, -minus_stop), last.name))
        else:
            merged.append(Found(start, -minus_stop, name))
    return merged


def _matches(
    form: Format, mark: str, text: str, searched: str
) -> Iterator[tuple[int, int, int, str]]:
    pattern = _regex(form.pattern)
    tried = _matches_at_marks(form, mark, text, searched) if form.begins else pattern.finditer(text)
    rank = 2 if form.placed else int(not form.own)
    for match in tried:
        secret = match[1]
        if form.placed:
            readable = reference(secret) or "[secret:" in secret
        else:
            readable = _WORDS.fullmatch(secret) is not None
        if not readable:
            yield match.start(1), -match.end(1), rank, form.name


def _matches_at_marks(form: Format, mark: str, text: str, searched: str) -> Iterator[re.Match[str]]:
    pattern = _regex(form.pattern)
    position = searched.find(mark)
    misses = 0
    while position >= 0:
        match = pattern.match(text, position)
        if match is not None:
            yield match
        misses += match is None
        # `docker exec mysql sh -c "mysql …"`: the same name again may be the one that counts.
        program = form.program if misses > _FLOOD else ""
        after = _behind(program, text, position) if match is None else match.end(1)
        position = searched.find(mark, after)


def _behind(program: str, text: str, position: int) -> int:
    """Where to look on after a miss. A flood of programs would have each read what follows all."""
    found = _regex(program).match(text, position) if program else None
    return position + 1 if found is None else max(found.end(), position + 1)


@cache
def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


@cache
def formats() -> tuple[Format, ...]:
    match json.loads(_file("secret_formats.json")):
        case {"begins": [*begins], "holds": [*holds], "named": [*named]}:
            source = (*map(_format, begins), *(_format(row, begins=False) for row in holds))
            return (*source, *map(_format, named), *_own_formats())
        case _:
            raise ValueError("no table of secret formats: `secret_formats.json`")


def _format(row: object, *, begins: bool = True) -> Format:
    match row:
        case [str(name), [*marks], str(pattern)]:
            return Format(name, tuple(map(str, marks)), pattern, begins)
        case [str(name), [*marks], str(word), str(value)]:
            return Format(name, tuple(map(str, marks)), _NAMED % (word, value))
        case _:
            raise ValueError(f"no secret format: `{row}`")


def _own_formats() -> Iterator[Format]:
    table = tomllib.loads(_file("secret_formats_own.toml"))
    parts: dict[str, str] = table["parts"]

    def pattern(text: str) -> str:
        return _PART.sub(lambda part: pattern(parts[part[1]]), text)

    for name, prefixes, body, _why in table["prefixes"]:
        for prefix in prefixes.split():
            shape = rf"(?<![A-Za-z0-9])({re.escape(prefix)}{body})"
            yield Format(name, (prefix,), shape, own=True)
    for row in table["shapes"]:
        marks = tuple(row["marks"].split())
        yield Format(row["name"], marks, row["pattern"], not row.get("holds"), own=True)
    for row in table["places"]:
        program, then = row.get("program", ""), row.get("then", "")
        if "option" in row:
            program = f"<BEGIN>(?:{row['programs']})(?:\\.exe)?(?=[ \\t])"
            then = f"<TO_AN_OPTION>{row['option']}<VALUE>"
        yield Format(
            row.get("name", "password"),
            tuple(row["marks"]),
            pattern(program + then),
            own=True,
            placed=True,
            program=program and pattern(program) + _SAME_COMMAND,
        )


def _file(name: str) -> str:
    return files("automode.classifier").joinpath(name).read_text(encoding="utf-8")


# Looking for hundreds of marks one by one would cost more than all the rest.


def _marks_in(text: str, small: str) -> Iterator[tuple[str, str]]:
    """The marks that stand in the text, each with the spelling of it in which to look for them."""
    index = _index()
    yield from ((mark, small) for mark in index.short_small if mark in small)
    yield from ((mark, text) for mark in index.short if mark in text)
    for piece in index.pieces.intersection(_pieces(small)):
        for mark in index.by_piece[piece]:
            searched = small if mark.islower() else text
            if mark in searched:
                yield mark, searched


@cache
def _formats_of() -> dict[str, list[Format]]:
    by_mark: dict[str, list[Format]] = {}
    for form in formats():
        for mark in form.marks:
            by_mark.setdefault(mark, []).append(form)
    return by_mark


@dataclass(frozen=True, slots=True)
class _Index:
    """Marks by the piece that tells most about them, and those that are shorter than a piece."""

    by_piece: dict[int, list[str]]
    pieces: frozenset[int]
    short: tuple[str, ...]
    short_small: tuple[str, ...]


@cache
def _index() -> _Index:
    by_piece: dict[int, list[str]] = {}
    for mark in _formats_of():
        if len(mark) >= _PIECE:
            by_piece.setdefault(max(_pieces(mark.lower()), key=_rarity), []).append(mark)
    short = [mark for mark in _formats_of() if len(mark) < _PIECE]
    small = tuple(mark for mark in short if mark.islower())
    exact = tuple(mark for mark in short if not mark.islower())
    return _Index(by_piece, frozenset(by_piece), exact, small)


def _pieces(small: str) -> Iterator[int]:
    """Every four characters in a row, as one number: half the time of making strings of them."""
    data = memoryview(small.encode("ascii", "replace"))
    ends = [len(data) - (len(data) - shift) % _PIECE for shift in range(min(_PIECE, len(data)))]
    return chain.from_iterable(data[shift:end].cast("I") for shift, end in enumerate(ends))


def _rarity(piece: int) -> int:
    letters = piece.to_bytes(_PIECE, sys.byteorder).decode()
    return sum(_COMMON_LETTERS.find(one) % 40 for one in letters)  # what is no letter is rarest
