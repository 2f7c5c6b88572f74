"""Which deeds a command is by the files it names: what it writes, deletes, moves and gathers."""

import re
from collections.abc import Iterator
from itertools import pairwise

from automode.core.files import Kind
from automode.core.paths import absolute, exactly_within, parents, within
from automode.core.workspace import Workspace
from automode.guards import workspace_edits
from automode.guards.protected import PROTECTED_PATHS, Protected, is_acted_upon
from automode.judge.touching import EACH, How, Touch, redirected, touched
from automode.programs.table import of_kind
from automode.shell.script import HOLE, Command

_COPIERS, _PACKERS, _SEARCHERS = map(of_kind, ("copier", "packer", "searcher"))
_UNPACKS = re.compile(r"-?[a-zA-Z]*[xt]|--(?:extract|get|list)")
_RUNNABLE = re.compile(r"[ua]?\+x|[0-7]?7[0-7]5|u\+rwx")
SECRETS = re.compile(
    r"passw|passphrase|secret|credential|api.?key|token|private.?key|id_[rd]sa|id_ed25519|\.pem\b|\.kdbx|"
    r"\.p12\b|\.pfx\b|\.gnupg|\.ssh\b|\.aws\b|wallet|keychain|login data|cookies|shadow|ssn|"
    r"credit.?card",
    re.IGNORECASE,
)
_PROTECTED = Protected.of(PROTECTED_PATHS)
# What lies there runs, or is read by whatever runs, for everybody on the machine.
_SYSTEM = re.compile(
    r"/(?:etc|usr|bin|sbin|lib\w*|opt|boot|dev|proc|sys|srv|var/(?!tmp/|folders/)\w+|System|Library|"
    r"Applications|root)(?:/|$)"
)
_HOME_PROGRAMS = re.compile(r"(?:\.|bin/|go/bin/|Library/|Applications/)")
# Of their paths it counts where each lies.
_PLACED = _COPIERS | _PACKERS | _SEARCHERS | {"mv", "chmod"}
MOST_PATHS = 40
_GENERATED = re.compile(
    r"(?:^|/)(?:node_modules|dist|build|out|target|coverage|\.next|\.nuxt|\.turbo|\.cache|cache|"
    r"__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.venv|venv|tmp|temp|\.tmp|"
    r"test-results|playwright-report|obj|\.parcel-cache|htmlcov|\.eggs|[^/]*\.egg-info|"
    r"storybook-static|scratch\w*)(?:/|$)|"
    r"\.(?:log|tmp|pyc|o|out|bak|orig|rej|swp|lock|pid|test|prof|exe)$|\.DS_Store$|(?:^|/)index\.lock$"
)
# What a host has its agent write while it plans: nothing acts upon it.
PLAN = re.compile(r"/\.claude/plans/[\w-]+\.md$")
SCRATCH = re.compile(
    r"^(?:/private)?/(?:var/)?tmp(?:/|$)|/var/folders/|/AppData/Local/Temp/|/scratchpad(?:/|$)",
    re.IGNORECASE,
)


def plain_words(command: Command) -> Iterator[str]:
    """What follows the program and is no option."""
    return (word.text for word in command.args if not word.text.startswith("-"))


def where(path: str, command: Command, workspace: Workspace) -> str:
    """`here`, `scratch`, `generated`, `near` (a project beside it) or `outside`; what cannot be
    known is outside."""
    full = absolute(path, command.cwd or workspace.cwd)
    if HOLE in path and not path.startswith((".", "/")) and path[0] != HOLE:
        return "here"
    # An unknown name may be empty, or lead anywhere: where it is used excuses nothing. What `find`
    # found lies below where it searched.
    found = "find" in command.via and path.startswith("./")
    known = HOLE not in path or path.startswith("/") or found
    if any(exactly_within(full, folder) for folder in workspace.folders):
        sure = full[len(workspace.root) :] if known else path.rpartition(HOLE)[2]
        return "generated" if _GENERATED.search(sure) else "here"
    temporary = any(within(full, folder) for folder in workspace.temporary)
    if temporary or SCRATCH.search(full):
        return "scratch" if known else "here"
    return "near" if _beside(full, workspace) else "outside"


def _beside(path: str, workspace: Workspace) -> bool:
    """Whether both lie below one folder of the user's own that is not the home itself."""
    home = workspace.home.rstrip("/")
    if not (within(path, home) and within(workspace.root, home)) or home == "":
        return False
    theirs, ours = (one[len(home) + 1 :].split("/") for one in (path, workspace.root))
    return len(ours) > 1 and theirs[0].casefold() == ours[0].casefold() and theirs[0][:1] != "."


def steers(full: str, workspace: Workspace, *, hidden: bool = True) -> bool:
    """Whether an absolute path is one that tools, agents or the system act upon: settings of
    tools, files of agents and builds, dotfiles of the home, folders of programs. `hidden`: so may
    any hidden name that is not known; who only reads one does no harm."""
    if _PROTECTED.matches(full) or (hidden and is_acted_upon(full, workspace)):
        return True
    if any(exactly_within(full, folder) for folder in workspace.folders) or SCRATCH.search(full):
        return False
    if any(within(full, folder) for folder in workspace.temporary):
        return False
    home = workspace.home.rstrip("/")
    if home and within(full, home):
        return _HOME_PROGRAMS.match(full[len(home) + 1 :]) is not None
    return _SYSTEM.match(full) is not None


def reported(command: Command, workspace: Workspace) -> Iterator[str]:
    """Where `time -o` writes to."""
    words = [word.text for word in command.args]
    for word, following in pairwise(words):
        if word in ("-o", "--output"):
            yield written(following, command, workspace)


def written(path: str, command: Command, workspace: Workspace) -> str:
    full = absolute(path, command.cwd or workspace.cwd)
    if "/.git/" in f"{full}/":
        return "computes-program"  # hooks and settings there run with the next command
    place = where(path, command, workspace)
    return "edits-protected" if place == "here" and steers(full, workspace) else _WRITTEN[place]


_WRITTEN = {
    "here": "writes-here",
    "generated": "writes-here",
    "scratch": "writes-scratch",
    "near": "writes-near",
    "outside": "writes-outside",
}


def deeds_of(name: str, command: Command, workspace: Workspace) -> Iterator[str]:
    """Of a command whose program is `name`."""
    paths = [word for word in plain_words(command) if word]
    placed = paths[:MOST_PATHS] if name in _PLACED else ()
    places = [where(path, command, workspace) for path in placed]
    for touch in touched(command):
        yield from of_touch(touch, command, workspace)
    if name == "rsync":
        yield from _synchronised(command, paths)
    elif name == "mv":
        yield from _moved(places)
    elif name == "chmod" and _RUNNABLE.fullmatch(paths[0] if paths else ""):
        yield "permits" if "outside" in places[1:] else "makes-runnable"
        if any("/.git/" in f"/{path}/" for path in paths):
            yield "computes-program"  # hooks there run with the next command
    yield from _gathered(name, command, paths, places)


def of_touch(touch: Touch, command: Command, workspace: Workspace) -> Iterator[str]:
    if touch.how is How.WRITES and touch.path and _plants(touch.path, command, workspace):
        yield "plants"
    match touch.how:
        case How.WRITES if _replaces(touch, command, workspace):
            yield "empties"
        case How.WRITES:
            yield written(touch.path, command, workspace) if touch.path else "writes-here"
        case How.EMPTIES:
            yield _emptied(touch.path, command, workspace)
        case How.DELETES:
            yield _deleted(touch.path, command, workspace)
        case How.BUILDS if steers(absolute(touch.path, command.cwd or workspace.cwd), workspace):
            yield "writes-outside"
        case _:
            return


def _plants(path: str, command: Command, workspace: Workspace) -> bool:
    full = absolute(path, command.cwd or workspace.cwd)
    given = {"words": command.text, "fed": command.fed or ""}
    return workspace_edits.is_planted(
        full, given, workspace.files.text(full, workspace_edits.LONGEST) or ""
    )


def _replaces(touch: Touch, command: Command, workspace: Workspace) -> bool:
    """Whether a file from elsewhere takes the place of one of the workspace."""
    if not touch.source or where(touch.source, command, workspace) not in ("scratch", "outside"):
        return False
    full = absolute(touch.path, command.cwd or workspace.cwd)
    return where(full, command, workspace) == "here" and workspace.files.kind(full) is Kind.FILE


def _emptied(path: str, command: Command, workspace: Workspace) -> str:
    """What was in the file is gone."""
    place = where(path, command, workspace)
    return "empties" if place in ("here", "near") else written(path, command, workspace)


def _deleted(path: str, command: Command, workspace: Workspace) -> str:
    each = {"find", "xargs"} & {command.program, *command.via}
    much = bool(each) or any(
        re.match(r"-[a-zA-Z]*[rR]|--recursive", word.text) for word in command.args
    )
    place = where(path, command, workspace)
    if place in ("scratch", "generated"):
        return "deletes-scratch"
    if place in ("outside", "near"):
        return f"deletes-{place}"
    return "deletes-much" if much or set("*?[") & set(path) else "deletes"


def _synchronised(command: Command, paths: list[str]) -> Iterator[str]:
    if any(re.match(r"[^/]+:", path) for path in paths):
        yield "remote-copy"
    if any(word.text.startswith(("--del", "--remove-source")) for word in command.args):
        yield "deletes-much"


def _moved(places: list[str]) -> Iterator[str]:
    """What leaves the workspace is gone from it."""
    yield from (f"deletes-{place}" for place in places[:-1] if place in ("near", "outside"))
    if "here" in places[:-1] and places[-1] != "here":
        yield "deletes-much"


def of_redirects(command: Command, workspace: Workspace) -> Iterator[str]:
    for touch in redirected(command):
        yield from of_touch(touch, command, workspace)


def _gathered(name: str, command: Command, paths: list[str], places: list[str]) -> Iterator[str]:
    """Files of the machine's or the user's own that are copied, packed or searched for secrets."""
    words = [word.text for word in command.args]
    unpacks = name == "tar" and any(_UNPACKS.match(word) for word in words[:1])
    copied = name in _COPIERS and "outside" in places[:-1]
    packed = name in _PACKERS and not unpacks and "outside" in places
    if copied or packed or (name == "find" and EACH & set(words) and places[:1] == ["outside"]):
        yield "collects"
    if name in _SEARCHERS and "outside" in places and SECRETS.search(" ".join(words)):
        yield "reads-secret"


_SKILL = re.compile(r"/skills/[\w-]+/SKILL\.md$")
# A folder that an agent looks into by itself.
_HIDDEN = re.compile(r"/\.[^/]+/")
_OFFERS = re.compile(r"(?:[\w-]+-)?(?:skills|plugins?|marketplace)")
_MANIFESTS = (".claude-plugin", ".codex-plugin", ".cursor-plugin", "gemini-extension.json")


def is_product(full: str, workspace: Workspace) -> bool:
    """Whether an absolute path is a skill of a plug-in that is worked on here."""
    root = next((one for one in workspace.folders if exactly_within(full, one)), None)
    if root is None or not _SKILL.search(full) or _HIDDEN.search(full.removeprefix(root)):
        return False
    if _OFFERS.fullmatch(root.rsplit("/", 1)[-1].casefold()):
        return True
    folders = [one for one in parents(full) if one == root or exactly_within(one, root)]
    present = (Kind.FILE, Kind.FOLDER)
    return any(
        workspace.files.kind(f"{one}/{name}") in present for one in folders for name in _MANIFESTS
    )
