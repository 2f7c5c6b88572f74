"""Where a `git push` goes: which branch, whether it is the remote's default one, and whether this
session made it. Read from git's own files; no process is run."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from automode.core.workspace import Kind, Workspace
from automode.facts.git import NotKnown, config_text, git_folders, quote_name
from automode.programs.git_config import FILE_BYTES, BadConfig, parse
from automode.shell.script import HOLE

_HEADS = "refs/heads/"
_WITH_VALUE = frozenset({"-o", "--push-option", "--receive-pack", "--exec", "--repo"})
_WHOLE = {"--all": "all branches", "--branches": "all branches", "--mirror": "every ref"}
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class _Repository:
    """`branch` is empty where none is checked out."""

    branch: str
    settings: Mapping[str, str]  # the last value of each key
    shared: str  # the folder with the refs
    workspace: Workspace

    def default_branch(self, remote: str) -> str | None:
        text = self.workspace.files.text(f"{self.shared}/refs/remotes/{remote}/HEAD", 1024)
        before, ref, name = (text or "").strip().partition(f"ref: refs/remotes/{remote}/")
        return name if ref and not before else None

    def fetched(self, remote: str, branch: str) -> bool | None:
        """Whether the remote had the branch when it was last asked; None: not known."""
        files, name = self.workspace.files, f"refs/remotes/{remote}/{branch}"
        if files.kind(f"{self.shared}/{name}") is Kind.FILE:
            return True
        packed = f"{self.shared}/packed-refs"
        if files.kind(f"{self.shared}/reftable") is not Kind.MISSING:
            return None
        if files.kind(packed) is Kind.MISSING:
            return False
        text = files.text(packed, FILE_BYTES + 1)
        if text is None or len(text) > FILE_BYTES:
            return None
        return any(line.endswith(f" {name}") for line in text.splitlines())


def push_text(folder: str, words: Sequence[str], workspace: Workspace, made: Sequence[str]) -> str:
    """Of a push with these words in a repository; `made`: branches this session made."""
    try:
        return "; ".join(_sentences(_repository(folder, workspace), words, made))
    except (NotKnown, BadConfig) as error:
        return f"not known: {error}"


def new_branches(verb: str, rest: Sequence[str]) -> Iterator[str]:
    """The branches that a git command makes, and that cannot have been there before."""
    flags = {"checkout": ("-b",), "switch": ("-c", "--create"), "worktree": ("-b",)}
    for flag, name in pairwise(rest):
        if flag in flags.get(verb, ()):
            yield name
    if verb == "branch" and rest and not any(word.startswith("-") for word in rest):
        yield rest[0]


def _repository(folder: str, workspace: Workspace) -> _Repository:
    own, shared = git_folders(folder, workspace)
    head = workspace.files.text(f"{own}/HEAD", 1024)
    if head is None:
        raise NotKnown("the branch that is checked out cannot be read")
    ref = head.strip().removeprefix("ref: ")
    branch = ref.removeprefix(_HEADS) if ref.startswith(_HEADS) else ""
    personal = (f"{workspace.home}/.config/git/config", f"{workspace.home}/.gitconfig")
    texts = [workspace.files.text(path, FILE_BYTES) or "" for path in personal]
    texts.append(config_text(folder, workspace))
    settings = {one.key: one.value for text in texts for one in parse(text)}
    return _Repository(branch, settings, posixpath.normpath(shared), workspace)


def _sentences(of: _Repository, words: Sequence[str], made: Sequence[str]) -> Iterator[str]:
    if any(HOLE in word for word in words):
        raise NotKnown("a word of the command cannot be read")
    yield (
        f"branch {quote_name(of.branch)} is checked out"
        if of.branch
        else "no branch is checked out"
    )
    remote, refs = _taken_apart(of, words)
    for option in words:
        if option in _WHOLE:
            yield f"{_WHOLE[option]} of {quote_name(remote)} may change"
            return
    deletes = not {"-d", "--delete"}.isdisjoint(words)
    try:
        targets = refs or [_own_target(of, remote)]
    except NotKnown as error:
        yield f"which branch is pushed is not known: {error}"
        return
    for ref in targets[:_SHOWN]:
        yield from _target(of, remote, ref, made, deletes=deletes)
    if len(targets) > _SHOWN:
        yield f"{len(targets) - _SHOWN} more"


def _taken_apart(of: _Repository, words: Sequence[str]) -> tuple[str, list[str]]:
    """The remote, and what is pushed to it."""
    operands, skip = [], False
    for word in words:
        if not skip and not word.startswith("-"):
            operands.append(word)
        skip = word in _WITH_VALUE
    own = (f"branch.{of.branch}.pushremote", "remote.pushdefault", f"branch.{of.branch}.remote")
    usual = next((of.settings[key] for key in own if key in of.settings), "origin")
    remote, *refs = operands or [usual]
    return remote, refs


def _own_target(of: _Repository, remote: str) -> str:
    """What a push without refs pushes."""
    how = of.settings.get("push.default", "simple")
    more = any(key.startswith(("include.", "includeif.")) for key in of.settings)
    own = f"remote.{remote}.push" in of.settings
    if more or own or how not in ("simple", "current", "upstream"):
        raise NotKnown("the configuration says in its own way what is pushed")
    if not of.branch:
        raise NotKnown("no branch is checked out")
    upstream = of.settings.get(f"branch.{of.branch}.merge", _HEADS + of.branch)
    return f"{of.branch}:{upstream}" if how == "upstream" else of.branch


def _target(
    of: _Repository, remote: str, ref: str, made: Sequence[str], *, deletes: bool
) -> Iterator[str]:
    source, colon, target = ref.removeprefix("+").partition(":")
    named = target if colon else source
    named = of.branch if named == "HEAD" else named
    name = named.removeprefix(_HEADS)
    if not name or name.startswith("refs/"):
        yield f"{quote_name(ref)} is no branch"
        return
    removed = deletes or (bool(colon) and not source)
    yield f"it {'deletes' if removed else 'pushes to'} {quote_name(name)} of {quote_name(remote)}"
    default = of.default_branch(remote)
    if default is None:
        yield "which branch is the remote's default is not known"
    else:
        yield f"the remote's default branch is {quote_name(default)}" + (
            ", this very one" if default == name else ", another one"
        )
    if name in made:
        yield f"a call of this session creates the local branch {quote_name(name)}"
    had = of.fetched(remote, name)
    if had is not None:
        yield f"when last fetched, the remote {'had' if had else 'did not have'} {quote_name(name)}"
