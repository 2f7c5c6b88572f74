"""Whether the user's words name what a call runs, installs, edits or reaches.

A word for the deed is not enough for a script that may do anything, or a file that steers what runs
later: its own name has to be there, in a sentence that neither forbids nor asks about it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from automode.core.workspace import Workspace
from automode.judge.network import host_of, is_here, urls_in
from automode.judge.packages import EVERYTHING, real_name
from automode.judge.requests import takes_back
from automode.judge.words import patterns, word_lists

_P = patterns("mentions")

MOST_KEPT = 256
LONGEST_CONFIGURATION = 20_000
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_INSTEAD = re.compile(r"\b(?:instead of|rather than)\b")
_ASKS = re.compile(r"\?\s*$")
_REQUESTS = re.compile(r"^\W*(?:can|could|would|will|please|ok|and|then|now|let)\b")
_BARE = 3  # words beside a name that say nothing of it
_SKILL = re.compile(r"/([\w-]+)/skill\.md$|/skills/([\w-]+)/(?:[\w-]+/)*[\w-]+\.md$")
_IGNORES = re.compile(r"\bgit-?ignor\w*|\bignor(?:e|ed|ing)\b.{0,60}\b(?:in|by|from|for) git\b")
_CI = re.compile(r"/\.(?:github/(?:workflows|actions)|gitlab-ci|circleci|buildkite|woodpecker)")
_PARTS = re.compile(r"[^a-z0-9]+")
_REMOTE = re.compile(r"^\s*(?:url|pushurl)\s*=\s*(\S+)", re.MULTILINE)
SHORTEST_STEM = 3
_ABROAD = ("global", "globally", "home", "system", "machine")
_INSTRUCTIONS = ("claude.md", "agents.md", "gemini.md", "qwen.md")


@dataclass(frozen=True, slots=True)
class Named:
    """`said`: the sentences of the user that may ask for something, without regard to case; `told`:
    those as well that only ask about something."""

    said: str
    told: str = ""
    hosts: frozenset[str] = frozenset()

    def script(self, name: str) -> bool:
        """A path, a target, a program or a package."""
        path = name.casefold().removeprefix("./").rstrip("/")
        if path == "production":
            return any(self.word(word) for word in ("prod", "production", "live"))
        last = path.rsplit("/", 1)[-1]
        if self.has(path) or ("." in last and self.has(last)):
            return self._is_to_run(last)
        stem = last.rpartition(".")[0] or last
        words = [word for word in _PARTS.split(stem) if word]
        if len(words) > 1:
            return all(self.word(word) for word in words)
        named = len(stem) >= SHORTEST_STEM and self.word(stem)
        return named and _P.runs.search(self.said) is not None

    def _is_to_run(self, name: str) -> bool:
        """Whether some sentence with the name says to run it, or what it is to be run for."""
        sentences = [one for one in _SENTENCE.split(self.said) if name in one]
        beside = [" ".join(word for word in one.split() if name not in word) for one in sentences]
        return any(_P.purpose.search(one) or len(one.split()) < _BARE for one in beside)

    def package(self, name: str) -> bool:
        if name == EVERYTHING:
            return _P.packages.search(self.said) is not None
        bare = real_name(name.casefold())
        if "/" in bare and not bare.startswith("@"):
            return self.has(bare)  # somebody's repository
        scope, _, last = bare.removeprefix("@").rpartition("/")
        # `@type/react` is another package than `@types/react`.
        called = not scope or scope in word_lists("packages").scopes or self.has(scope)
        return self.has(bare) or (called and len(last) >= SHORTEST_STEM and self.has(last))

    def file(self, path: str, home: str, *, inside: bool = True) -> bool:
        """A file that steers what runs later, or one outside of the workspace. Many files there
        have one name: the folder has to be named too, unless it is a dotfile."""
        full = path.casefold()
        short = full.replace(home.casefold(), "~", 1) if home else full
        folder, _, last = full.rpartition("/")
        if last == ".gitignore" and _IGNORES.search(self.said):
            return True
        skill = _SKILL.search(full)
        if skill is not None:
            return self.word("skill") or self.has(skill[1] or skill[2])
        forms = [full, short, last, last.removeprefix(".")]
        if not inside and not last.startswith("."):
            forms = [full, short, f"{folder.rsplit('/', 1)[-1]}/{last}"]
            abroad = self.has(last) and any(map(self.word, _ABROAD))
            return abroad or any(map(self.has, forms))
        if any(f"/{last}" in f"/{one}" for one in _INSTRUCTIONS):
            forms += [
                f"{last.rpartition('.')[0]} {word}" for word in ("md", "file", "instructions")
            ]
        if any(self.has(form) for form in forms if len(form) >= SHORTEST_STEM):
            return True
        return _CI.search(full) is not None and _P.workflow.search(self.said) is not None

    def host(self, host: str) -> bool:
        if not host:
            return False
        if is_here(host) or host in self.hosts:
            return True
        bare = re.escape(host.removeprefix("www."))
        return re.search(rf"(?:^|[^\w.-]|www\.){bare}(?![\w-]|\.\w)", self.told) is not None

    def has(self, text: str) -> bool:
        """As a whole: not as a part of a longer name."""
        start = self.said.find(text)
        while start >= 0:
            before, after = self.said[start - 1 : start], self.said[start + len(text) :][:2]
            if not _continues(before) and not _goes_on(after):
                return True
            start = self.said.find(text, start + 1)
        return False

    def word(self, word: str) -> bool:
        return (
            re.search(rf"(?<![a-z0-9]){re.escape(word)}(?:s|es|ed|ing)?(?![a-z0-9])", self.said)
            is not None
        )


def _continues(before: str) -> bool:
    return before.isalnum() or (before in ("_", "-", ".") and before != "")


def _goes_on(after: str) -> bool:
    first, second = after[:1], after[1:]
    return first.isalnum() or first in ("_", "-") or (first in (".", "@", ":") and second.isalnum())


def named_by(messages: tuple[str, ...], hosts: Iterable[str] = ()) -> Named:
    return Named(*_kept_said(messages), frozenset(hosts))


def _sentences_of(messages: tuple[str, ...]) -> tuple[str, str]:
    since = max((place for place, one in enumerate(messages) if takes_back(one)), default=0)
    every = (one for text in messages[since:] for one in _SENTENCE.split(text.casefold()))
    every = (_INSTEAD.split(one)[0] for one in every)
    told = [one for one in every if not _P.forbids.search(one)]
    said = [one for one in told if not _ASKS.search(one) or _REQUESTS.match(one)]
    return "\n".join(said), "\n".join(told)


_kept_said = lru_cache(maxsize=MOST_KEPT)(_sentences_of)


def remote_hosts(workspace: Workspace) -> frozenset[str]:
    """The machines that the project's own remotes are on."""
    text = workspace.files.text(f"{workspace.root}/.git/config", LONGEST_CONFIGURATION) or ""
    return frozenset(host for url in _REMOTE.findall(text) if (host := host_of(url)))


def hosts_in(texts: Iterable[str]) -> frozenset[str]:
    """The machines that the person's own settings name."""
    plain = re.compile(r"(?<![\w@./-])[a-z0-9-]+(?:\.[a-z0-9-]+)+(?![\w-])", re.IGNORECASE)
    found = (
        host
        for text in texts
        for one in (*urls_in(text), *plain.findall(text))
        if (host := host_of(one))
    )
    return frozenset(found)
