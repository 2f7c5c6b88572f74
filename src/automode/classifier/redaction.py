"""Secrets become typed placeholders before anything leaves the machine.

The placeholder keeps what a judge needs: that a secret stood there, of which kind, and whether it is
the same one as elsewhere. Every search is linear in the text.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from automode.classifier.secret_formats import FORMATS

_TAG_DIGITS = 4

# A name says that its value is a secret when it ends so, whatever joins its words.
_SECRET_ENDINGS = (
    *("token", "secret", "password", "passwd", "passphrase", "passcode", "pwd", "credential"),
    *("credentials", "apikey", "accesskey", "accountkey", "secretkey", "privatekey", "authkey"),
    *("signingkey", "encryptionkey", "masterkey", "sharedkey", "licensekey", "connectionstring"),
    *("secretaccesskey", "clientsecret", "apitoken", "authtoken", "userpass", "storagekey"),
    *("hmackey", "apisecret", "deploykey", "sessionkey", "secrethash", "authorization"),
)
_WORTH_A_LOOK = (
    *("token", "secret", "pass", "pwd", "credential", "key", "connection", "auth", "bearer"),
    *("basic", "digest"),
)
_JOINTS = str.maketrans("", "", "_-. ")

_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n\\ ")

_URL_LOGIN = re.compile(r"(://[^\s/@:\"'<>]{0,200}+:)([^\s@/\"'<>]{1,400}+)(?=@)")
_URL_TOKEN = re.compile(r"(://)([A-Za-z0-9_\-.]{16,400}+)(?=@)")
_HEADER = re.compile(
    r"(?i)(\b(?:bearer|basic|digest|negotiate|token|apikey|aws4-hmac-sha256)[ \t]{1,3})"
    r"([A-Za-z0-9+/=_.~\-]{8,}+)"
)
_CURL_USER = re.compile(r"((?<!\S)(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"']{1,100}+:)([^\s\"']++)")
_FLAG = re.compile(r"(?<![\w\-])--?([A-Za-z][\w\-]{1,60}+)[ \t]{1,3}([\"']?)([^\s\"'\-][^\s\"']*+)")
_ASSIGNMENT = re.compile(
    r"(?<![\w.$])([A-Za-z_][\w.\-]{1,80}+)([\"']?[ \t]{0,3}(?::=|=>|=|:)[ \t]{0,3})"
    r"(\"[^\"\n]*+\"|'[^'\n]*+'|[^\s;&|,)}\]>\"'`]++)"
)
_REFERENCE = re.compile(
    r"[$%<{\[(*]|(?:true|false|null|none|nil|undefined|yes|no|on|off|str|string|int|bool|any)\b"
    r"|(?:process|os|env|secrets|vars|config|settings|self|this|args|import)[.\[]|\.{0,2}/|~|\w+\(",
    re.IGNORECASE,
)
_HAS_DIGIT = re.compile(r"[0-9]")
_LONG_ENOUGH = 8  # characters of a bare value that must hold a digit to count as a secret


@dataclass(slots=True)
class Redactor:
    """`count` says how many secrets were taken out so far. The same secret gives the same
    placeholder all through a session, whatever was dropped around it: its tag depends on the
    secret and on a key that stays here, so it tells nothing about the secret."""

    key: bytes
    enabled: bool = True
    count: int = 0

    def text(self, text: str) -> str:
        if not self.enabled or len(text) < _LONG_ENOUGH:
            return text
        if "-----" in text:
            text = _without_keys(self, text)
        for form in FORMATS:
            if form.mark in text:
                text = form.pattern.sub(partial(self._token, form.name), text)
        if "://" in text:
            text = _URL_LOGIN.sub(partial(self._after, "password"), text)
            text = _URL_TOKEN.sub(partial(self._after, "token"), text)
        if ":" in text and "-u" in text:
            text = _CURL_USER.sub(partial(self._after, "password"), text)
        lowered = text.casefold()
        if any(word in lowered for word in _WORTH_A_LOOK):
            text = self._named(text)
        return text

    def value(self, value: object, name: str = "") -> object:
        """A tool's input with every secret replaced; shape, keys and other values stay."""
        if isinstance(value, str):
            if self.enabled and _secret_name(name) and _secret_value(value):
                return self.placeholder(_kind(name), value)
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.value(one, str(key)) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(one, name) for one in value]
        return value

    def placeholder(self, kind: str, secret: str) -> str:
        if secret.startswith("[secret:"):
            return secret
        self.count += 1
        data = secret.encode("utf-8", "surrogatepass")
        tag = hmac.new(self.key, b"secret\0" + data, hashlib.sha256).hexdigest()[:_TAG_DIGITS]
        return f"[secret:{kind}#{tag}]"

    def _token(self, kind: str, match: re.Match[str]) -> str:
        return self.placeholder(kind, match[0])

    def _after(self, kind: str, match: re.Match[str]) -> str:
        """The second group is the secret, the first says that it is one."""
        secret = match[2]
        return match[0] if _REFERENCE.match(secret) else match[1] + self.placeholder(kind, secret)

    def _named(self, text: str) -> str:
        text = _HEADER.sub(lambda m: m[1] + self._header(m[2]), text)
        text = _ASSIGNMENT.sub(self._assignment, text)
        return _FLAG.sub(self._flag, text)

    def _header(self, value: str) -> str:
        if value.isalpha() and (value.islower() or value.istitle()):
            return value  # "token expired", "Basic authentication"
        return self.placeholder("authorization", value)

    def _assignment(self, match: re.Match[str]) -> str:
        name, joint, written = match[1], match[2], match[3]
        quote = written[0] if written[0] in "\"'" else ""
        value = written[1:-1] if quote else written
        if not _secret_name(name) or not _secret_value(value):
            return match[0]
        if not quote and not _bare_secret(name, joint, value):
            return match[0]
        return f"{name}{joint}{quote}{self.placeholder(_kind(name), value)}{quote}"

    def _flag(self, match: re.Match[str]) -> str:
        value = match[3]
        if not _secret_name(match[1]) or not _secret_value(value):
            return match[0]
        return match[0][: -len(value)] + self.placeholder(_kind(match[1]), value)


def _secret_name(name: str) -> bool:
    plain = name.translate(_JOINTS).casefold()
    if plain.endswith(_SECRET_ENDINGS):
        return True
    return name.isupper() and plain.endswith(("key", "auth"))


def _kind(name: str) -> str:
    plain = name.translate(_JOINTS).casefold()
    kinds = ("password", "token", "credential", "secret", "key")
    found = next((kind for kind in kinds if kind in plain), None)
    return found or ("password" if "p" in plain and "auth" not in plain else "secret")


def _secret_value(value: str) -> bool:
    """Not a variable, a path, a type, or a word for "nothing": those a judge must be able to read."""
    return len(value) > 2 and _REFERENCE.match(value) is None and not value.startswith("[secret:")


def _bare_secret(name: str, joint: str, value: str) -> bool:
    """Without quotes, code and prose look like settings: `password: string`, `token = next`."""
    if name.isupper() and "=" in joint:
        return True
    if joint == "=":
        return len(value) >= 6
    return len(value) >= _LONG_ENOUGH and _HAS_DIGIT.search(value) is not None


def _without_keys(redactor: Redactor, text: str) -> str:
    """Private keys in PEM, also cut off at either end: what is left of a key is still a secret."""
    kept: list[str] = []
    position = 0
    while (begin := _PEM_BEGIN.search(text, position)) is not None:
        kept.append(_without_tail(redactor, text[position : begin.start()]))
        end = _PEM_END.search(text, begin.end())
        stop = end.end() if end else _body_end(text, begin.end())
        kept.append(redactor.placeholder("private-key", text[begin.start() : stop]))
        position = stop
    kept.append(_without_tail(redactor, text[position:]))
    return "".join(kept)


def _body_end(text: str, position: int) -> int:
    while position < len(text) and text[position] in _PEM_BODY:
        position += 1
    return position


def _without_tail(redactor: Redactor, text: str) -> str:
    """The end of a key whose beginning is not there."""
    end = _PEM_END.search(text)
    if end is None:
        return text
    start = end.start()
    while start > 0 and text[start - 1] in _PEM_BODY:
        start -= 1
    return text[:start] + redactor.placeholder("private-key", text[start : end.end()]) + text[end.end() :]
