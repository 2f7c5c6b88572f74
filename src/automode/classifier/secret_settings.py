"""Secrets that a name before them gives away: settings, fields, parameters.

The names are looked for, and a value is read only behind one that says it is secret. So a harmless
name hides nothing that stands in its value, as in `--env=DB_PASSWORD=…`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from automode.classifier.secret_formats import Found, find_secrets
from automode.classifier.secret_names import bare_secret, kind, reference, secret_name, secret_value

_LONGEST_LABEL = 200  # characters from the name of a name to the name of its value
_MOST_ESCAPED = 64  # quotes inside one value
_LONG_VALUE = 400  # characters

_NAME = re.compile(
    r"(?<![\w.$])(?!secret:[a-z0-9-]+#)"
    r"([A-Za-z_][\w.\-]{1,80}+)(\\{0,7}[\"']?[ \t]{0,3}(?::=|=>|=|:)[ \t]{0,3})(?=\S)"
)
_OPENING = re.compile(r"[bBrRuUfF$@]{0,2}(\\{0,7})([\"'])")
_BARE = re.compile(r"[^\s;&|,)}\]>\"'`]++")
_TO_QUOTE = {'"': re.compile(r"[^\"\n]*+"), "'": re.compile(r"[^'\n]*+")}
# Between `"name": ` and `"value": ` of one object, element or entry.
_LABEL = re.compile(
    r"[\\\"']{0,8}([A-Za-z_][\w.\- ]{1,80}+)[\\\"']{0,8}[ \t]{0,9}[,;]?\s{0,80}[\\\"']{0,8}"
)


def find_settings(text: str) -> Iterator[Found]:
    """From left to right, none within another."""
    position = 0
    before: re.Match[str] | None = None
    for match in _NAME.finditer(text):
        if match.start() < position:
            continue
        label = _label(text, before, match)
        before = match
        name = label or match[1]
        if not secret_name(name):
            continue
        begin, stop = _written(text, match.end())
        # Where a label stands, nothing but a value can be meant.
        bare = begin == match.end() and not label
        if _secret(name, match[2] if bare else "", text[begin:stop]):
            yield Found(begin, stop, kind(name))
            position = stop
        elif stop - begin > _LONG_VALUE:
            position = stop  # to read it anew behind each name in it would be quadratic


def names_a_name(name: str) -> bool:
    return name.casefold().endswith(("name", "key", "variable"))


def names_a_value(name: str) -> bool:
    return name.endswith(("value", "Value", "VALUE"))


def _label(text: str, before: re.Match[str] | None, match: re.Match[str]) -> str:
    """The name that the field `before` gives to the value of this one, if it is a secret's."""
    if before is None or not names_a_value(match[1]) or not names_a_name(before[1]):
        return ""
    if match.start() - before.end() > _LONGEST_LABEL:
        return ""
    found = _LABEL.fullmatch(text, before.end(), match.start())
    return found[1] if found is not None and secret_name(found[1]) else ""


def _secret(name: str, joint: str, value: str) -> bool:
    return secret_value(name, value) and (not joint or bare_secret(name, joint, value))


def _written(text: str, start: int) -> tuple[int, int]:
    """Where the value stands, without its quotes; empty where it is a reference."""
    opening = _OPENING.match(text, start)
    begin = start if opening is None else opening.end()
    if reference(text, begin):
        return begin, begin
    return begin, _bare_end(text, begin) if opening is None else _closing(text, opening)


def _bare_end(text: str, begin: int) -> int:
    found = _BARE.match(text, begin)
    stop = begin if found is None else found.end()
    while stop > begin and text[stop - 1] == "\\":
        stop -= 1  # it belongs to the quote behind it
    return stop


def _closing(text: str, opening: re.Match[str]) -> int:
    """Where the value ends: before a quote that is escaped no more than the opening one. Without
    one in this line it is empty, as such a quote opens nothing."""
    depth, to_quote = len(opening[1]), _TO_QUOTE[opening[2]]
    position = first = opening.end()
    for _ in range(_MOST_ESCAPED):
        end = _end(to_quote, text, position)
        if end == len(text) or text[end] == "\n":
            break
        slashes = end - len(text[position:end].rstrip("\\")) - position
        if slashes <= depth or (depth == 0 and slashes % 2 == 0):
            return end - min(slashes, depth)
        first = end if first == opening.end() else first
        position = end + 1
    return first


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return position if found is None else found.end()


_COOKIE_VALUE = "cookie-secret"
_LONGEST_COMMAND = 4000  # characters of arguments that are looked at together


def field_names(fields: Mapping[object, object], outer: str) -> list[str]:
    """What the value of each field is named by: in `{"name": "DB_PASSWORD", "value": …}` another
    field names it, and cookies are known by the field `outer` that holds them."""
    names = [str(name) for name in fields]
    if holds_cookies(outer):
        plain = [name for name in names if names_a_value(name)] or names
        return [_COOKIE_VALUE if name in plain else name for name in names]
    if not any(map(names_a_value, names)):
        return names
    labels = [one for name, one in fields.items() if names_a_name(str(name))]
    label = next((one for one in labels if isinstance(one, str) and secret_name(one)), None)
    return [label if label and names_a_value(name) else name for name in names]


def holds_cookies(name: str) -> bool:
    return name[-7:].casefold().endswith(("cookie", "cookies"))


def argument_names(arguments: Sequence[object], outer: str) -> list[str]:
    """The same for a list, which may be a program and its arguments."""
    words = [one if isinstance(one, str) else "" for one in arguments]
    options = ["", *(word.lstrip("-") if word.startswith("-") else "" for word in words)]
    names = [name if secret_name(name) else outer for name in options[: len(words)]]
    if any(options) and sum(map(len, words)) <= _LONGEST_COMMAND:
        for place in _handed_over(words):
            names[place] = "password"
    return names


def _handed_over(words: Sequence[str]) -> Iterator[int]:
    """Which words hold a secret because of the program that the first ones name. A word with blanks
    is a text of its own."""
    command = " ".join("_" * len(word) if " " in word else word for word in words)
    stops: list[int] = []
    for word in words:
        stops.append(len(word) + (stops[-1] + 1 if stops else 0))
    for found in find_secrets(command):
        place = next(place for place, stop in enumerate(stops) if found.start < stop)
        if found.name == "password" and found.stop <= stops[place]:
            yield place
