"""The shape of service clients with hundreds of commands: the words that read, wary of options."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from automode.programs.clients import (
    ELSEWHERE,
    REMOTE,
    RUNS,
    SECRET,
    WRITES,
    asks_for_help,
    merged,
    words,
)
from automode.programs.use import READS, Invocation, Use, unknown
from automode.shell.options import Spec, arguments
from automode.shell.script import Word

Path: TypeAlias = tuple[frozenset[str], ...]


def paths(text: str) -> tuple[Path, ...]:
    """One sub-command a line; `list|show` are alternatives, `list-*` any word that starts so."""
    lines = (line.split() for line in text.strip().splitlines())
    return tuple(tuple(frozenset(word.split("|")) for word in words) for words in lines)


def others(table: Mapping[str, Use]) -> tuple[tuple[Path, Use], ...]:
    """What commands that do not read do, keyed by lines as `paths` takes them."""
    return tuple((path, use) for text, use in table.items() for path in paths(text))


def begins(words: Sequence[str], path: Path) -> bool:
    """Whether `words` start with `path`."""
    return len(words) >= len(path) and all(
        word in part or any(p.endswith("*") and word.startswith(p[:-1]) for p in part)
        for word, part in zip(words, path, strict=False)
    )


def named(words: Sequence[str], table: Sequence[Path]) -> bool:
    return any(begins(words, path) for path in table)


def command_words(
    args: Sequence[Word], spec: Spec, *, between: bool = False
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The plain words that name the command, and everything after them.

    Options of `spec` may stand before the words, and `between` them where the program allows it.
    Any other option ends the words: what follows it may be its value.
    """
    found: list[str] = []
    at = 0
    while at < len(args):
        text = args[at].text
        if not text.startswith("-"):
            found.append(text)
            at += 1
            continue
        taken = arguments(args[at : at + 2], spec)
        known = taken.options and not arguments(args[at : at + 1], spec).unclear
        if not known or (found and not between):
            break
        alone = taken.operands or len(taken.options) > 1 or taken.unclear
        at += 1 if alone else len(args[at : at + 2])
    return tuple(found), tuple(word.text for word in args[at:])


def option_names(args: Sequence[Word]) -> tuple[str, ...]:
    return tuple(word.text.partition("=")[0] for word in args if word.text.startswith("-"))


def worst(names: Sequence[str], effects: Mapping[str, Use], known: Spec) -> Use:
    """What the options add together. An abbreviation counts as every option it may stand for."""
    use = READS
    whole = {*known.long_flags, *known.long_values, *known.long_maybe}
    for name in names:
        for option, effect in effects.items():
            shortened = len(name) > 3 and name not in whole and option.startswith(name)
            glued = len(option) == 2 and not name.startswith("--") and option[1] in name[1:2]
            if name == option or shortened or glued:
                use |= effect
    return use


WARY: Mapping[str, Use] = {
    **dict.fromkeys(
        words(
            "host hostname address addr server endpoint url uri api domain proxy insecure"
            " profile config"
            " kubeconfig tls cert ca remote registry apikey access token password impersonate"
        ),
        ELSEWHERE,
    ),
    **dict.fromkeys(words("reveal secret secrets decrypt credentials keys plaintext"), SECRET),
    **dict.fromkeys(
        words("file outfile out dir directory dest save export download write"), WRITES
    ),
    **dict.fromkeys(words("exec command cmd run editor edit open web browser plugin script"), RUNS),
    **dict.fromkeys(
        words("delete remove set unset force reset update create yes apply fix rotate install"),
        unknown("an option may change something"),
    ),
}
"""Words that make an option of a little-known client suspect, whatever the client is."""


def wary(names: Sequence[str]) -> Use:
    use = READS
    for name in names:
        for part in re.split(r"[-_.]", name.lower()):
            use |= WARY.get(part, READS)
    return use


@dataclass(frozen=True, slots=True)
class Service:
    """A client of which the reading commands are listed and any option with a suspect name refused.

    `reads` may be followed by operands; `alone` names commands that are also groups, so nothing
    may follow them.
    """

    reads: tuple[Path, ...] = ()
    alone: tuple[Path, ...] = ()
    uses: tuple[tuple[Path, Use], ...] = ()
    spec: Spec = field(default_factory=Spec)  # harmless options after the command
    leading: Spec = field(default_factory=Spec)  # options before it, known beyond doubt
    base: Use = REMOTE
    bare: Use = READS
    help_depth: int = 3

    @property
    def verbs(self) -> frozenset[str]:
        tables = (*self.reads, *self.alone, *(path for path, _ in self.uses))
        return frozenset(word for path in tables for word in path[0])

    def __call__(self, invocation: Invocation) -> Use:
        args = invocation.args
        if asks_for_help(args, self.verbs, self.help_depth):
            return READS
        if not invocation.literal:
            return unknown("an argument is not known")
        typed, rest = command_words(args, self.leading)
        if not typed:
            return self.bare if not rest else self.version(rest)
        return self.harm(args) | self.named(typed, rest, invocation.name)

    def version(self, rest: Sequence[str]) -> Use:
        if len(rest) == 1 and rest[0] in ("--version", "-v", "-V"):
            return READS
        return unknown(f"option `{rest[0]}` is not known to be harmless")

    def harm(self, args: Sequence[Word]) -> Use:
        both = merged(self.spec, self.leading)
        known = {*both.long_values, *both.long_maybe}
        strange = [name for name in option_names(args) if name not in known]
        for name in strange:
            if not name.startswith("--") and arguments([Word(name)], both).unclear:
                return unknown(f"option `{name}` is not known to be harmless")
        return wary(strange)

    def named(self, words: Sequence[str], rest: Sequence[str], program: str) -> Use:
        """The longest path that fits decides; of two equally long ones, the one that warns."""
        fits = [(len(path), use) for path, use in self.uses if begins(words, path)]
        longest, use = max(fits, key=lambda fit: fit[0], default=(0, READS))
        if any(len(path) > longest and begins(words, path) for path in self.reads):
            return self.base
        if fits:
            return use
        left = arguments([Word(text) for text in rest], self.spec)
        plain = not left.unclear and not left.operands
        if plain and any(len(p) == len(words) and begins(words, p) for p in self.alone):
            return self.base
        return unknown(f"`{program} {words[0]}` is not known to only read")
