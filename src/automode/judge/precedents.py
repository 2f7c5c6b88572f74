"""What a person's yes to a call covers later: for each deed that was asked about, what has to be
the same. The rows stand in `words/precedents.toml`; a deed without one is asked about each time.

A key is a text that people can read. It tells all that has to be the same, so that two calls with
equal keys are of one narrow class; what is left out of it is what may differ.
"""

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from automode.core.call import Shell, Write
from automode.core.paths import absolute, exactly_within
from automode.core.session import Session
from automode.core.tools import meant_paths
from automode.guards.session_files import may_execute
from automode.judge.acts import written_paths
from automode.judge.calls import file_deeds
from automode.judge.calls.command_deeds import line_of, runs_inline
from automode.judge.calls.needs import needs_of
from automode.judge.calls.network import only_reads, urls_in
from automode.judge.calls.tasks import RUNS
from automode.judge.calls.tool_deeds import input_text, tool_words
from automode.judge.consent.asked import Asked
from automode.judge.deeds import Weight, deeds
from automode.judge.hosts import host_of, is_here
from automode.judge.reading import LONGEST_TEXT, Reading
from automode.judge.runs.inside import UNREAD
from automode.judge.runs.looking import only_compiles
from automode.judge.runs.running import texts_of
from automode.judge.runs.written_code import SOURCES
from automode.judge.words import patterns, read_words, word_lists
from automode.programs.call_facts import CallFacts
from automode.shell.script import HOLE, Command

_P = patterns("precedents")
_W = word_lists("precedents")
_RUNNING_P = patterns("running")
LONGEST_LINE = 400
MOST_HEAD = 200  # bytes of git's own file
_QUIET = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
_RUN = frozenset({RUNS, UNREAD})
_OUTSIDE = frozenset({"edits-outside", "writes-outside"})
_BESIDE_PUSHES = frozenset(
    f"git {one}" for one in "push add commit status log diff show fetch rev-parse".split()
)


@dataclass(frozen=True, slots=True)
class Asking:
    """A call as it is asked about."""

    facts: CallFacts
    session: Session
    reading: Reading

    @property
    def commands(self) -> tuple[Command, ...]:
        script = self.reading.script
        return () if script is None else script.commands

    def doing(self, deed: str) -> Iterator[Command]:
        """The commands with this deed of their own."""
        for command, own in zip(self.commands, self.reading.each, strict=False):
            if deed in own:
                yield command


_Same = Callable[[Asking, str], list[str] | None]


def classes(
    facts: CallFacts, session: Session, reading: Reading, states: Mapping[str, Asked]
) -> dict[str, tuple[str, ...]]:
    """By deed the keys of which a person has to have said yes to each. Only of far-reaching deeds
    that nobody asked for or forbade, and that have a class."""
    found: dict[str, tuple[str, ...]] = {}
    if reading.unread or _P.production.search(input_text(facts.call.input)[:LONGEST_TEXT]):
        return found
    asking = Asking(facts, session, reading)
    for name, state in states.items():
        row = rows().get(name)
        far = deeds()[name].weight >= Weight.LASTING
        if row is None or not far or state in (Asked.LATEST, Asked.FORBIDDEN):
            continue
        keys = _SAME[row["same"]](asking, name)
        if keys:
            found[name] = tuple(dict.fromkeys(f"{name}: {key}" for key in keys))
    return found


@cache
def rows() -> Mapping[str, Mapping[str, str]]:
    """The table by deed."""
    read = read_words("precedents")
    return {name: row for name, row in read.items() if name not in ("patterns", "words")}


def hosts(keys: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    """The machines that keys are about."""
    found = keys.get("reaches-unnamed", ())
    return frozenset(one.rpartition("`")[0].rpartition("`")[2] for one in found)


def _run(asking: Asking, deed: str) -> list[str] | None:
    """What runs: program, sub-command, options and folder; and what may reach far as it is now."""
    running = [one for one in asking.commands if _may_run(asking, one, deed)]
    told = [_signature(one, asking.session) for one in running]
    known = [one for one in told if one is not None]
    if not known or len(known) < len(told):
        return None
    bound = _bound(asking, running)
    return None if bound is None else [f"{one}{bound}" for one in known]


def _may_run(asking: Asking, command: Command, deed: str) -> bool:
    starters = {one.program for one in asking.commands if not one.transparent}
    if command.transparent or not command.words or starters & set(command.via):
        return False
    if deed == UNREAD:
        return (may_execute(command) or _tests(command)) and not only_compiles(command)
    if deed == RUNS:
        unmet = {need.name for need in asking.reading.unmet if need.deed == RUNS}
        return any(need.name in unmet for need in needs_of(asking.facts.of(command)))
    return command in list(asking.doing(deed))


def _tests(command: Command) -> bool:
    return _RUNNING_P.testing.search(command.text[:LONGEST_LINE]) is not None


def _signature(command: Command, session: Session) -> str | None:
    """None for what has no class: other rights, another machine, code of the call, what is only
    known when it runs, and what is named outside of the workspace."""
    at, given = command.cwd, (*command.assignments, *command.environment)
    texts = [word.text for word in command.words]
    first = [f"{one.name}={one.value.text}" for one in given if one.name not in _W.quiet_variables]
    if command.elevated or command.remote or at is None or not _is_inside(at, at, session):
        return None
    if any(HOLE in one for one in (*texts, *first)):
        return None
    if runs_inline(command.program, command, line_of(command)):
        return None
    values = [one.partition("=")[2] if one[:1] == "-" else one for one in texts[1:]]
    paths = [one for one in values if "/" in one or one.startswith((".", "~"))]
    if not _tests(command):
        return f"`{' '.join([*first, *texts])}` in `{_shown(at, session)}`"
    if not all(one in _QUIET or _is_inside(one, at, session) for one in paths):
        return None
    options = {one.partition("=")[0] for one in texts[1:] if one[:1] == "-"} - _W.quiet_options
    said = [one for one in texts[1:] if _P.plain.fullmatch(one)]
    return f"`{' '.join([*first, texts[0], *said, *sorted(options)])}`"


def _shown(full: str, session: Session) -> str:
    """A path as it is below the project, wherever the project lies."""
    root = session.workspace.root
    return f".{full[len(root) :]}" if exactly_within(full, root) else full


def _is_inside(path: str, at: str, session: Session) -> bool:
    full = absolute(path.partition("::")[0], at)
    inside = any(exactly_within(full, folder) for folder in session.workspace.folders)
    return inside and path[:1] != "~" and "://" not in path


def _bound(asking: Asking, running: list[Command]) -> str | None:
    """What runs has to be as it was, where it is more than sources without a hint: settings and
    scripts, and sources that may reach the network, processes or credentials. None where settings
    or scripts that were written here cannot be read."""
    session = asking.session
    at = session.workspace.cwd
    paths = {absolute(one.name, one.cwd or at) for one in asking.reading.unmet if one.deed in _RUN}
    paths |= {
        absolute(word.text, command.cwd or at)
        for command in running
        for word in command.words
        if "/" in word.text or "." in word.text
    }
    held: list[str] = []
    for path, text in texts_of(sorted(paths), asking.facts, session):
        source = path.endswith(SOURCES)
        if text is None and not source:
            return None
        if text and (not source or _P.far.search(text)):
            held.append(f"{path}\0{text}")
    if not held:
        return ""
    return f", its files as of `{hashlib.sha256(chr(0).join(held).encode()).hexdigest()[:16]}`"


def _push(asking: Asking, deed: str) -> list[str] | None:
    """None where another command of the call may change what is checked out, or git's settings."""
    ways = {" ".join(one.text.split()[:2]) for one in asking.commands if one.program == "git"}
    if not ways <= _BESIDE_PUSHES:
        return None
    found = [_pushed(one, asking.session) for one in asking.doing(deed)]
    known = [one for one in found if one is not None]
    return known if len(known) == len(found) else None


def _pushed(command: Command, session: Session) -> str | None:
    texts = [word.text for word in command.args]
    if command.program != "git" or command.remote or command.elevated:
        return None
    if command.cwd != session.workspace.root:
        return None
    if texts[:1] != ["push"] or any(HOLE in one for one in texts) or command.assignments:
        return None
    options = {one for one in texts[1:] if one[:1] == "-"}
    given = [one for one in texts[1:] if one[:1] != "-"]
    if not options <= _W.push_options or len(given) > 2:
        return None
    branch = given[1] if len(given) == 2 and given[1] != "HEAD" else _branch(command.cwd, session)
    remote = given[0] if given else "its remote"
    if not _P.branch.fullmatch(branch) or (given and not _P.remote.fullmatch(remote)):
        return None
    return f"plain pushes of `{branch}` to `{remote}`"


def _branch(folder: str, session: Session) -> str:
    """That is checked out; empty where that cannot be told."""
    place = session.workspace
    if not any(exactly_within(folder, one) for one in place.folders):
        return ""
    kept = f"{place.root}/.git"
    link = place.files.text(kept, MOST_HEAD) or ""
    kept = absolute(link.removeprefix("gitdir:").strip(), place.root) if "gitdir:" in link else kept
    head = (place.files.text(f"{kept}/HEAD", MOST_HEAD) or "").strip()
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""


def _forge(asking: Asking, deed: str) -> list[str] | None:
    found = [_on_forge(one) for one in asking.doing(deed)]
    known = [one for one in found if one is not None]
    return known if known and len(known) == len(found) else None


def _on_forge(command: Command) -> str | None:
    texts = [word.text for word in command.args]
    if command.program != "gh" or command.remote or command.elevated or command.cwd is None:
        return None
    plain = [one for one in texts if one[:1] != "-"]
    if len(plain) < 3 or plain[0] not in ("pr", "issue") or plain[1] not in _W.forge_verbs:
        return None
    if not plain[2].isdigit() or any(HOLE in one for one in plain[:3]):
        return None
    told = [
        one.partition("=")[0] if one.partition("=")[0] in _W.forge_prose else one
        for before, one in itertools.pairwise(["", *texts])
        if before not in _W.forge_prose
    ]
    return f"`gh {' '.join(told)}`"


def _file(asking: Asking, deed: str) -> list[str] | None:
    """Every file that is written by what has the deed."""
    session = asking.session
    paths = [need.name for need in asking.reading.unmet if need.deed == deed]
    action = asking.facts.call.action
    if isinstance(action, Write):
        paths += [full for path in action.paths for full in meant_paths(path, session.workspace)]
    for command in asking.doing(deed):
        if command.elevated or command.remote or command.cwd is None:
            return None
        paths += [absolute(one, command.cwd) for one in written_paths(command)]
    found = [_place(one, deed, session) for one in paths]
    known = [one for one in found if one is not None]
    return known if known and len(known) == len(found) else None


def _place(full: str, deed: str, session: Session) -> str | None:
    """The file, or outside of the workspace its folder."""
    place = session.workspace
    if HOLE in full or set("*?[") & set(full) or _P.never_files.search(full):
        return None
    if _P.runnable.search(full):
        return None
    if any(exactly_within(full, folder) for folder in place.folders):
        # What is known to be written outside was not found.
        return None if deed in _OUTSIDE else f"writes of `{_shown(full, session)}`"
    folder, _, name = full.rpartition("/")
    ending = name.rpartition(".")[2] if "." in name else ""
    if not ending or _P.hidden.search(full) or file_deeds.steers(full, place):
        return None
    return f"writes of `.{ending}` files into `{folder}`"


def _host(asking: Asking, deed: str) -> list[str] | None:
    """The machines, where a known client or tool for reading is given plain addresses of them, and
    the call does nothing else."""
    reading, call = asking.reading, asking.facts.call
    clients = [one for one in asking.commands if urls_in(one.text)]
    if not _W.reading_deeds.issuperset(reading.deeds):
        return None
    if not all(one.program in _W.readers and not one.via for one in clients):
        return None
    text = call.action.command if isinstance(call.action, Shell) else input_text(call.input)
    urls = [url for url in urls_in(text) if not is_here(host_of(url))]
    names = {need.name for need in reading.unmet if need.deed == deed}
    names |= {host_of(url) for url in urls}
    if names != {host_of(url) for url in urls} or not all(map(only_reads, urls)):
        return None
    return [f"reading from `{name}`" for name in sorted(names)]


def _tool(asking: Asking, deed: str) -> list[str] | None:
    """A thing that has a name or a number, and every value but prose about it."""
    call = asking.facts.call
    if isinstance(call.action, Shell) or _W.coded_tools & set(tool_words(call.tool)):
        return None
    told = {name: value for name, value in call.input.items() if name.casefold() not in _W.prose}
    if not any(_P.identity.search(name) for name in told):
        return None
    return [f"`{call.tool}` with `{json.dumps(told, sort_keys=True, default=str)}`"]


_SAME: Mapping[str, _Same] = {
    "run": _run,
    "push": _push,
    "forge": _forge,
    "file": _file,
    "host": _host,
    "tool": _tool,
}
