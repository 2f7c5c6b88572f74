"""Secrets become typed placeholders before anything leaves the machine.

A placeholder keeps what a judge needs: that a secret stood there, of which kind, and whether it
is the same one as elsewhere. Every search is linear in the text.
"""

import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from automode.classifier.cutting import cut_in_the_middle, ends, joined
from automode.classifier.secret_formats import find_secrets

_TAG_DIGITS = 4
_MARGIN = 4000  # characters

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
# Programs that take a password right behind `-p`, or as the next word.
_SHORT_OPTION = re.compile(
    r"(\b(?:(?:mysql|mariadb)(?:-?(?:dump|admin|import|show|check))?|mycli)\b[^\n;&|]{0,400}?"
    r"\s-p(?=\S)[\"']?|\bsshpass[ \t]{1,3}-p[ \t]{0,3}[\"']?)"
    rf"({_QUOTED}|[^\s\"'\-][^\s\"']*+)"
)
# What is written for a program that reads a password from its input.
_PIPED = re.compile(
    r"(\b(?:echo|printf)(?:[ \t]{1,3}-[neE]{1,3})?(?:[ \t]{1,3}[\"']?%s(?:\\n)?[\"']?)?"
    rf"[ \t]{{1,3}}[\"']?|<<<[ \t]{{0,3}}[\"']?)({_QUOTED}|[^\s\"'|;&<>]++)"
)
_SHORT_PROGRAMS = ("mysql", "mariadb", "mycli", "sshpass")
_FROM_INPUT = ("--password-stdin", "--with-token", "--passphrase-fd 0", "sudo -S", "chpasswd")
_NUGET_PASSWORD = re.compile(
    r"(?i)(<add\s{1,4}key=\"(?:cleartext)?password\"\s{1,4}value=\")([^\"\n]{1,400}+)"
)
_FLAG = re.compile(
    r"-(?<![\w\-]-)-?([A-Za-z][\w\-]{1,60}+)[ \t]{1,3}([\"']?)([^\s\"'\-][^\s\"']*+)"
)
# `aws configure set NAME VALUE`, `npm config set NAME VALUE`.
_CONFIGURED = re.compile(
    r"(?<= set)[ \t]{1,3}([A-Za-z/][\w.:/\-]{1,120}+)[ \t]{1,3}([\"']?)([^\s\"'\-][^\s\"']*+)"
)
_ASSIGNMENT = re.compile(
    r"(?<![\w.$])(?!secret:[a-z0-9-]+#)"
    r"([A-Za-z_][\w.\-]{1,80}+)([\"']?[ \t]{0,3}(?::=|=>|=|:)[ \t]{0,3})"
    r"(\"[^\"\n]*+\"|'[^'\n]*+'|[^\s;&|,)}\]>\"'`]++)"
)
_REFERENCE = re.compile(
    r"[$%<{\[(*]|(?:true|false|null|none|nil|undefined|yes|no|on|off|str|string|int|bool|any)\b"
    r"|(?:process|os|env|secrets|vars|config|settings|self|this|args|import)[.\[]|\.{0,2}/|~|[A-Za-z]:[\\/]|\w+!?[(<\[]",
    re.IGNORECASE,
)
_LONG_TOKEN = 20  # characters; a shorter one after `Bearer` counts if it holds a digit
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
        text = self._shaped(text)
        if "://" in text:
            text = _URL_LOGIN.sub(partial(self._after, "password"), text)
            text = _URL_TOKEN.sub(partial(self._after, "token"), text)
        if ":" in text and "-u" in text:
            text = _CURL_USER.sub(partial(self._after, "password"), text)
        text = self._handed_over(text)
        lowered = text.casefold()
        if any(word in lowered for word in _HEADER_WORDS):
            text = _HEADER.sub(lambda m: m[1] + self._header(m[2]), text)
        if any(word in lowered for word in _WORTH_A_LOOK):
            text = _FLAG.sub(self._flag, _ASSIGNMENT.sub(self._assignment, text))
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
            if self.enabled and _secret_name(name) and _secret_value(value):
                return self.placeholder(_kind(name), value)
            return self.text(value) if limit is None else self.excerpt(value, limit)
        if isinstance(value, Mapping):
            return {
                self.text(str(key)): self.value(one, str(key), limit) for key, one in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.value(one, name, limit) for one in value]
        return value

    def placeholder(self, kind: str, secret: str) -> str:
        if secret.startswith("[secret:"):
            return secret
        self.count += 1
        data = secret.encode("utf-8", "surrogatepass")
        tag = hmac.new(self.key, b"secret\0" + data, hashlib.sha256).hexdigest()[:_TAG_DIGITS]
        return f"[secret:{kind}#{tag}]"

    def _shaped(self, text: str) -> str:
        kept: list[str] = []
        position = 0
        for found in find_secrets(text):
            secret = self.placeholder(found.name, text[found.start : found.stop])
            kept += (text[position : found.start], secret)
            position = found.stop
        return "".join((*kept, text[position:])) if kept else text

    def _handed_over(self, text: str) -> str:
        """Passwords that only the program they are given to makes recognisable."""
        hide = partial(self._after, "password")
        if "-p" in text and any(program in text for program in _SHORT_PROGRAMS):
            text = _SHORT_OPTION.sub(hide, text)
        if any(option in text for option in _FROM_INPUT):
            text = _PIPED.sub(hide, text)
        return _NUGET_PASSWORD.sub(hide, text) if "<add" in text else text

    def _after(self, kind: str, match: re.Match[str]) -> str:
        """The second group is the secret, the first says that it is one."""
        secret = match[2]
        return match[0] if _REFERENCE.match(secret) else match[1] + self.placeholder(kind, secret)

    def _header(self, value: str) -> str:
        if len(value) < _LONG_TOKEN and _HAS_DIGIT.search(value) is None:
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
    """Not a variable, a path, a type, a word for "nothing": a judge must be able to read those."""
    return len(value) > 2 and _REFERENCE.match(value) is None and "[secret:" not in value


def _bare_secret(name: str, joint: str, value: str) -> bool:
    """Without quotes, code and prose look like settings: `password: string`, `token = next`."""
    if name.isupper() and "=" in joint:
        return True
    if joint == "=":
        return len(value) >= 6
    return len(value) >= _LONG_ENOUGH and _HAS_DIGIT.search(value) is not None


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
