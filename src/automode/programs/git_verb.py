"""The shape of one git command that can read: its options, what some of them add, its families."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from automode.programs import git_keys
from automode.programs.git_keys import Family
from automode.programs.git_options import options, read
from automode.programs.rows import printable
from automode.programs.use import READS, Use, runs, unknown
from automode.shell.options import Arguments, Spec
from automode.shell.script import HOLE, Word

Check: TypeAlias = Callable[[Arguments], Use]
_FORMATS = ("--format", "--pretty", "--batch", "--batch-check", "--batch-command")


def nothing(given: Arguments) -> Use:
    """No further condition."""
    return READS


@dataclass(frozen=True, slots=True)
class Verb:
    """Reads with the options of `spec`, apart from `effects`, when `check` agrees."""

    spec: Spec = field(default_factory=options)
    families: Family = Family.DATA
    effects: Mapping[str, Use] = field(default_factory=dict)
    check: Check = nothing
    operands: int | None = None

    def __call__(self, args: Sequence[Word]) -> Use:
        given = read(args, self.spec)
        use = READS
        for option in given.options:
            use |= self.effects.get(option.name, READS)
        if use.effect:
            return use
        use = _plain(given)
        if use.effect:
            return use
        use = self.check(given)
        if use.effect:
            return use
        if given.unclear:
            return unknown(f"option `{given.unclear[0]}` is not known to be harmless")
        if self.operands is not None and len(given.operands) > self.operands:
            return unknown(f"`{printable(given.operands[self.operands])}` is not expected here")
        return READS


_SORTED_BY = re.compile(
    r"-?(?:(?:version|v):)?(?:refname|objectname|objectsize|objecttype|creatordate|committerdate|"
    r"authordate|taggerdate|upstream|subject|authorname|committername|HEAD|numparent)(?::[\w=-]+)?"
)


def _plain(given: Arguments) -> Use:
    """A format may ask for the state of a signature, which runs gpg; `--submodule=diff` runs git
    in repositories that nobody looked at."""
    for option in given.options:
        text = option.value.text if option.value else ""
        if option.name in _FORMATS and not git_keys.plain_format(text):
            return runs(f"`{option.name}` asks for more than what is known to be only read")
        if option.name in _FORMATS and HOLE in text:
            return unknown("the format is not known")
        if option.name == "--sort" and not _SORTED_BY.fullmatch(text):
            return runs("`--sort` by a signature runs gpg")
        if option.name == "--submodule" and text not in ("", "log", "short"):
            return runs("`--submodule` starts git in other repositories")
    return READS


def needs(*names: str, otherwise: Use) -> Check:
    """One of these options must be there, as `--dry-run`."""

    def check(given: Arguments) -> Use:
        return READS if given.has(*names) else otherwise

    return check
