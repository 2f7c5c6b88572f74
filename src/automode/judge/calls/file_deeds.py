"""Which files a command writes, empties, deletes and moves, and which deeds that makes it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from automode.core.paths import absolute, exactly_within, parents, within
from automode.core.workspace import Kind, Workspace
from automode.guards import workspace_edits
from automode.guards.guard import option_values
from automode.guards.protected import PROTECTED_PATHS, Protected, is_acted_upon
from automode.judge.calls.ignore_lists import appends_to_list
from automode.judge.calls.new_env import makes_env
from automode.judge.places import where
from automode.judge.words import patterns, word_lists
from automode.programs.table import of_kind, programs
from automode.shell.options import arguments
from automode.shell.script import HOLE, Command

_P = patterns("file_deeds")
_W = word_lists("file_deeds")
DELETERS = of_kind("remover") | {"del-cli"}
_NOTHING = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
DEVICES = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")
EACH = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_IN_PLACE = re.compile(r"-[a-zA-Z]*i|--in-place")
MOST_LINES = 100  # that one edit may take out
_LISTS = re.compile(r"(?:^|/)\.\w+ignore$")
_COPIERS, _PACKERS, _SEARCHERS = map(of_kind, ("copier", "packer", "searcher"))
_UNPACKS = re.compile(r"-?[a-zA-Z]*[xt]|--(?:extract|get|list)")
_RUNNABLE = re.compile(r"[ua]?\+x|[0-7]?7[0-7]5|u\+rwx")
_PROTECTED = Protected.of(PROTECTED_PATHS)
# Of their paths it counts where each lies.
_PERMITS = frozenset({"chmod", "chown", "chgrp"})
_PLACED = _COPIERS | _PACKERS | _SEARCHERS | _PERMITS | {"mv"}
MOST_PATHS = 40
# What a host has its agent write while it plans: nothing acts upon it.
PLAN = re.compile(r"/\.claude/plans/[\w-]+\.md$|/\.copilot/session-state/[\w-]+/plan\.md$")
WRITTEN = {
    "here": "writes-here",
    "generated": "writes-here",
    "scratch": "writes-scratch",
    "near": "writes-near",
    "outside": "writes-outside",
}
# Whole checkouts that hosts keep in folders of their own, and what they give a job to write to.
# They are judged by their own contents.
_CHECKOUT = re.compile(
    r"/(?:\.(?:codex|cursor)/worktrees/[\w.-]+/[\w.-]+|\.claude/worktrees/[\w.+-]+|\.git/wt/[\w.-]+"
    r"|\.claude/jobs/[\w-]+/tmp)(?=/)"
)
# Below these folders of a project's sources no agent looks for skills.
_SOURCES = re.compile(
    r"/(?:src|lib|internal|pkg|cmd|crates|testdata|fixtures|templates|resources)/"
)
_SKILL = re.compile(r"/skills/[\w-]+/SKILL\.md$")
# A folder that an agent looks into by itself.
_HIDDEN = re.compile(r"/\.[^/]+/")
_OFFERS = re.compile(r"(?:[\w-]+-)?(?:skills|plugins?|marketplace)")
_MANIFESTS = (".claude-plugin", ".codex-plugin", ".cursor-plugin", "gemini-extension.json")


class How(StrEnum):
    WRITES = "writes"
    EMPTIES = "empties"  # what was in it is gone
    DELETES = "deletes"
    MOVES = "moves"  # it is elsewhere afterwards
    BUILDS = "builds"  # a compiler makes it out of sources


@dataclass(frozen=True, slots=True)
class Touch:
    path: str
    how: How
    source: str = ""  # where what is written comes from, where it is another file


def touches(command: Command) -> Iterator[Touch]:
    """As the command's words tell, its redirects apart. What a wrapper holds is a command of its
    own."""
    name = command.program.removesuffix(".exe")
    texts = [word.text for word in command.args]
    paths = [one for one in texts if one and one[:1] != "-"]
    if name in _CMDLETS:
        yield from _cmdlet_touches(name, command)
    elif name in DELETERS:
        yield from (Touch(path, How.DELETES) for path in paths or ["."])
    elif name == "find" and ("-delete" in texts or (EACH & set(texts) and DELETERS & set(texts))):
        yield Touch((paths or ["."])[0], How.DELETES)
    elif name in _TOUCHING:
        found = list(_TOUCHING[name](texts, paths))
        yield from found if prints(command) else [_as_emptying(touch) for touch in found]
    if name in _W.writing_options or name in _W.compilers:
        how = How.BUILDS if name in _W.compilers else How.WRITES
        how = How.EMPTIES if not set(_NOTHING).isdisjoint(texts) else how
        yield from (Touch(path, how) for path in _outputs(texts) if path not in DEVICES)


_CMDLETS = frozenset(
    """remove-item set-content add-content out-file tee-object export-csv clear-content new-item
    copy-item move-item rename-item""".split()
)
_NAMING = ("-path", "-literalpath", "-pspath", "-lp", "-filepath")
_OTHER_DRIVE = re.compile(r"[\w.]{2,}:|.*::")  # `Env:`, `HKLM:`: no files


def _cmdlet_touches(name: str, command: Command) -> Iterator[Touch]:
    """Of a cmdlet of PowerShell, whose parameters name its files."""
    given = arguments(command.args, programs()[name].row.spec)
    named = [one.value.text for one in given.options if one.name in _NAMING and one.value]
    words = [word.text for word in given.operands]
    target = given.value("-destination", "-newname")
    if name in ("copy-item", "move-item", "rename-item"):
        sources = named + words
        last = target.text if target is not None else sources.pop() if len(sources) > 1 else ""
        if name != "copy-item":
            yield from (Touch(path, How.MOVES) for path in sources)
        yield from _writes((last,)) if last else ()
        return
    how = How.EMPTIES if name == "clear-content" else How.WRITES
    how = How.DELETES if name == "remove-item" else how
    if name != "remove-item":
        words = words[:1] if not named else []
    yield from (Touch(path, how) for path in named + words if not _OTHER_DRIVE.match(path))


def _as_emptying(touch: Touch) -> Touch:
    """Of a command that is given nothing to write."""
    return replace(touch, how=How.EMPTIES) if touch.how is How.WRITES else touch


def redirect_touches(command: Command) -> Iterator[Touch]:
    for one in command.redirects:
        target = one.target.text
        if one.writes and target not in DEVICES:
            # Emptied before it is read; or what git kept of it takes its place.
            itself = any(_is_of(word.text, target) for word in command.args)
            replaces_list = command.program in ("echo", "printf") and _LISTS.search(target)
            lost = itself or not prints(command) or replaces_list
            empties = one.op in (">", ">|") and lost
            yield Touch(target, How.EMPTIES if empties else How.WRITES)


def _is_of(word: str, target: str) -> bool:
    return target != "" and target in (word, word.partition(":")[2])


def prints(command: Command) -> bool:
    """Whether there is anything for a redirect to write."""
    words = [word.text for word in command.words]
    fed = [one.target.text for one in command.redirects if one.op == "<"]
    if not words or words[0] in (":", "true", "false") or any(one in _NOTHING for one in fed):
        return False
    if words[0] in ("echo", "printf"):
        return any(word not in ("", "-n", "\\n", "-e", "%s") for word in words[1:])
    return words[0] != "cat" or any(word not in _NOTHING for word in words[1:]) or not words[1:]


def _outputs(texts: list[str]) -> Iterator[str]:
    for option, value in option_values(texts):
        if value and (option in _W.outputs or re.fullmatch(r"-[a-zA-Z]{1,6}o", option)):
            yield value


def _copies(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    folders = ("-t", "--target-directory")
    folder = [value for option, value in option_values(texts) if option in folders and value]
    for target in folder or paths[-1:]:
        source = paths[0] if len(paths) > 1 else ""
        nothing = source in _NOTHING
        yield Touch(target, How.EMPTIES if nothing else How.WRITES, source)


def _moves(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    forced = any(re.fullmatch(r"-[a-zA-Z]*f[a-zA-Z]*|--force", one) for one in texts)
    yield from (Touch(path, How.MOVES) for path in paths[:-1])
    yield from (_as_emptying(one) if forced else one for one in _copies(texts, paths))


def _tees(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    appends = any(re.fullmatch(r"-[a-z]*a[a-z]*|--append", one) for one in texts)
    for path in paths:
        found = set("*?[") & set(path) and not appends
        yield Touch(path, How.EMPTIES if found else How.WRITES)


def _truncates(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    values = {b for a, b in pairwise(texts) if a in ("-s", "--size", "-r")}
    yield from (Touch(path, How.EMPTIES) for path in paths if path not in values)


def _packs(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    """It puts another file in the place of each."""
    keeps = any(
        re.match(r"-[a-z]*[kcdtl]|--(?:keep|stdout|decompress|test|list)", one) for one in texts
    )
    yield from () if keeps else (Touch(path, How.DELETES) for path in paths)


def _sed_edits(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    if not any(_IN_PLACE.match(one) for one in texts):
        return
    given = [b for a, b in option_values(texts) if a in ("-e", "--expression") and b]
    from_file = any(one in ("-f", "--file") or one.startswith("--file=") for one in texts)
    scripts = {b for a, b in pairwise(texts) if a in ("-f", "--file")}
    paths = [one for one in paths if one not in given and one not in scripts]
    if "-i" in texts and paths and re.fullmatch(r"\.\w{1,5}", paths[0]):
        paths = paths[1:]  # how BSD is told to keep a copy
    if not given and not from_file:
        given, paths = paths[:1], paths[1:]
    silent = any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*|--quiet|--silent", one) for one in texts)
    edits = bool(given) and not from_file and not silent and all(_edits(one) for one in given)
    yield from (Touch(path, How.WRITES if edits else How.EMPTIES) for path in paths)


def _edits(script: str) -> bool:
    """Whether a script of sed leaves the rest of the file as it is."""
    lines = [line for line in script.replace(HOLE, "xx").split("\n") if line.strip()]
    return all(
        _is_edit(line) or all(_is_edit(one) for one in line.split(";") if one.strip())
        for line in lines
    )


def _is_edit(text: str) -> bool:
    group, found = _P.group.fullmatch(text), _P.edit.fullmatch(text)
    if group is not None:
        return all(_is_edit(one) for one in group["inside"].split(";") if one.strip())
    if found is None:
        return False
    if found["what"] and not found["new"] and not _P.any.sub("", found["what"]):
        return False  # whatever is there goes
    return not found["last"] or int(found["last"]) - int(found["first"]) < MOST_LINES


def _perl_edits(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    if not any(re.match(r"-[a-zA-Z0-9]*i", one) for one in texts):
        return
    code = [b for a, b in pairwise(texts) if re.fullmatch(r"-\w*[eE]", a)]
    edits = bool(code) and all(_P.perl_swap.fullmatch(one) for one in code)
    prints_all = any(re.match(r"-[a-zA-Z0-9]*p", one) for one in texts)
    how = How.WRITES if edits and prints_all else How.EMPTIES
    yield from (Touch(path, how) for path in paths if path not in code)


def _writes(paths: Iterable[str]) -> Iterator[Touch]:
    yield from (Touch(path, How.WRITES) for path in paths)


_TOUCHING: Mapping[str, Callable[[list[str], list[str]], Iterator[Touch]]] = {
    name: read
    for names, read in (
        ("cp ln install rsync ditto patch", _copies),
        ("mv", _moves),
        ("mkdir touch sponge", lambda _, paths: _writes(paths)),
        ("ed ex", lambda _, paths: _writes(paths[-1:])),
        ("tee", _tees),
        ("truncate", _truncates),
        ("gzip bzip2 xz lzma compress", _packs),
        ("dd", lambda _, paths: (Touch(one[3:], How.EMPTIES) for one in paths if one[:3] == "of=")),
        ("sed gsed", _sed_edits),
        ("perl", _perl_edits),
    )
    for name in names.split()
}
MAY_TOUCH = _CMDLETS | _TOUCHING.keys() | DELETERS | _W.writing_options | _W.compilers | {"find"}


def plain_words(command: Command) -> Iterator[str]:
    """What follows the program and is no option."""
    return (word.text for word in command.args if not word.text.startswith("-"))


def steers(full: str, workspace: Workspace, *, hidden: bool = True) -> bool:
    """Whether an absolute path is one that tools, agents or the system act upon: settings of
    tools, files of agents and builds, dotfiles of the home, folders of programs. `hidden`: so may
    any hidden name that is not known; who only reads one does no harm."""
    named, acted = _as_checkout(full, workspace)
    if _PROTECTED.matches(named) or (hidden and is_acted_upon(acted, workspace)):
        return True
    if any(exactly_within(full, folder) for folder in workspace.folders) or _P.scratch.search(full):
        return False
    if any(within(full, folder) for folder in workspace.temporary):
        return False
    home = workspace.home.rstrip("/")
    if home and within(full, home):
        return _P.home_programs.match(full[len(home) + 1 :]) is not None
    return _P.system.match(full) is not None


def _as_checkout(full: str, workspace: Workspace) -> tuple[str, str]:
    """The path without the folder of a host's that holds the checkout; and the same below the
    workspace, where it lies there."""
    root = next((one for one in workspace.folders if exactly_within(full, one)), None)
    if root is None:
        return _CHECKOUT.sub("/checkout", full, count=1), full
    below = _CHECKOUT.sub("/checkout", full[len(root) :], count=1)
    outer = "/checkout" if _CHECKOUT.search(f"{root}/") else root
    return outer + below, root + below


def is_in_git(full: str, workspace: Workspace) -> bool:
    """Whether hooks and settings lie there, which run with the next command."""
    return "/.git/" in f"{_as_checkout(full, workspace)[0]}/"


def is_in_checkout(full: str, workspace: Workspace) -> bool:
    """Whether a host keeps it in a checkout of the workspace, where nothing acts upon it."""
    inside = any(exactly_within(full, one) for one in workspace.folders)
    return inside and _CHECKOUT.search(full) is not None and not steers(full, workspace)


def report_deeds(command: Command, workspace: Workspace) -> Iterator[str]:
    """Where `time -o` writes to."""
    for word, following in pairwise(command.args):
        if word.text in ("-o", "--output"):
            yield write_deed(following.text, command, workspace)


def write_deed(path: str, command: Command, workspace: Workspace) -> str:
    full = absolute(path, command.cwd or workspace.cwd)
    if is_in_git(full, workspace):
        return "computes-program"
    place = where(path, command, workspace)
    return "edits-protected" if place == "here" and steers(full, workspace) else WRITTEN[place]


def deeds_of(name: str, command: Command, workspace: Workspace) -> Iterator[str]:
    """Of a command whose program is `name`."""
    paths = [word for word in plain_words(command) if word]
    placed = paths[:MOST_PATHS] if name in _PLACED else ()
    places = [where(path, command, workspace) for path in placed]
    for touch in touches(command):
        yield from of_touch(touch, command, workspace)
    if name == "rsync" and any(re.match(r"[^/]+:", path) for path in paths):
        yield "remote-copy"
    if name == "rsync" and any(
        word.text.startswith(("--del", "--remove-source")) for word in command.args
    ):
        yield "deletes-much"
    elif name == "mv":  # what leaves the workspace is gone from it
        yield from (f"deletes-{place}" for place in places[:-1] if place in ("near", "outside"))
        if "here" in places[:-1] and places[-1] != "here":
            yield "deletes-much"
    elif name in _PERMITS:
        runnable = name == "chmod" and _RUNNABLE.fullmatch(paths[0] if paths else "") is not None
        if "outside" in places[1:]:
            yield "permits" if runnable else "opens-files"
        elif runnable:
            yield "makes-runnable"
        if any("/.git/" in f"/{path}/" for path in paths):
            yield "computes-program"  # hooks there run, or run no more, with the next command
    yield from _gather_deeds(name, command, paths, places)


def of_touch(touch: Touch, command: Command, workspace: Workspace) -> Iterator[str]:
    if touch.how is How.WRITES and touch.path and _plants(touch.path, command, workspace):
        yield "plants"
    match touch.how:
        case How.WRITES if _replaces(touch, command, workspace):
            yield "empties"
        case How.WRITES if makes_env(touch.path, command, workspace):
            yield "writes-here"
        case How.WRITES:
            yield write_deed(touch.path, command, workspace) if touch.path else "writes-here"
        case How.EMPTIES if where(touch.path, command, workspace) in ("here", "near"):
            yield "empties"
        case How.EMPTIES:
            yield write_deed(touch.path, command, workspace)
        case How.DELETES:
            yield _delete_deed(touch.path, command, workspace)
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


def _delete_deed(path: str, command: Command, workspace: Workspace) -> str:
    if _finds_generated(command):
        return "deletes-scratch"
    each = {"find", "xargs"} & {command.program, *command.via}
    letters = r"-r(?:e.*)?$" if command.program in _CMDLETS else r"-[a-zA-Z]*[rR]|--r"
    unknown = path[:1] == HOLE or (command.program in _CMDLETS and HOLE in path)
    full = absolute(path, command.cwd or workspace.cwd)
    one = HOLE not in path and workspace.files.kind(full) is Kind.FILE
    deep = not one and any(re.match(letters, word.text) for word in command.args)
    much = bool(each) or unknown or deep
    place = where(path, command, workspace)
    if place == "scratch" and _P.all_scratch.fullmatch(full) and not _chooses(command):
        return "deletes-outside"
    if place in ("scratch", "generated"):
        return "deletes-scratch"
    if place in ("outside", "near"):
        return f"deletes-{place}"
    return "deletes-much" if much or set("*?[") & set(path) else "deletes"


def _finds_generated(command: Command) -> bool:
    """Whether `find` deletes below here what by its name a build left, and nothing else."""
    text = " ".join(word.text for word in command.args)
    names = _P.named.findall(text) if command.program == "find" else []
    known = bool(names) and _P.found_generated.fullmatch(text) is not None
    return known and all(_P.generated.search(one) and not _P.copies.search(one) for one in names)


def _chooses(command: Command) -> bool:
    """Whether `find` is told which names it deletes."""
    return command.program == "find" and any(_P.by_name.fullmatch(one.text) for one in command.args)


def of_redirects(command: Command, workspace: Workspace) -> Iterator[str]:
    acting = acting_redirects(command, workspace)
    for touch in redirect_touches(acting):
        yield from of_touch(touch, acting, workspace)
    if acting is not command:
        yield "writes-here"


def acting_redirects(command: Command, workspace: Workspace) -> Command:
    """The command without redirects that only add to a list of what git leaves alone."""
    if not any(one.op == ">>" for one in command.redirects):
        return command
    left = [one for one in command.redirects if not appends_to_list(one, command, workspace)]
    return (
        command if len(left) == len(command.redirects) else replace(command, redirects=tuple(left))
    )


def _gather_deeds(
    name: str, command: Command, paths: list[str], places: list[str]
) -> Iterator[str]:
    """Files of the machine's or the user's own that are copied, packed or searched for secrets."""
    words = [word.text for word in command.args]
    unpacks = name == "tar" and any(_UNPACKS.match(word) for word in words[:1])
    copied = name in _COPIERS and "outside" in places[:-1]
    packed = name in _PACKERS and not unpacks and "outside" in places
    if copied or packed or (name == "find" and EACH & set(words) and places[:1] == ["outside"]):
        yield "collects"
    if name in _SEARCHERS and "outside" in places and _P.secrets.search(" ".join(words)):
        yield "reads-secret"


def is_product(full: str, workspace: Workspace) -> bool:
    """Whether an absolute path is a skill of a plug-in that is worked on here."""
    root = next((one for one in workspace.folders if exactly_within(full, one)), None)
    if root is None or not _SKILL.search(full) or _HIDDEN.search(full.removeprefix(root)):
        return False
    if _OFFERS.fullmatch(root.rsplit("/", 1)[-1].casefold()):
        return True
    if _SOURCES.match(full.removeprefix(root)):
        return True
    folders = [one for one in parents(full) if one == root or exactly_within(one, root)]
    present = (Kind.FILE, Kind.FOLDER)
    return any(
        workspace.files.kind(f"{one}/{name}") in present for one in folders for name in _MANIFESTS
    )
