"""Checks of svn, hg and jj: what they ask of a server, and what their repositories configure."""

import posixpath
import re
from collections.abc import Callable

from automode.core.files import Kind
from automode.core.paths import parents, within
from automode.programs.touch import Given
from automode.programs.use import READS, Use, network, runs, unknown

_LEVELS = 64
_FILE_BYTES = 64 * 1024
# A template of Mercurial that shows plain facts. A value without a brace may name a file, and a
# filter may be a function that asks another repository: `{'outgoing\x28\x29'|revset}`.
_FACTS = (
    "rev node changeset author user desc date branch branches branchname tags bookmarks bookmark "
    "activebookmark files file_adds file_mods file_dels file_copies path status size flags name "
    "phase phaseidx parents p1node p2node p1rev p2rev children graphnode graphwidth diffstat "
    "latesttag latesttagdistance manifest closed active current index obsolete instabilities"
)
_FILTERS = (
    "short shortest firstline strip user email person emailuser date isodate isodatesec shortdate "
    "localdate rfc822date rfc3339date hgdate age basename stringify count upper lower json escape "
    "tabindent addbreaks fill68 fill76 stripdir nonempty hex utf8"
)
_FACT = rf"\{{(?:{'|'.join(_FACTS.split())})(?:\|(?:{'|'.join(_FILTERS.split())}))*\}}"
_TEMPLATE = re.compile(rf"(?=[^{{]*\{{)(?:[^{{}}]|{_FACT})*|json|compact|phases|status")


def svn(given: Given) -> Use:
    args = given.invocation.args
    if any("://" in word.text or "^/" in word.text for word in args):
        return network("an address is given")
    if any("@" in word.text for word in args):
        return network("a revision is asked of the server")
    if any(word.value is None and word.could_be_flag for word in args):
        return unknown("an argument is not known and may be an option")
    return _place(given)


def mercurial(given: Given) -> Use:
    configs = (".hg/hgrc", ".hg/hgrc-not-shared", ".hg/sharedpath", ".hgsub")
    use = _configured(given, configs, _only_paths)
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
    return _configured(given, configs, lambda text: not text.strip())


def _only_paths(text: str) -> bool:
    """Whether a Mercurial configuration holds nothing but names for other repositories."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and line[0] not in "#;"]
    others = [line for line in lines[1:] if line.startswith(("[", "%"))]
    return not lines or (lines[0] == "[paths]" and not others)


def _place(given: Given) -> Use:
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


def _configured(given: Given, names: tuple[str, ...], harmless: Callable[[str], bool]) -> Use:
    """Whether the files that configure a repository say nothing but what is harmless."""
    files, folder = given.invocation.workspace.files, given.invocation.command.cwd
    use, place = _place(given), files.resolve(folder) if folder is not None else None
    if use.effect or place is None or given.outer is None or not given.would_read:
        return use
    for level in (place, *parents(place)[:_LEVELS]):
        for path in (posixpath.join(level, name) for name in names):
            if files.kind(path) is Kind.MISSING:
                continue
            text = files.text(path, _FILE_BYTES)
            if text is None or len(text) >= _FILE_BYTES // 4 or not harmless(text):
                return runs("the repository's configuration may run something")
    return READS
