"""Secrets become typed placeholders before anything leaves the machine.

A placeholder keeps what a judge needs: that a secret stood there, of which kind, and whether it
is the same one as elsewhere. Every search is linear in the text.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from automode.classifier.hygiene import cut_in_the_middle, ends, join_ends
from automode.classifier.secret_formats import (
    HAS_DIGIT,
    LONG_ENOUGH,
    Found,
    bare_secret,
    find_secrets,
    kind,
    reference,
    secret_name,
    secret_value,
)

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

_BLANK = re.compile(r"\s")
_OPERATOR = re.compile(r"[;&|<>`]|\s--?[A-Za-z]|\s(?:\.{0,2}/|https?:)")
# The variable whose value is run: behind such a word, or where a command begins.
_RUN = re.compile(
    r"(?:\beval|-[a-z]{0,3}c|[;&|\n])[ \t\"']{0,9}\$\{?([A-Za-z_]\w{0,80})"
    r"|\b(?:eval|exec|system|run|popen)\([ \t]{0,9}([A-Za-z_]\w{0,80})"
)


def find_settings(text: str) -> Iterator[Found]:
    """From left to right, none within another."""
    position = 0
    before: re.Match[str] | None = None
    run = frozenset(found[1] or found[2] for found in _RUN.finditer(text))
    for match in _NAME.finditer(text):
        if match.start() < position:
            continue
        label = _label(text, before, match)
        before = match
        name = label or match[1]
        if not secret_name(name):
            continue
        begin, stop = _value_span(text, match.end())
        # Where a label stands, nothing but a value can be meant.
        bare = begin == match.end() and not label
        value = text[begin:stop]
        if match[1] in run and _BLANK.search(value) is not None:
            continue  # a command in a variable
        if _secret(name, match[2] if bare else "", value):
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
    if not secret_value(name, value) or holds_commands(value):
        return False
    return not joint or bare_secret(name, joint, value)


def holds_commands(value: str) -> bool:
    """A judge and a person must read what a shell may run: several words with an operator or an
    option among them, and whatever is put in by running something."""
    if "$(" in value or "${" in value:
        return True
    return _BLANK.search(value) is not None and _OPERATOR.search(value) is not None


def _value_span(text: str, start: int) -> tuple[int, int]:
    """Where the value stands, without its quotes; empty where it is a reference."""
    opening = _OPENING.match(text, start)
    begin = start if opening is None else opening.end()
    if reference(text, begin):
        return begin, begin
    return begin, _bare_end(text, begin) if opening is None else _quote_end(text, opening)


def _bare_end(text: str, begin: int) -> int:
    found = _BARE.match(text, begin)
    stop = begin if found is None else found.end()
    while stop > begin and text[stop - 1] == "\\":
        stop -= 1  # it belongs to the quote behind it
    return stop


def _quote_end(text: str, opening: re.Match[str]) -> int:
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


_TAG_DIGITS = 4
_MARGIN = 4000  # characters

_WORTH_A_LOOK = (
    *("token", "secret", "pass", "pwd", "credential", "key", "connection", "auth", "bearer"),
    *("basic", "digest"),
)

_PEM_TOKEN = re.compile(
    r"(?P<begin>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)"
    r"|(?P<end>-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)"
    r"|(?P<gap>\s++|\\{1,7}[nr]|\\{1,7}(?=[\s\"'-])|[\"',]|(?<=[\"'\s])\+(?=\s)"
    r"|(?<![^\n])[-+#](?=[A-Za-z0-9+/=\s]|-----)"  # of a diff or a comment
    r"|(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash):[\w.,+()/ \t-]{0,200}+(?=[\r\n\\]))"
    r"|(?P<word>[A-Za-z0-9+/=]++)"
    r"|(?P<other>[^\sA-Za-z0-9+/=\\-]++|.)"
)
_LONG_WORD = 32  # characters; the lines of a key have 64 or more
_LINE_START = re.compile(r"(?:(?:\A|[\r\n]|\\[nr])[-+#]?[ \t]{0,40}|[\"'-])\Z")
_LINE_END = re.compile(r"[ \t]{0,40}(?:[\r\n\\]|-----|\Z)|[\"']")

_URL_LOGIN = re.compile(r"(://[^\s/@:\"'<>\[\](){}]{0,200}+:)([^\s@/\"'<>\[\](){}]{1,400}+)(?=@)")
_URL_TOKEN = re.compile(r"(://)([A-Za-z0-9_\-.]{16,400}+)(?=@)")
_HEADER_WORDS = ("bearer", "basic", "digest", "negotiate", "token", "apikey", "aws4-hmac-sha256")
_HEADER = re.compile(
    r"(?i)(\b(?:bearer|basic|digest|negotiate|token|apikey|aws4-hmac-sha256)[ \t]{1,3})"
    r"([A-Za-z0-9+/=_.~\-]{8,}+)"
)
_CURL_USER = re.compile(
    r"(-(?<!\S-)(?:u|-user|-proxy-user)[ =]?[\"']?[^\s:\"']{1,100}+:)([^\s\"']++)"
)
_QUOTED = r"(?<=\")[^\"\n]++|(?<=')[^'\n]++"
# What is written for a program that reads a password from its input.
_PIPED = re.compile(
    r"(\b(?:echo|printf)(?:[ \t]{1,3}-[neE]{1,3})?(?:[ \t]{1,3}[\"']?%s(?:\\n)?[\"']?)?"
    rf"[ \t]{{1,3}}[\"']?|<<<[ \t]{{0,3}}[\"']?)({_QUOTED}|[^\s\"'|;&<>]++)"
)
_FROM_INPUT = ("--password-stdin", "--with-token", "--passphrase-fd 0", "sudo -S", "chpasswd")
_FAR = 400  # characters of a command that are looked at
_COMMAND_END = re.compile(r"[;&|\n#]")
_PIPE = re.compile(r"[\"']?[ \t]{0,9}\|(?![|&])")
_INTERPRETER = re.compile(
    r"(?<![\w.-])(?:(?:ba|z|k|da|a|c|tc|fi)?sh|python[\d.]*|perl|ruby|node|deno|bun|php|lua|pwsh|eval"
    r"|source|xargs|parallel|ssh)(?![\w.-])"
)
_WRITTEN = (
    r"\\{0,3}[\"']?((?<=\\\")[^\"\\\n]++|(?<=\")[^\"\n]++|(?<=')[^'\n]++|[^\s\"'\-\\][^\s\"']*+)"
)
# `--name VALUE`, and the same as two elements of a list.
_FLAG = re.compile(
    r"-(?<![\w\-]-)-?([A-Za-z][\w.\-]{1,60}+)(?:[ \t]{1,3}|[\"'],\s{0,9}(?=[\"']))" + _WRITTEN
)
# `aws configure set NAME VALUE`, `npm config set NAME VALUE`.
_CONFIGURED = re.compile(r"(?<= set)[ \t]{1,3}([A-Za-z/][\w.:/\-]{1,120}+)[ \t]{1,3}" + _WRITTEN)
_COOKIES = re.compile(
    r"((?i:\bcookie[\\\"']{0,8}[ \t]{0,3}[:=]|--cookie(?=[ \t]))[ \t]{0,3}[\\\"']{0,8})"
    r"([^\"'\n]{1,8000}+)"
)
_COOKIE = re.compile(r"(?<![^\s;\"'])([^\s=;,\"'\\]{1,100}+=)([^\s;\"'\\]{6,}+)")
_NO_COOKIE = ("path=", "domain=", "expires=", "max-age=", "samesite=")
_LONG_TOKEN = 20  # characters; a shorter one after `Bearer` counts if it holds a digit


@dataclass(slots=True)
class Redactor:
    """The same secret gives the same placeholder all through a session, whatever was dropped around
    it: its tag depends on the secret and on a key that stays here, so it tells nothing about it."""

    key: bytes
    enabled: bool = True

    def text(self, text: str) -> str:
        if not self.enabled or len(text) < LONG_ENOUGH:
            return text
        if "-----" in text:
            text = _without_keys(self, text)
        text = self._without(text, find_secrets(text))
        if "://" in text:
            text = _URL_LOGIN.sub(partial(self._after, "password"), text)
            text = _URL_TOKEN.sub(partial(self._after, "token"), text)
        if ":" in text and "-u" in text:
            text = _CURL_USER.sub(partial(self._after, "password"), text)
        if any(option in text for option in _FROM_INPUT):
            text = _PIPED.sub(self._piped, text)
        lowered = text.casefold()
        if "cookie" in lowered:
            text = _COOKIES.sub(self._cookies, text)
        if any(word in lowered for word in _HEADER_WORDS):
            text = _HEADER.sub(lambda m: m[1] + self._header(m[2]), text)
        if any(word in lowered for word in _WORTH_A_LOOK):
            text = _FLAG.sub(self._flag, self._without(text, find_settings(text)))
            if " set" in text:
                text = _CONFIGURED.sub(self._flag, text)
        return text

    def excerpt(self, text: str, limit: int) -> str:
        """`text` cut in the middle to `limit` characters, without secrets.

        Only the ends are looked through, with a margin: a secret that straddles the cut must not
        leave half of itself."""
        if len(text) <= limit + 2 * _MARGIN:
            return cut_in_the_middle(self.text(text), limit)
        head, tail = ends(limit)
        start = self.text(text[: head + _MARGIN])[:head]
        end = self.text(text[-(tail + _MARGIN) :])[-tail:]
        return join_ends(start, end, len(text) - limit)

    def value(self, value: object, name: str = "", limit: int | None = None) -> object:
        """A tool's input with every secret replaced; shape, keys and other values stay. With
        `limit`, long strings are cut."""
        if isinstance(value, str):
            if self.enabled and secret_name(name) and secret_value(name, value):
                return self.placeholder(kind(name), value)
            if self.enabled and holds_cookies(name):
                value = _COOKIE.sub(self._cookie, value)
            return self.text(value) if limit is None else self.excerpt(value, limit)
        if isinstance(value, Mapping):
            return {
                self.text(str(key)): self.value(one, called, limit)
                for (key, one), called in zip(value.items(), field_names(value, name), strict=True)
            }
        if isinstance(value, (list, tuple)):
            named = zip(value, argument_names(value, name), strict=True)
            return [self.value(one, called, limit) for one, called in named]
        return value

    def placeholder(self, kind: str, secret: str) -> str:
        if secret.startswith("[secret:"):
            return secret
        data = secret.encode("utf-8", "surrogatepass")
        tag = hmac.new(self.key, b"secret\0" + data, hashlib.sha256).hexdigest()[:_TAG_DIGITS]
        return f"[secret:{kind}#{tag}]"

    def _without(self, text: str, secrets: Iterable[Found]) -> str:
        kept: list[str] = []
        position = 0
        for found in secrets:
            secret = self.placeholder(found.name, text[found.start : found.stop])
            kept += (text[position : found.start], secret)
            position = found.stop
        return "".join((*kept, text[position:])) if kept else text

    def _after(self, kind: str, match: re.Match[str]) -> str:
        """The second group is the secret, the first says that it is one."""
        before, secret = match[1], match[2]
        if reference(secret) or holds_commands(secret) or before.endswith("[secret:"):
            return match[0]
        return before + self.placeholder(kind, secret)

    def _piped(self, match: re.Match[str]) -> str:
        return self._after("password", match) if _is_password(match) else match[0]

    def _header(self, value: str) -> str:
        if len(value) < _LONG_TOKEN and HAS_DIGIT.search(value) is None:
            return value  # "token expired", "Basic authentication"
        return self.placeholder("authorization", value)

    def _flag(self, match: re.Match[str]) -> str:
        name, value = match[1], match[2]
        if not secret_name(name) or not secret_value(name, value) or holds_commands(value):
            return match[0]
        return match[0][: -len(value)] + self.placeholder(kind(name), value)

    def _cookies(self, match: re.Match[str]) -> str:
        return match[1] + _COOKIE.sub(self._cookie, match[2])

    def _cookie(self, match: re.Match[str]) -> str:
        if match[1].casefold() in _NO_COOKIE:
            return match[0]
        return self._after("cookie", match)


def _is_password(match: re.Match[str]) -> bool:
    """Whether the command that reads it asks for a password, and no interpreter runs it."""
    text = match.string
    after = text[match.end() : match.end() + _FAR].replace("\\\n", " ")
    before = ""
    if match[1].startswith("<<<"):
        before = _COMMAND_END.split(text[max(0, match.start() - _FAR) : match.start()])[-1]
    else:
        pipe = _PIPE.match(after)
        if pipe is None:
            return False
        after = after[pipe.end() :]
    reader = before + _COMMAND_END.split(after, maxsplit=1)[0]
    if not any(option in reader for option in _FROM_INPUT):
        return False
    if _INTERPRETER.search(reader) is None:
        return True
    # It reads the first line itself, whatever it starts.
    return "sudo -S" in reader and not (_BLANK.search(match[2]) or "\\" in match[2])


def _without_keys(redactor: Redactor, text: str) -> str:
    """Private keys in PEM, also cut off at either end: what is left of a key is still a secret.

    Only what can be a key's body is taken out: any other line between the marks may be a command.
    """
    kept: list[str] = []
    position = 0
    for start, stop in _key_spans(text):
        kept += (text[position:start], redactor.placeholder("private-key", text[start:stop]))
        position = stop
    return "".join((*kept, text[position:]))


def _key_spans(text: str) -> Iterator[tuple[int, int]]:
    """From left to right. A run of lines of a body counts where a mark stands at one end of it."""
    start = stop = -1  # of the run that is read
    marked = False
    for token in _PEM_TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "gap":
            continue
        if kind == "end" or (kind == "word" and _of_a_key(text, token)):
            start, stop = (start if start >= 0 else token.start()), token.end()
            marked = marked or kind == "end"
        if kind != "word" or stop != token.end():
            if marked:
                yield start, stop
            start, stop, marked = -1, -1, False
        if kind == "begin":
            start, stop, marked = token.start(), token.end(), True
    if marked:
        yield start, stop


def _of_a_key(text: str, token: re.Match[str]) -> bool:
    """A line in base64: of its usual length, or a shorter one that is no word and no path."""
    word = token[0]
    if len(word) >= _LONG_WORD:
        kinds = (str.isupper, str.islower, str.isdigit)
        return all(any(map(one, word)) for one in kinds)
    before = text[max(0, token.start() - 50) : token.start()]
    if _LINE_START.search(before) is None or _LINE_END.match(text, token.end()) is None:
        return False
    return "=" in (word[0], word[-1]) or (word[0] != "/" and any(map(str.isupper, word)))
