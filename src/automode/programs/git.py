"""git: what its global options add, and which of its commands only read.

The commands are in git_reading, git_forms and git_changing; the repository's own configuration,
which can turn a reading command into a running one, is looked at in git_repository.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from automode.core.files import Kind
from automode.core.paths import absolute, within
from automode.programs.git_changing import CHANGING, changing
from automode.programs.git_config import Setting
from automode.programs.git_keys import Family, harmless_for_changes
from automode.programs.git_options import COMPARE, read
from automode.programs.git_reading import READING
from automode.programs.git_repository import Place, Unproved, configured, repository_top
from automode.programs.rows import printable
from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs, unknown
from automode.shell.options import may_split
from automode.shell.script import HOLE, Origin, Word

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
_VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env")
_GLUED = ("--git-dir", "--work-tree", "--namespace", "--config-env", "--exec-path")


_REVISION = re.compile(r"\.\.\.?[\w@]|[~^:@]")


@dataclass(slots=True)
class _Call:
    """A git command line taken apart up to its command."""

    use: Use = READS
    folders: list[Word] = field(default_factory=list)
    git_dir: Word | None = None
    work_tree: Word | None = None
    settings: list[Setting] = field(default_factory=list)
    tells: str = ""  # a global option that makes git print something and stop
    rest: tuple[Word, ...] = ()

    def option(self, name: str, value: Word) -> None:
        if value.splits:
            self.use |= unknown(f"the value of `{name}` may be several words")
        elif name == "-C":
            self.folders.append(value)
        elif name == "-c":
            self.setting(value)
        elif name == "--git-dir":
            self.git_dir = value
        elif name == "--work-tree":
            self.work_tree = value
        elif name in ("--config-env", "--exec-path"):
            self.use |= runs(f"`{name}` can make git run another program")

    def setting(self, word: Word) -> None:
        if word.value is None:
            self.use |= unknown("a setting given with `-c` is not known")
            return
        key, equals, value = word.value.partition("=")
        section, _, rest = key.partition(".")
        subsection, _, name = rest.rpartition(".")
        value = value if equals else "true"
        self.settings.append(Setting(section.lower(), subsection, name.lower(), value))


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
    named = [word for word in (*call.folders, call.git_dir, call.work_tree) if word is not None]
    folder = invocation.command.cwd
    if invocation.command.remote or folder is None or any(word.value is None for word in named):
        return None
    folder = posixpath.join(folder, *(word.text for word in call.folders))
    git_dir = call.git_dir.text if call.git_dir else None
    work_tree = call.work_tree.text if call.work_tree else None
    return Place(folder, git_dir, work_tree, tuple(call.settings))


def _told(call: _Call) -> Use:
    if call.tells in ("--help", "-h") and call.rest:
        return runs("`git --help` opens the manual in another program")
    return READS


def _command(call: _Call, invocation: Invocation) -> Use:
    verb, args = call.rest[0].text, call.rest[1:]
    sub = f"{verb} {args[0].text}" if args and args[0].value is not None else verb
    key = next((key for key in (sub, verb) if key in READING or key in CHANGING), "")
    if not key:
        why = f"`git {printable(call.rest[0])}` is not known to only read"
        return _more_settings(call) | unknown(why)
    workspace, place = invocation.workspace, _place(call, invocation)
    if [word.value for word in args] == ["-h"]:
        return configured(workspace, place, Family.PAGER | Family.LFS, verb)
    if any(word.value == "--help" for word in args):
        return runs("`--help` opens the manual in another program")
    if key == sub != verb:
        args = args[1:]
    reading = _reading(key, verb, args)
    if reading is None:
        return _more_settings(call) | changing(key, args)
    if reading.effect:
        changes = changing(key, args) if _replaceable(reading, key) else reading
        return _more_settings(call) | changes
    use = configured(workspace, place, READING[key].families, verb)
    if use.effect or key != "diff" or place is None:
        return use
    return _compared(args, place, invocation)


def _more_settings(call: _Call) -> Use:
    """What the settings of a command line add to a command that does more than read."""
    found = next((one for one in call.settings if not harmless_for_changes(one)), None)
    return runs(f"`-c {found.key}` may make git run another program") if found else READS


def _compared(args: tuple[Word, ...], place: Place, invocation: Invocation) -> Use:
    """Two names compare what they name, not what git keeps, where one lies outside the repository
    or there is none. Below a folder that may be any file."""
    given = read(args, COMPARE)
    if len(given.operands) < 2 and all(word.value is not None for word in given.operands):
        return READS
    try:
        top = repository_top(invocation.workspace, place)
    except Unproved as error:
        return unknown(str(error))
    workspace = invocation.workspace
    paths = [posixpath.join(place.folder, word.text) for word in given.operands]
    outside = [not within(absolute(path, "/"), top or workspace.root) for path in paths]
    dynamic = [
        word
        for word, out in zip(given.operands, outside, strict=True)
        if word.value is None and not _REVISION.search(word.text) and (out or _leads(word))
    ]
    if top and not any(outside) and not dynamic and not given.has("--no-index"):
        return READS
    present = [kind for path in paths if (kind := workspace.files.kind(path)) is not Kind.MISSING]
    several = sum(may_split(word) or word.origin is Origin.GLOB for word in dynamic)
    if len(present) + len(dynamic) + several > 1 and (dynamic or Kind.FOLDER in present):
        return unknown("every file below a folder may be compared")
    return READS


def _leads(word: Word) -> bool:
    """Whether what is not known of a word may lead anywhere."""
    return may_split(word) or word.text[:1] == HOLE


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
