"""git: what its global options add, and which of its commands only read.

The commands are in git_reading, git_forms and git_changing; the repository's own configuration,
which can turn a reading command into a running one, is looked at in git_repository.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from automode.programs.git_changing import CHANGING, changing
from automode.programs.git_reading import READING
from automode.programs.git_repository import Place, configured
from automode.programs.rows import printable
from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs, unknown
from automode.shell.script import Word

_HARMLESS = (
    "--no-pager",
    "-P",
    "--no-replace-objects",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
    "--no-optional-locks",
    "--no-lazy-fetch",
    "--no-advice",
)
_TELLS = ("--version", "-v", "--help", "-h", "--html-path", "--man-path", "--info-path")
_VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--attr-source", "--config-env")
_GLUED = ("--git-dir", "--work-tree", "--namespace", "--attr-source", "--config-env", "--exec-path")

_HARMLESS_SETTING = re.compile(
    r"""color\..*|column\..*|advice\..*|status\..*|i18n\..*|user\.(name|email)
    |core\.(quotepath|abbrev|autocrlf|eol|safecrlf|ignorecase|filemode|precomposeunicode
      |preloadindex|untrackedcache|commentchar|longpaths|checkstat|trustctime)
    |log\.(date|decorate|abbrevcommit|follow|showroot|mailmap|graphcolors|initialdecorationset)
    |diff\.(renames|renamelimit|context|interhunkcontext|noprefix|mnemonicprefix|algorithm
      |colormoved|colormovedws|wserrorhighlight|statgraphwidth|statnamewidth|submodule
      |indentheuristic|ignoresubmodules|autorefreshindex|dirstat|relative|suppressblankempty
      |wordregex)
    |grep\.(linenumber|column|patterntype|extendedregexp|threads|fullname|fallbacktonoindex)
    |blame\.(date|showemail|showroot|coloring|blankboundary)
    |tag\.sort|branch\.sort|versionsort\.suffix|gc\.auto|rerere\.enabled|submodule\.recurse
    |init\.defaultbranch|merge\.(conflictstyle|renames|renamelimit|stat)|commit\.gpgsign
    |pull\.(rebase|ff)|fetch\.prune|feature\..*|index\.threads|pack\.threads""",
    re.I | re.X,
)
_SWITCHES = ("true", "false", "yes", "no", "on", "off", "1", "0", "")


@dataclass(slots=True)
class _Call:
    """A git command line taken apart up to its command."""

    use: Use = READS
    folders: list[Word] = field(default_factory=list)
    git_dir: Word | None = None
    tells: str = ""  # a global option that makes git print something and stop
    rest: tuple[Word, ...] = ()

    def option(self, name: str, value: Word) -> None:
        if value.splits:
            self.use |= unknown(f"the value of `{name}` may be several words")
        elif name == "-C":
            self.folders.append(value)
        elif name == "-c":
            self.use |= _setting(value)
        elif name == "--git-dir":
            self.git_dir = value
        elif name in ("--config-env", "--exec-path"):
            self.use |= runs(f"`{name}` can make git run another program")


def _setting(value: Word) -> Use:
    if value.value is None:
        return unknown("a setting given with `-c` is not known")
    key, _, setting = value.value.partition("=")
    if _HARMLESS_SETTING.fullmatch(key):
        return READS
    lower = key.lower()
    plain = (lower == "core.pager" and setting in ("", "cat")) or (
        lower.startswith(("pager.", "core.fsmonitor")) and setting.lower() in _SWITCHES
    )
    if plain or (lower == "core.hookspath" and setting == "/dev/null"):
        return READS
    return runs(f"`-c {printable(Word(key))}` may make git run another program")


def _taken_apart(args: tuple[Word, ...]) -> _Call:
    call = _Call()
    words: Iterator[Word] = iter(args)
    for word in words:
        text = word.text
        name, equals, value = text.partition("=")
        if word.value is not None and not text.startswith("-"):
            call.rest = (word, *words)
        elif equals and name in _GLUED and not word.splits:
            call.option(name, Word(value, word.origin))
        elif word.value is None:
            call.use |= unknown("git's command is not known")
            return call
        elif text in _VALUED:
            call.option(text, next(words, Word("")))
        elif text in (*_TELLS, "--exec-path"):
            call.tells, call.rest = text, tuple(words)
        elif text in ("-p", "--paginate"):
            call.use |= runs(f"`{text}` starts a pager")
        elif text not in _HARMLESS:
            call.use |= unknown(f"option `{text}` is not known to be harmless")
    return call


def _place(call: _Call, invocation: Invocation) -> Place | None:
    """Where git will look for its repository, None when that cannot be known."""
    if invocation.command.remote or invocation.command.cwd is None:
        return None
    folder = invocation.command.cwd
    for word in call.folders:
        if word.value is None:
            return None
        folder = posixpath.join(folder, word.value)
    if call.git_dir is None:
        return Place(folder)
    return Place(folder, call.git_dir.value) if call.git_dir.value is not None else None


def _told(call: _Call) -> Use:
    if call.tells in ("--help", "-h") and call.rest:
        return runs("`git --help` opens the manual in another program")
    return READS


def _command(call: _Call, invocation: Invocation) -> Use:
    verb, args = call.rest[0].text, call.rest[1:]
    sub = f"{verb} {args[0].text}" if args and args[0].value is not None else verb
    key = next((key for key in (sub, verb) if key in READING or key in CHANGING), "")
    if not key:
        return unknown(f"`git {printable(call.rest[0])}` is not known to only read")
    if [word.value for word in args] == ["-h"]:
        return READS
    if any(word.value == "--help" for word in args):
        return runs("`--help` opens the manual in another program")
    if key == sub != verb:
        args = args[1:]
    reading = _reading(key, verb, args)
    if reading is None:
        return changing(key, args)
    if reading.effect:
        return changing(key, args) if _replaceable(reading, key) else reading
    return configured(invocation.workspace, _place(call, invocation), READING[key].hazards, verb)


def _reading(key: str, verb: str, args: tuple[Word, ...]) -> Use | None:
    """What a command that can read does here, None when it never only reads."""
    if key not in READING:
        return None
    # git takes some sub-commands in any position, so their names are no ordinary operands.
    if any(f"{verb} {word.text}" in CHANGING for word in args) and verb not in ("config", "lfs"):
        return unknown(f"a word names another command of `git {verb}`")
    return READING[key](args)


def _replaceable(reading: Use, key: str) -> bool:
    """The table of changing commands knows more about plain writes."""
    return reading.effect is Effect.WRITES and key in CHANGING


def _git(invocation: Invocation) -> Use:
    call = _taken_apart(invocation.args)
    if call.use.effect & Effect.UNKNOWN:
        return call.use
    if call.tells:
        return call.use | _told(call)
    if not call.rest:
        return call.use
    return call.use | _command(call, invocation)


PROGRAMS: Mapping[str, Judge] = {"git": _git}
