"""Which files hold credentials: by name, or by what a file of settings holds."""

import posixpath
import re
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache
from re import IGNORECASE, escape
from re import compile as compiled

from automode.core.paths import may_match, may_meet, written_out
from automode.core.word_lists import word_lists
from automode.core.workspace import Files
from automode.shell.script import HOLE

_LISTS = word_lists("automode.guards.reads", "credentials")
_BELOW_A_HOME, _ANYWHERE, _ABSOLUTE = (
    _LISTS[name] for name in ("below-home", "anywhere", "absolute")
)
_ONLY_IN_A_HOME, _FOLDERS = _LISTS["only-in-home"], _LISTS["folders"]
_WORDS = compiled(
    r"(?:.+[-_.])?(?:token|secret|credentials?|password|rsa|dsa|ecdsa|ed25519|kubeconfig"
    r"|(?:api|deploy|private|ssh|signing|secret|access|master|host)[-_]?key)",
    IGNORECASE,
)
"""Names of such files that are words of everyday as well: only a file that is read counts."""
_PUBLIC = (".pub", ".example", ".sample", ".template", ".dist", ".tmpl", ".md", ".d.ts")
# A certificate by its name: any other may hold a private key.
_CERTIFICATE = compiled(
    r"cert|chain|bundle|public|pub[-_.]|root|dhparam|csr|crl|trust|issuer|intermediate"
    r"|(?:^|[-_.])ca(?:$|[-_.])",
    IGNORECASE,
)
_COPIES = ("~", ".bak", ".old", ".orig", ".backup", ".save")
_COPY = compiled(rf"(?:{'|'.join(map(escape, _COPIES))})+$", IGNORECASE)
_PUBLIC_KEY = compiled(r"id_[a-z0-9_-]+\.pub")  # written out: a pattern may stand for others
_TYPICAL = frozenset(_LISTS["typical"])
_DEEPEST = max(name.count("/") + 1 for name in _TYPICAL)
_FOLDER_PATTERN = compiled(f"/(?:{'|'.join(escape(one.casefold()) for one in _FOLDERS)})/")
_LIVE = compiled(r"[*?\[]|[@!+]\(")

_LAST_NAMES = tuple(
    dict.fromkeys(
        posixpath.basename(one.removesuffix("/**")).casefold()
        for one in (*_ANYWHERE, *_BELOW_A_HOME, *_FOLDERS)
    )
)
_WORD_ENDS = "token secret credential credentials password dsa ed25519 kubeconfig key".split()
NAME_STARTS = tuple(start for one in _LAST_NAMES if (start := _LIVE.split(one)[0]))
NAME_ENDS = (
    *(_LIVE.split(one)[-1] for one in _LAST_NAMES if _LIVE.match(one)),
    *("rsa", "ecdsa", *_WORD_ENDS, ".pem", *_COPIES),
)
"""How the name of whatever `is_credential` finds begins or ends, or that of a folder above it."""

HOLDERS = frozenset(
    above for folder in _FOLDERS for above in (posixpath.dirname(folder), folder.split("/")[0])
) - {"", *(folder for folder in _FOLDERS if "/" not in folder)}
"""Folders of a home that hold such folders among others."""


def _any(patterns: Iterable[str]) -> str:
    return "|".join(translate(pattern.replace("**", "*")) for pattern in patterns)


_HOME_PATTERN = compiled(_any(_ONLY_IN_A_HOME), IGNORECASE)
# A name is only looked for behind a slash: one pattern for each would search the whole path.
_SUFFIX_PATTERN = compiled(rf"(?s:.*/)(?:{_any(_BELOW_A_HOME)})", IGNORECASE)
# None of them begins with a wildcard.
_SUFFIX_START = compiled(f"/[{escape(''.join({one[0] for one in _BELOW_A_HOME}))}]", IGNORECASE)
_NAME_PATTERN = compiled(_any(_ANYWHERE), IGNORECASE)
_ABSOLUTE_PATTERN = compiled(_any(_ABSOLUTE), IGNORECASE)


def is_credential(path: str, home: str) -> bool:
    """Whether the absolute `path` is, by its name, a file that holds a credential."""
    # The same few paths are asked for again and again; long ones are not worth keeping.
    return _kept_answer(path, home) if len(path) <= 512 else _answer(path, home)


def _answer(path: str, home: str) -> bool:
    if path.endswith(_COPIES):
        return _answer(_COPY.sub("", path), home) or _named_so(path, home)
    return _named_so(path, home)


def _named_so(path: str, home: str) -> bool:
    if path.endswith(_PUBLIC):
        return False
    name = posixpath.basename(path)
    if _ABSOLUTE_PATTERN.match(path) or _NAME_PATTERN.match(name):
        return True
    if name[-4:].lower() == ".pem" and not _CERTIFICATE.search(name[:-4]):
        return True
    # Any home, also one that is not this account's. Most paths have no name that begins so.
    if _SUFFIX_START.search(path) and _SUFFIX_PATTERN.match(path):
        return True
    prefix = home.rstrip("/") + "/"
    return path.startswith(prefix) and bool(_HOME_PATTERN.match(path[len(prefix) :]))


_kept_answer = lru_cache(maxsize=8192)(_answer)


def is_credential_word(path: str) -> bool:
    """Whether a file of this name holds a credential, though the name may be an everyday word."""
    folder, _, name = path.rpartition("/")
    return folder != "/etc/pam.d" and _WORDS.fullmatch(_COPY.sub("", name)) is not None


def in_credential_folder(path: str) -> bool:
    """Whether the absolute `path` is a folder made of credentials, or lies in one."""
    return _FOLDER_PATTERN.search(f"{path.casefold()}/") is not None


def may_be_credential(pattern: str, home: str) -> bool:
    """Whether a path with globs or unknown parts lies in a folder made of credentials, or names
    one as it stands: `~/.ssh/*`, `.e*`."""
    return _kept_guess(pattern, home) if len(pattern) <= 512 else _guess(pattern, home)


def _guess(pattern: str, home: str) -> bool:
    if in_credential_folder(pattern):
        return _PUBLIC_KEY.fullmatch(posixpath.basename(pattern)) is None
    return _typical(pattern.replace(HOLE, "*")) or is_credential(pattern, home)


_kept_guess = lru_cache(maxsize=8192)(_guess)


def meets_credentials(pattern: str, home: str) -> bool:
    """Whether an absolute pattern may stand for a file at one of the places where the system and
    programs keep credentials: `/run/secr*/token`, `~/.config/g*/hosts.yml`."""
    low, start = pattern.casefold(), written_out(pattern.casefold())
    return any(
        (start.startswith(begins) or begins.startswith(start)) and may_meet(low, place)
        for begins, place in _known_places(home)
    )


@lru_cache(maxsize=8)
def _known_places(home: str) -> tuple[tuple[str, str], ...]:
    """In small letters, each behind what it begins with to the letter."""
    places = (*_ABSOLUTE, *(f"{home}/{one}" for one in (*_BELOW_A_HOME, *_ONLY_IN_A_HOME)))
    return tuple((written_out(one), one) for one in map(str.casefold, places))


def may_name_credential(pattern: str) -> bool:
    """Whether a pattern of a program may stand for a typical credential. Its `*` takes a leading
    dot; alone, or with an ending, it says nothing about credentials: `*.json`."""
    *above, last = pattern.replace(HOLE, "*").split("/")
    if _LIVE.search(last) is None or not last.strip("*"):
        return False
    names = (one for one in _TYPICAL if one.count("/") <= len(above))
    return any(
        may_match("/".join(pattern.split("/")[-1 - one.count("/") :]), one)
        for one in names
        if last[0] != "*" or one[0] in ".i" or "/" in one
    )


def _typical(pattern: str) -> bool:
    parts = pattern.split("/")
    if _LIVE.search(pattern) is None:  # nearly all: then a name is matched by nothing but itself
        return any("/".join(parts[-count:]) in _TYPICAL for count in range(1, _DEEPEST + 1))
    return any(
        _matches(typical.split("/"), parts[-1 - typical.count("/") :]) for typical in _TYPICAL
    )


def _matches(names: list[str], patterns: list[str]) -> bool:
    """Each name by its pattern, as bash does it: a leading dot is only matched by a dot. A bare
    `*` may match anything, so it says nothing about credentials by itself."""
    if len(names) != len(patterns) or (patterns[-1] == "*" and len(patterns) == 1):
        return False
    # The first letter goes first: it settles nearly all, and no pattern is compiled for them.
    return all(
        (pattern[:1] in (name[:1], "[") or not (name.startswith(".") or len(patterns) == 1))
        and may_match(pattern, name)
        for name, pattern in zip(names, patterns, strict=True)
    )


_FILE_BYTES = 65_536
_REPOSITORY = ("config", "config.worktree")
_SIGN_IN, _MAY_HOLD = frozenset(_LISTS["sign-in"]), frozenset(_LISTS["may-sign-in"])
_IN_A_FOLDER = ("/.cargo/config", "/.cargo/config.toml", "/.bundle/config")
SETTING_NAMES = (*sorted(_SIGN_IN | _MAY_HOLD), "config")
"""How the names of such files begin that are found in any folder."""

_KEY = r"(?:auth|token|secret|passw|pwd|pass\b|api[-_]?key|access[-_]?key|private[-_]?key|bearer)"
_NO_VALUE = r"(?:\$\{?\w|%\w+%|\{\{|(?:true|false|null|none|yes|no|always|never)\b)"
_TOKEN = re.compile(
    r"://[^/\s@:]*:[^/\s@$]+@|://[^/\s@:$]{20,}@|extraheader"
    # `_authToken=x`, `npmAuthToken: x`, `"apiKey": "x"`, `key="Password" value="x"`
    rf"|{_KEY}[\w.-]*[\"']?\]?[ \t]*(?:[=:]|value[ \t]*=)+[ \t]*[\"']?(?!{_NO_VALUE})"
    r"[^\s\"',;#{\[]"
    rf"|<[\w.:-]*{_KEY}[\w.-]*>\s*(?!{_NO_VALUE})[^<\s]"
    r"|--?(?:token|password|user|api-?key|oauth2-bearer)[\"',=\s]+\w|^-?u(?:ser)?[\s=]+\S+:\S"
    r"|\b(?:gh[pousr]_|github_pat_|glpat-|npm_\w{20}|xox[a-z]-|AKIA[A-Z0-9]{12}|sk-\w{8}|eyJ\w{8})",
    re.IGNORECASE | re.MULTILINE,
)


def holds_token(path: str, files: Files) -> bool:
    """Whether the absolute `path` is such a file and is seen to hold a credential."""
    folder, _, name = path.casefold().rpartition("/")
    in_repository = name in _REPOSITORY and "/.git" in f"{folder}/"
    in_a_folder = path.casefold().endswith(_IN_A_FOLDER)
    if not (in_repository or in_a_folder or name in _SIGN_IN or name in _MAY_HOLD):
        return False
    text = files.text(path, _FILE_BYTES)
    return text is not None and shows_token(text)


def shows_token(text: str) -> bool:
    """Whether the text of a file of settings is seen to hold a credential."""
    return _TOKEN.search(text) is not None


def may_hold_token(path: str, files: Files) -> bool:
    """The same, or such a file where tokens lie as a rule and that cannot be looked at."""
    if path.casefold().rpartition("/")[2] in _SIGN_IN:
        text = files.text(path, _FILE_BYTES)
        if text is None or len(text) >= _FILE_BYTES:
            return True
    return holds_token(path, files)


def repository_configs(folder: str) -> tuple[str, ...]:
    """Where the configuration of a repository lies in a folder that is read as a whole."""
    inside = f"{folder}/" if folder.endswith("/.git") else f"{folder}/.git/"
    return tuple(inside + name for name in _REPOSITORY)
