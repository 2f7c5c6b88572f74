"""Secrets become typed placeholders before anything leaves the machine.

A placeholder keeps what a judge needs: that a secret stood there, of which kind, and whether it
is the same one as elsewhere. Every search is linear in the text.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from automode.classifier.cutting import cut_in_the_middle, ends, joined
from automode.classifier.secret_formats import Found, find_secrets
from automode.classifier.secret_names import (
    HAS_DIGIT,
    LONG_ENOUGH,
    kind,
    reference,
    secret_name,
    secret_value,
)
from automode.classifier.secret_settings import (
    argument_names,
    field_names,
    find_settings,
    holds_cookies,
)

_TAG_DIGITS = 4
_MARGIN = 4000  # characters

_WORTH_A_LOOK = (
    *("token", "secret", "pass", "pwd", "credential", "key", "connection", "auth", "bearer"),
    *("basic", "digest"),
)

_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n\\ ")

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
    """`count` says how many secrets were taken out so far. The same secret gives the same
    placeholder all through a session, whatever was dropped around it: its tag depends on the
    secret and on a key that stays here, so it tells nothing about the secret."""

    key: bytes
    enabled: bool = True
    count: int = 0

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
            text = _PIPED.sub(partial(self._after, "password"), text)
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
        return joined(start, end, len(text) - limit)

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
        self.count += 1
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
        if reference(secret) or before.endswith("[secret:"):
            return match[0]
        return before + self.placeholder(kind, secret)

    def _header(self, value: str) -> str:
        if len(value) < _LONG_TOKEN and HAS_DIGIT.search(value) is None:
            return value  # "token expired", "Basic authentication"
        return self.placeholder("authorization", value)

    def _flag(self, match: re.Match[str]) -> str:
        name, value = match[1], match[2]
        if not secret_name(name) or not secret_value(name, value):
            return match[0]
        return match[0][: -len(value)] + self.placeholder(kind(name), value)

    def _cookies(self, match: re.Match[str]) -> str:
        return match[1] + _COOKIE.sub(self._cookie, match[2])

    def _cookie(self, match: re.Match[str]) -> str:
        if match[1].casefold() in _NO_COOKIE:
            return match[0]
        return self._after("cookie", match)


def _without_keys(redactor: Redactor, text: str) -> str:
    """Private keys in PEM, also cut off at either end: what is left of a key is still a secret.

    The marks are listed once; looking for an end anew at each beginning would be quadratic."""
    kept: list[str] = []
    position = 0
    for start, stop in _key_spans(text):
        if start < position:
            continue  # inside a key that was taken out already
        kept += (text[position:start], redactor.placeholder("private-key", text[start:stop]))
        position = stop
    return "".join((*kept, text[position:]))


def _key_spans(text: str) -> Iterator[tuple[int, int]]:
    ends = [(end.start(), end.end()) for end in _PEM_END.finditer(text)]
    done = 0
    for begin in _PEM_BEGIN.finditer(text):
        while done < len(ends) and ends[done][0] < begin.start():
            yield _tail_start(text, ends[done][0]), ends[done][1]
            done += 1
        if done < len(ends):
            yield begin.start(), ends[done][1]
            done += 1
        else:
            yield begin.start(), _body_end(text, begin.end())
    for start, stop in ends[done:]:
        yield _tail_start(text, start), stop


def _body_end(text: str, position: int) -> int:
    while position < len(text) and text[position] in _PEM_BODY:
        position += 1
    return position


def _tail_start(text: str, position: int) -> int:
    """Where the body before an end mark begins, when its beginning is not there."""
    while position > 0 and text[position - 1] in _PEM_BODY:
        position -= 1
    return position
