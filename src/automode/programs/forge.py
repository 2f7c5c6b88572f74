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
# The host comes after the last `@`, so `https://github.com@x.test/` is an address of x.test.
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://(?:[^/?#]*@)?|[\w.-]+@)([^/:?#@]*)", re.I)
_REPOSITORY = ("-R", "--repo")
_SHORTS = re.compile(r"-[A-Za-z]+")
_GLUED = re.compile(r"-[A-Za-z]*?R(.*)", re.S)
_GLUED_JQ = re.compile(r"-[A-Za-z]*?q(.*)", re.S)


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
    takes_repository: Collection[str] = ()  # commands whose operand is a repository
    nested_groups: bool = True  # whether `a/b/c` may be a repository of this server

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
            return self.special[key](rest) | self.repositories(words)
        return self.judged(key, rest) | self.repositories(words)

    def helps(self, words: Sequence[str]) -> bool:
        """Whether this only prints help. An unknown first word may be an extension, and after an
        option `--help` may be that option's value."""
        if words[0] == "help":
            return not any(word.startswith("-") for word in words)
        if len(words) > 1 and words[-1] != "--help":
            return False  # nearly all of them
        known = {key.split()[0] for key in (*self.reads, *self.local, *self.uses, *self.special)}
        known |= {*self.groups}
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
        operands = rest if key in self.takes_repository else ()
        return jq_use(rest) | self.addresses(rest) | self.servers(operands)

    def addresses(self, rest: Sequence[str]) -> Use:
        """The client sends its token to whichever server an address names."""
        values = [word.partition("=")[2] for word in rest if word.startswith("--")]
        for word in (*rest, *values):
            address = _ADDRESS.match(word) if "://" in word or word.startswith("git@") else None
            if address and address[1].lower() not in self.hosts:
                return network(f"`{address[1]}` is another server")
        return READS

    def repositories(self, words: Sequence[str]) -> Use:
        """`-R HOST/OWNER/NAME` names a server too, wherever it stands."""
        return self.servers(
            [
                *option_values(words, "--repo", _GLUED),
                *(word for word in words if word.startswith("git@")),
            ]
        )

    def servers(self, repositories: Sequence[str]) -> Use:
        for repository in repositories:
            host = self.host(repository)
            if host and host.lower() not in self.hosts:
                return network(f"`{host}` is another server")
        return READS

    def host(self, repository: str) -> str:
        if address := _ADDRESS.match(repository):
            return address[1] or "?"
        if repository.startswith("-") or repository.count("/") < 2:
            return ""
        host = repository.split("/")[0]
        # `group/subgroup/project` has no host in front.
        return host if not self.nested_groups or "." in host or ":" in host else ""


def option_values(words: Sequence[str], name: str, short: re.Pattern[str]) -> list[str]:
    """Every value of an option, also behind other letters (`-cq EXPRESSION`) and glued on."""
    found: list[str] = []
    for at, word in enumerate(words):
        cluster = None if word.startswith("--") else short.fullmatch(word)
        if word == name or (cluster and not cluster[1]):
            found += words[at + 1 : at + 2]
        elif cluster:
            found.append(cluster[1].removeprefix("="))
        elif word.startswith(f"{name}="):
            found.append(word.removeprefix(f"{name}="))
    return found


def jq_use(words: Sequence[str]) -> Use:
    """jq expressions and templates can reach the environment, where tokens live."""
    if any(_ENVIRONMENT.search(text) for text in option_values(words, "--jq", _GLUED_JQ)):
        return Use(Effect.SECRETS, "the jq expression prints environment variables")
    return READS
