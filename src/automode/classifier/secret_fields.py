"""What names a value in a tool's input: its own field, another field, the argument before it."""

from collections.abc import Iterator, Mapping, Sequence

from automode.classifier.secret_formats import find_secrets
from automode.classifier.secret_names import secret_name
from automode.classifier.secret_settings import names_a_name, names_a_value

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
