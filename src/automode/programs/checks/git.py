"""Checks of git, svn, hg and jj: their configuration, and the places of a command line."""

import posixpath
import re
from collections.abc import Callable, Iterator

from automode.core.paths import absolute, parents, within
from automode.core.word_lists import word_sets
from automode.core.workspace import Kind as FileKind
from automode.programs import git_config
from automode.programs.git_config import (
    Family,
    Place,
    Setting,
    Unproved,
    configuration_use,
    harmless_for_changes,
    repository_of,
)
from automode.programs.row import EFFECTS, NOTHING, Given, Kind, Row, Touch, option_touches
from automode.programs.use import READS, Use, runs, unknown
from automode.shell.options import Arguments, Option, may_split
from automode.shell.script import HOLE, Origin, Word

WORDS = word_sets("automode.programs")

_FORMATS = ("--format", "--pretty", "--batch-check")
_SORTED_BY = re.compile(
    r"-?(?:(?:version|v):)?(?:refname|objectname|objectsize|objecttype|creatordate|committerdate|"
    r"authordate|taggerdate|upstream|subject|authorname|committername|HEAD|numparent)(?::[\w=-]+)?"
)
_REVISION = re.compile(r"\.\.\.?[\w@]|[~^:@]")
_FILE_OBJECT = re.compile(rf"[0-9a-fA-F]{{4,}}\Z|.*[:{HOLE}]", re.DOTALL)


def command(given: Given) -> Use:
    """Of every git command: where it runs, and what is configured there and with `-c`."""
    use, verb = _glued_value(given), _verb(given)
    if verb is None:
        return use if given.invocation.literal else use | unknown("git's command is not known")
    if _leading_options(given).has("--help", "-h") or any(
        word.value == "--help" for word in given.args
    ):
        return runs("`--help` opens the manual in another program")
    if given.options is NOTHING and len(given.args) > 2:
        return unknown("not every command of two words takes `-h` for help")
    harmful = any(EFFECTS[given.row.effects.get(o.name, "reads")] for o in given.options.options)
    unnamed = given.outer is None and given.operands
    if harmful or unnamed or not given.would_read:
        return use | _more_settings(given)
    use |= _doubtful(given)
    for option in given.options.options:
        use |= _value(option)
    if use.effect:
        return use
    return configuration_use(given.invocation.workspace, place(given), _families(given.row), verb)


def _leading_options(given: Given) -> Arguments:
    """The options in front of the command, and the command."""
    return given.options if given.outer is None else given.before


def _verb(given: Given) -> str | None:
    """The command. `git commit -h` is not taken apart."""
    helped = given.args if given.options is NOTHING and len(given.args) > 1 else ()
    return next((word.text for word in (*_leading_options(given).operands, *helped)), None)


def _families(row: Row) -> Family:
    """What the row says that settings steer; without a word of it, everything."""
    if row.settings is None:
        return ~Family.NONE
    found = Family.NONE
    for name in row.settings:
        found |= Family[name.upper()]
    return found


def place(given: Given) -> Place | None:
    """Where git will look for its repository, None when that cannot be known."""
    before, at = _leading_options(given), given.invocation.command
    folders = [o.value for o in before.options if o.name == "-C"]
    git_dir, work_tree = before.value("--git-dir"), before.value("--work-tree")
    named = (*folders, *(one for one in (git_dir, work_tree) if one is not None))
    settings = _settings(given)
    unsure = any(one is None or one.value is None or one.splits for one in named)
    if at.remote or at.cwd is None or unsure or settings is None:
        return None
    folder = posixpath.join(at.cwd, *(one.text for one in folders if one is not None))
    return Place(
        folder, git_dir.text if git_dir else None, work_tree.text if work_tree else None, settings
    )


def _settings(given: Given) -> tuple[Setting, ...] | None:
    """The settings given with `-c`; None where one is not known."""
    found: list[Setting] = []
    for option in _leading_options(given).options:
        if option.name != "-c":
            continue
        if option.value is None or option.value.value is None:
            return None
        key, equals, value = option.value.value.partition("=")
        section, _, rest = key.partition(".")
        subsection, _, name = rest.rpartition(".")
        value = value if equals else "true"
        found.append(Setting(section.lower(), subsection, name.lower(), value))
    return tuple(found)


def _more_settings(given: Given) -> Use:
    """What the settings of a command line add to a command that does more than read."""
    settings = _settings(given)
    if settings is None:
        return unknown("a setting given with `-c` is not known")
    found = next((one for one in settings if not harmless_for_changes(one)), None)
    return runs(f"`-c {found.key}` may make git run another program") if found else READS


def _glued_value(given: Given) -> Use:
    """git takes the values of `-C` and `-c` as words of their own."""
    for option in _leading_options(given).options:
        own = any(option.value is word for word in given.invocation.args)
        if option.name in ("-C", "-c") and not own:
            return unknown(f"`{option.name}` has no word of its own for its value")
    return READS


def _doubtful(given: Given) -> Use:
    """A long option that seems to take an option for its value may not take one at all. Nobody
    names files like options, and not every command stops reading options at `--`."""
    for option in given.options.options:
        value = option.value
        own = value is not None and any(value is word for word in given.args)
        if value is None or not own:
            continue
        if value.splits or (option.name[:2] == "--" and value.could_be_flag):
            return unknown(f"the value of `{option.name}` may be an option")
    if any(word.text[:1] == "-" for word in given.operands):
        return unknown("a word behind `--` looks like an option")
    return READS


def _value(option: Option) -> Use:
    """A format may ask for the state of a signature, which runs gpg; `--submodule=diff` runs git
    in repositories that nobody looked at."""
    text = option.value.text if option.value else ""
    if option.name in _FORMATS and not git_config.plain_format(text):
        return runs(f"`{option.name}` asks for more than what is known to be only read")
    if option.name in _FORMATS and HOLE in text:
        return unknown("the format is not known")
    if option.name == "--sort" and not _SORTED_BY.fullmatch(text):
        return runs("`--sort` by a signature runs gpg")
    if option.name == "--submodule" and text not in ("", "log", "short"):
        return runs("`--submodule` starts git in other repositories")
    return READS


def shows_contents(given: Given) -> bool:
    """Whether it prints what tracked files hold, and not just their names or numbers. `git show`
    prints a file that it is given by name or number whatever its options are."""
    if _verb(given) == "show" and any(_FILE_OBJECT.match(word.text) for word in given.operands):
        return True
    keys = {given.row.effects.get(option.name) for option in given.options.options}
    return "contents" in keys or (given.row.contents and "summary" not in keys)


def touches(given: Given) -> Iterator[Touch]:
    """A word may be a revision, a file, or a file of a revision (`HEAD:src/app.py`)."""
    yield from option_touches(given)
    for option in given.before.options:
        if option.name in ("-C", "--git-dir", "--work-tree") and option.value is not None:
            yield Touch(None, option.value)
    count = len(given.operands)
    words = given.row.words
    kinds = words.kinds(count) if words else (None,) * count
    for kind, word in zip(kinds or (None,) * count, given.operands, strict=True):
        if kind is Kind.TEXT:
            continue
        yield Touch(kind if kind is Kind.READS else None, word)
        revision, colon, path = word.text.partition(":")
        if kind is Kind.NAMES and colon and revision and path:
            yield Touch(Kind.READS, Word(path, word.origin))


def compare(given: Given) -> Use:
    """Two names compare what they name, not what git keeps, where one lies outside the repository
    or there is none. Below a folder that may be any file."""
    at, workspace = place(given), given.invocation.workspace
    if at is None:
        return READS  # which is not proved anyway
    if len(given.operands) < 2 and all(word.value is not None for word in given.operands):
        return READS
    try:
        found = repository_of(workspace, at)
    except Unproved as error:
        return unknown(str(error))
    paths = [posixpath.join(at.folder, word.text) for word in given.operands]
    top = found.top if found else None
    outside = [not within(absolute(path, "/"), top or workspace.root) for path in paths]
    dynamic = [
        word
        for word, out in zip(given.operands, outside, strict=True)
        if word.value is None and not _REVISION.search(word.text) and (out or _leads(word))
    ]
    if top and not any(outside) and not dynamic and not given.options.has("--no-index"):
        return READS
    present = [k for path in paths if (k := workspace.files.kind(path)) is not FileKind.MISSING]
    several = sum(may_split(word) or word.origin is Origin.GLOB for word in dynamic)
    if len(present) + len(dynamic) + several > 1 and (dynamic or FileKind.FOLDER in present):
        return unknown("every file below a folder may be compared")
    return READS


def _leads(word: Word) -> bool:
    """Whether what is not known of a word may lead anywhere."""
    return may_split(word) or word.text[:1] == HOLE


def blame(given: Given) -> Use:
    """`git blame` reads options even after `--`."""
    if any(word.could_be_flag for word in given.operands):
        return unknown("a word is not known and may be an option")
    return READS


_LEVELS = 64
_FILE_BYTES = 64 * 1024
_FACTS = WORDS["mercurial-facts"]
_FILTERS = WORDS["mercurial-filters"]
_FACT = rf"\{{(?:{'|'.join(_FACTS)})(?:\|(?:{'|'.join(_FILTERS)}))*\}}"
_TEMPLATE = re.compile(rf"(?=[^{{]*\{{)(?:[^{{}}]|{_FACT})*|json|compact|phases|status")


def mercurial(given: Given) -> Use:
    configs = (".hg/hgrc", ".hg/hgrc-not-shared", ".hg/sharedpath", ".hgsub")
    use = _repository_use(given, configs, _only_paths)
    if use.effect or not given.would_read:
        return use
    if not given.invocation.literal or any("(" in word.text for word in given.invocation.args):
        return unknown("a function may be called")
    templates = [one.value for one in given.options.options if one.name in ("-T", "--template")]
    if not all(value is not None and _TEMPLATE.fullmatch(value.text) for value in templates):
        return unknown("the template is not one that shows plain facts")
    return READS


def jujutsu(given: Given) -> Use:
    configs = (".jj/repo/config.toml", ".jj/workspace-config.toml")
    return _repository_use(given, configs, lambda text: not text.strip())


def _only_paths(text: str) -> bool:
    """Whether a Mercurial configuration holds nothing but names for other repositories."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and line[0] not in "#;"]
    others = [line for line in lines[1:] if line.startswith(("[", "%"))]
    return not lines or (lines[0] == "[paths]" and not others)


def visible_place(given: Given) -> Use:
    """Outside the workspace only a folder that can really be seen counts."""
    if given.outer is None:
        return READS  # `--version`
    if not given.would_read:
        unclear = given.options.unclear  # `--config` may make any command run code
        return unknown(f"option `{unclear[0]}` is not known") if unclear else READS
    invocation = given.invocation
    files, folder = invocation.workspace.files, invocation.command.cwd
    place = files.resolve(folder) if folder is not None else None
    if place is None or invocation.command.remote:
        return unknown("the folder it runs in is not known")
    inside = any(within(place, root) for root in invocation.workspace.folders)
    if not inside and not files.names(place, 1):
        return unknown(f"`{place}` is outside the workspace and cannot be seen")
    return READS


def _repository_use(given: Given, names: tuple[str, ...], harmless: Callable[[str], bool]) -> Use:
    """Whether the files that configure a repository say nothing but what is harmless."""
    files, folder = given.invocation.workspace.files, given.invocation.command.cwd
    use, place = visible_place(given), files.resolve(folder) if folder is not None else None
    if use.effect or place is None or given.outer is None or not given.would_read:
        return use
    for level in (place, *parents(place)[:_LEVELS]):
        for path in (posixpath.join(level, name) for name in names):
            if files.kind(path) is FileKind.MISSING:
                continue
            text = files.text(path, _FILE_BYTES)
            if text is None or len(text) >= _FILE_BYTES // 4 or not harmless(text):
                return runs("the repository's configuration may run something")
    return READS
