"""The shape of command line clients of code forges: gh, glab, hub, tea.

They share their habits: `GROUP VERB`, `--web` opens a browser, `-R` names a repository, jq
expressions can print the environment.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from automode.programs.use import READS, Effect, Invocation, Use, network, runs, unknown
from automode.shell.script import HOLE

_ENVIRONMENT = re.compile(r"\benv\b|\$ENV")
_ADDRESS = re.compile(r"https?://([^/:@]+)(?:[:/]|$)", re.I)
_REPOSITORY = ("-R", "--repo")
_SHORTS = re.compile(r"-[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Forge:
    """`reads`, `local` and `uses` are keyed by the words of a command after `aliases`.

    `local` ones print what is on this machine. `special` ones judge their own arguments.
    """

    hosts: Collection[str]  # the service's own; others may be anybody's
    reads: Collection[str]
    local: Collection[str] = ()
    uses: Mapping[str, Use] = field(default_factory=dict)
    special: Mapping[str, Callable[[Sequence[str]], Use]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    groups: Collection[str] = ()  # further first words of the program's own, for `--help`
    shows_token: Collection[str] = ("--show-token",)
    plain_w: Collection[str] = ()  # commands whose `-w` is not `--web`

    def __call__(self, invocation: Invocation) -> Use:
        if not invocation.literal:
            return unknown("an argument is not known")
        words = [word.text for word in invocation.args]
        if not words or words in (["--version"], ["--help"], ["-h"], ["version"]):
            return READS
        if self.helps(words):
            return READS
        found = self.command(words)
        if found is None:
            spoken = " ".join(words[:2]).replace(HOLE, "…")
            return unknown(f"`{invocation.name} {spoken}` is not known to only read")
        key, rest = found
        if key in self.special:
            return self.special[key](rest)
        return self.judged(key, rest)

    def helps(self, words: Sequence[str]) -> bool:
        """Whether this only prints help. An unknown first word may be an extension, and after an
        option `--help` may be that option's value."""
        known = {key.split()[0] for key in (*self.reads, *self.local, *self.uses, *self.special)}
        known |= {*self.groups}
        if words[0] == "help":
            return not any(word.startswith("-") for word in words)
        if self.aliases.get(words[0], words[0]) not in known:
            return False
        plain = not any(word.startswith("-") for word in words[:-1])
        only = len(words) == 1 and words[0] in self.groups and words[0] not in self.special
        return only or (plain and words[-1] == "--help")

    def command(self, words: Sequence[str]) -> tuple[str, list[str]] | None:
        """The longest known command these words start with, and the words after it."""
        key: list[str] = []
        found: tuple[str, list[str]] | None = None
        at = 0
        while at < len(words) and len(key) < 3:
            word = words[at]
            at += 1
            if word in _REPOSITORY:
                at += 1
                continue
            if word.startswith("--repo="):
                continue
            if word.startswith("-"):
                break
            key.append(self.aliases.get(word, word))
            spoken = " ".join(key)
            if any(spoken in names for names in self.tables):
                found = spoken, list(words[at:])
        return found

    @property
    def tables(self) -> tuple[Collection[str], ...]:
        return self.reads, self.local, self.uses, self.special

    def judged(self, key: str, rest: Sequence[str]) -> Use:
        if key in self.uses:
            return self.uses[key]
        use = self.flags(key, rest)
        if use.effect:
            return use
        return READS if key in self.local else Use(Effect.REMOTE_READ)

    def flags(self, key: str, rest: Sequence[str]) -> Use:
        for word in rest:
            name = word.partition("=")[0]
            short = "w" in word and bool(_SHORTS.fullmatch(name)) and key not in self.plain_w
            if name == "--web" or short:
                return runs("`--web` opens a browser")
            if name in self.shows_token or (key == "auth status" and word == "-t"):
                return Use(Effect.SECRETS, "prints a token")
            if name == "--hostname":
                return network("`--hostname` names another server")
        return jq_use(rest) | self.addresses(rest)

    def addresses(self, rest: Sequence[str]) -> Use:
        """The client sends its token to whichever server an address or `-R HOST/…` names."""
        for at, word in enumerate(rest):
            host = ""
            if address := _ADDRESS.match(word):
                host = address[1]
            elif word in _REPOSITORY and rest[at + 1 :] and rest[at + 1].count("/") >= 2:
                host = _host(rest[at + 1])
            elif word.startswith("--repo=") and word.count("/") >= 2:
                host = _host(word.removeprefix("--repo="))
            if host and host.lower() not in self.hosts:
                return network(f"`{host}` is another server")
        return READS


def _host(repository: str) -> str:
    address = _ADDRESS.match(repository)
    host = address[1] if address else repository.split("/")[0]
    # `group/subgroup/project` has no host in front.
    return host if "." in host or "@" in repository or ":" in repository else ""


def jq_use(words: Sequence[str]) -> Use:
    """jq expressions and templates can reach the environment, where tokens live."""
    for at, word in enumerate(words):
        expression = ""
        if word in ("-q", "--jq") and words[at + 1 :]:
            expression = words[at + 1]
        elif word.startswith(("--jq=", "-q")):
            expression = word
        if _ENVIRONMENT.search(expression):
            return Use(Effect.SECRETS, "the jq expression prints environment variables")
    return READS
