"""Which deeds a command is by the files it names: what it writes, deletes, moves and gathers."""

import re
from collections.abc import Iterator
from itertools import pairwise

from automode.core.paths import absolute, exactly_within, within
from automode.core.workspace import Workspace
from automode.shell.script import HOLE, Command

DELETERS = frozenset("rm rmdir unlink shred srm trash trash-put rimraf del-cli wipe".split())
_WRITERS = frozenset("cp mkdir touch ln tee install rsync tar unzip patch ditto".split())
_COPIERS = frozenset("cp rsync ditto scp".split())
_PACKERS = frozenset("tar zip 7z 7za 7zz rar gzip bzip2 xz zstd cpio ar".split())
_SEARCHERS = frozenset("grep egrep fgrep rg ag ack find fd fdfind locate mdfind zgrep".split())
_UNPACKS = re.compile(r"-?[a-zA-Z]*[xt]|--(?:extract|get|list)")
_EACH = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_RUNNABLE = re.compile(r"[ua]?\+x|[0-7]?7[0-7]5|u\+rwx")
_SECRETS = re.compile(
    r"passw|passphrase|secret|credential|api.?key|token|private.?key|id_[rd]sa|id_ed25519|\.pem\b|\.kdbx|"
    r"\.p12\b|\.pfx\b|\.gnupg|\.ssh\b|\.aws\b|wallet|keychain|login data|cookies|shadow|ssn|"
    r"credit.?card",
    re.IGNORECASE,
)
STEERING = re.compile(
    r"/\.(?:claude|codex|gemini|qwen|cursor|opencode|pi|github|vscode|husky|automode)/|"
    r"/(?:CLAUDE|AGENTS|GEMINI|QWEN|SKILL)(?:\.local)?\.md(?![\w.])|/\.(?:env|npmrc|bashrc|zshrc|profile)|"
    r"/\.mcp\.json$",
    re.IGNORECASE,
)
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
SCRATCH = re.compile(
    r"^(?:/private)?/(?:var/)?tmp(?:/|$)|/var/folders/|/AppData/Local/Temp/|/scratchpad(?:/|$)",
    re.IGNORECASE,
)
_DEVICES = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")


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


def redirected(command: Command, workspace: Workspace) -> Iterator[str]:
    for one in command.redirects:
        target = one.target.text
        if not one.writes or target in _DEVICES:
            continue
        if one.op == ">" and not prints(command):
            yield _emptied(target, command, workspace)
        else:
            yield written(target, command, workspace) if target else "writes-here"


def prints(command: Command) -> bool:
    """Whether there is anything for a redirect to write."""
    words = [word.text for word in command.words]
    return bool(words) and words[0] not in (":", "true") and words != ["cat", "/dev/null"]


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
    return "edits-protected" if place == "here" and STEERING.search(full) else _WRITTEN[place]


_WRITTEN = {
    "here": "writes-here",
    "generated": "writes-here",
    "scratch": "writes-scratch",
    "near": "writes-near",
    "outside": "writes-outside",
}


def deeds_of(name: str, command: Command, workspace: Workspace) -> Iterator[str]:
    """Of a command whose program is `name`; its redirects are looked at elsewhere."""
    paths = [word for word in plain_words(command) if word]
    placed = paths[:MOST_PATHS] if name in _PLACED else ()
    places = [where(path, command, workspace) for path in placed]
    if name in DELETERS or (name == "find" and _finds_to_delete(command)):
        yield from _deletions(name, paths or ["."], command, workspace)
    elif name == "dd":
        targets = [path[3:] for path in paths if path.startswith("of=")]
        yield from (_emptied(path, command, workspace) for path in targets)
    elif name == "truncate":
        yield from (_emptied(path, command, workspace) for path in paths[-1:])
    elif name in _WRITERS:
        yield from (written(path, command, workspace) for path in paths[-1:])
        yield from _synchronised(name, command, paths)
    elif name in ("sed", "perl", "ex", "ed") and any(
        re.match(r"-[a-zA-Z]*i|--in-place", word.text) for word in command.args
    ):
        yield from (written(path, command, workspace) for path in paths[1:][-1:])
    elif name == "mv":
        yield from _moved(places)
        for path in paths[-1:]:
            yield from _steering(path, command, workspace)
    elif name == "chmod" and _RUNNABLE.fullmatch(paths[0] if paths else ""):
        yield "permits" if "outside" in places[1:] else "makes-runnable"
    yield from _gathered(name, command, paths, places)


def _steering(path: str, command: Command, workspace: Workspace) -> Iterator[str]:
    found = written(path, command, workspace)
    if found in ("computes-program", "edits-protected"):
        yield found


def _emptied(path: str, command: Command, workspace: Workspace) -> str:
    """What was in the file is gone."""
    place = where(path, command, workspace)
    return "deletes" if place == "here" else written(path, command, workspace)


def _synchronised(name: str, command: Command, paths: list[str]) -> Iterator[str]:
    if name != "rsync":
        return
    if any(re.match(r"[^/]+:", path) for path in paths):
        yield "remote-copy"
    if any(word.text.startswith(("--del", "--remove-source")) for word in command.args):
        yield "deletes-much"


def _moved(places: list[str]) -> Iterator[str]:
    """What leaves the workspace is gone from it."""
    yield from (f"deletes-{place}" for place in places[:-1] if place in ("near", "outside"))
    if "here" in places[:-1] and places[-1] != "here":
        yield "deletes-much"


def _gathered(name: str, command: Command, paths: list[str], places: list[str]) -> Iterator[str]:
    """Files of the machine's or the user's own that are copied, packed or searched for secrets."""
    words = [word.text for word in command.args]
    unpacks = name == "tar" and any(_UNPACKS.match(word) for word in words[:1])
    copied = name in _COPIERS and "outside" in places[:-1]
    packed = name in _PACKERS and not unpacks and "outside" in places
    if copied or packed or (name == "find" and _EACH & set(words) and places[:1] == ["outside"]):
        yield "collects"
    if name in _SEARCHERS and "outside" in places and _SECRETS.search(" ".join(words)):
        yield "reads-secret"


def _finds_to_delete(command: Command) -> bool:
    words = [word.text for word in command.args]
    return "-delete" in words or bool(_EACH & set(words) and DELETERS & set(words))


def _deletions(
    name: str, paths: list[str], command: Command, workspace: Workspace
) -> Iterator[str]:
    each = {"find", "xargs"} & {name, *command.via}
    much = bool(each) or any(
        re.match(r"-[a-zA-Z]*[rR]|--recursive", word.text) for word in command.args
    )
    for path in paths[:1] if name == "find" else paths:
        place = where(path, command, workspace)
        if place in ("scratch", "generated"):
            yield "deletes-scratch"
        elif place in ("outside", "near"):
            yield f"deletes-{place}"
        else:
            yield "deletes-much" if much or set("*?[") & set(path) else "deletes"
