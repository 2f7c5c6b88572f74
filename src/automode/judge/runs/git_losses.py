"""What git throws away and is not lost: edits of this session alone, and a commit of it that nobody
else has. Unknown is lost."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import TypeAlias

from automode.core.call import Shell, Write
from automode.core.paths import absolute, parents
from automode.core.session import Session
from automode.core.tools import meant_paths
from automode.core.transcript import Outcome, PriorCall, UserMessage
from automode.core.workspace import AskMoves, AskTexts, Kind, Wanted, Workspace, no_moves, no_texts
from automode.judge.calls.databases import database_of
from automode.judge.calls.file_deeds import How, of_touch, redirect_touches, touches, write_deed
from automode.judge.calls.written_texts import Put, written_by_tool
from automode.judge.runs.artefacts import MOST_CALLS, git_parts, latest
from automode.judge.words import patterns, word_table
from automode.programs.call_facts import CallFacts
from automode.shell.script import HOLE, Command

_OWN = {
    "amends": "amends-own",
    "rewrites": "amends-own",
    "discards": "discards-own",
    "empties": "discards-own",
    "changes-database": "changes-copy",
    "drops-data": "changes-copy",
}
_P = patterns("git_losses")
MESSAGES = 4
LONGEST_FILE = 400_000
_COMMITS = re.compile(r"\bcommit\b")
_BRANCHES = re.compile(r"\bgit\b.*\s(?:-q?[cb]|--create)\b")
_MAKES_BRANCH = frozenset({"switch", "checkout", "worktree"})
_NEW_BRANCH = frozenset({"-c", "-qc", "--create", "-b", "-qb"})
_LETTERS = re.compile(r"-[a-zA-Z]{2,}")
_PATTERN = frozenset("*?[:\\")
_HEAD = frozenset({"HEAD", "@"})
_BEFORE_HEAD = re.compile(r"(?:HEAD|@)(?:~1?|\^1?)")
_COMMITTED = frozenset({"commit", "commit (initial)"})
_AMENDED = "commit (amend)"


_Done: TypeAlias = tuple[Command, Sequence[str]]
"""A command with its deeds."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A git command taken apart. `tree`: what stands before `--`, `paths` what stands behind it."""

    folder: str
    verb: str
    options: tuple[tuple[str, str], ...]
    tree: tuple[str, ...]
    paths: tuple[str, ...]
    marked: bool  # whether there is a `--`

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.options)


@dataclass(frozen=True, slots=True)
class _Commit:
    """That an earlier call made. `subject`: None where it is not known."""

    subject: str | None
    amends: bool
    failed: bool  # the call it was in, which may have made it all the same


@dataclass(frozen=True, slots=True)
class GitLosses:
    """`moves` and `texts`: who asks git, where anybody does."""

    moves: AskMoves = no_moves
    texts: AskTexts = no_texts

    def unless_kept(
        self,
        deeds: tuple[str, ...],
        each: Sequence[tuple[str, ...]],
        facts: CallFacts,
        session: Session,
    ) -> tuple[str, ...]:
        """The deeds again, those that lose nothing by other names. `each`: those of each command.
        What runs before in the same script may change nothing that counts."""
        every = [
            (one, (*own, "discards") if _checks_out_file(one, facts.workspace) else own)
            for one, own in zip(facts.script.commands, each, strict=False)
        ]
        deeds = tuple(dict.fromkeys((*deeds, *(d for _, own in every for d in own if d in _OWN))))
        branches = [one for one, own in every if "deletes-branch" in own]
        own = (_deletes_own_branch(one, facts, session) for one in branches)
        if branches and not _wants_kept(session) and all(own):
            deeds = tuple("deletes-own-branch" if d == "deletes-branch" else d for d in deeds)
        action = facts.call.action
        if not isinstance(action, Shell) or _P.again.search(action.command):
            return deeds
        if _OWN.keys().isdisjoint(deeds) or _led_elsewhere(session):
            return deeds
        excused = {
            name: own
            for name, own in _OWN.items()
            if name in deeds and self._lose_nothing(name, every, facts, session)
        }
        return tuple(dict.fromkeys(excused.get(name, name) for name in deeds))

    def _lose_nothing(
        self, name: str, every: Sequence[_Done], facts: CallFacts, session: Session
    ) -> bool:
        places = [place for place, (_, done) in enumerate(every) if name in done]
        # The second commit back may be another's.
        if not places or (name == "rewrites" and len(places) > 1):
            return False
        if name in ("discards", "empties") and _wants_kept(session):
            return False
        pipeline = every[places[-1]][0].pipeline
        beside = [
            one for one in every[places[-1] + 1 :] if pipeline and one[0].pipeline == pipeline
        ]
        return all(
            self._loses_nothing(name, command, facts, session)
            if name in done
            else _leaves_alone(name, command, done)
            for command, done in (*every[: places[-1] + 1], *beside)
        )

    def _loses_nothing(
        self, name: str, command: Command, facts: CallFacts, session: Session
    ) -> bool:
        if name == "empties":
            return self._keeps_filled(command, facts, session)
        if _OWN[name] == "changes-copy":
            return self._keeps_database(command, facts, session)
        line = _taken_apart(command, facts.workspace)
        if line is None:
            return False
        if name == "discards":
            wanted = _thrown_away(line)
            return wanted is not None and self._discards_own(wanted, facts, session)
        return _is_about_last_commit(line) and self._is_last_own(line, facts, session)

    def _is_last_own(self, line: _Line, facts: CallFacts, session: Session) -> bool:
        """Whether the last moves of HEAD are commits of this session, down to one that amends
        none."""
        place = facts.workspace
        moves = facts.once(("moves", line.folder), lambda: self.moves(line.folder, place))
        every = list(_commits(line.folder, facts, session))
        commits = iter(every)
        for move in moves or ():
            what, _, subject = move.partition(": ")
            fitting = [one for one in every if _fits(one, what, subject)]
            found = next((one for one in commits if not one.failed or one in fitting), None)
            # Of several that read the same one may be another's.
            if found not in fitting or (moves or ()).count(move) > len(fitting):
                return False
            if not found.amends:
                return found.subject is not None
        return False

    def _keeps_filled(self, command: Command, facts: CallFacts, session: Session) -> bool:
        """Whether git has what is in each file that is emptied, but for edits of this session."""
        place = facts.workspace
        if command.remote or command.elevated or command.cwd is None:
            return False
        every = (*touches(command), *redirect_touches(command))
        paths = [one.path for one in every if "empties" in of_touch(one, command, place)]
        real = [place.files.resolve(absolute(one, command.cwd)) for one in paths]
        found = tuple(dict.fromkeys(one for one in real if one is not None))
        plain = all(
            not _PATTERN & set(one) and write_deed(one, command, place) == "writes-here"
            for one in paths
        )
        if not found or len(found) < len(set(real)) or not plain:
            return False
        folder = found[0].rpartition("/")[0]
        return self._discards_own(Wanted(folder, found, foreign=True), facts, session)

    def _keeps_database(self, command: Command, facts: CallFacts, session: Session) -> bool:
        """Whether what it changes is a copy that this session made, or as it was committed."""
        path = database_of(command, facts.workspace)
        if path is None or write_deed(path, command, facts.workspace) != "writes-here":
            return False
        folder = path.rpartition("/")[0]
        return path in _copies(facts, session) or self._discards_own(
            Wanted(folder, (path,), foreign=True), facts, session
        )

    def _discards_own(self, wanted: Wanted, facts: CallFacts, session: Session) -> bool:
        """Whether all that would be gone was put in by edits of this session."""
        place = facts.workspace
        texts = facts.once(wanted, lambda: self.texts(wanted, place))
        return texts is not None and all(
            kept is not None and _is_own(path, kept, session) for path, kept in texts.items()
        )


def _deletes_own_branch(command: Command, facts: CallFacts, session: Session) -> bool:
    """Whether git would refuse to delete what no other branch has, and earlier calls or commands
    made the branches."""
    _, verb, rest = git_parts(command, "")
    named = [text for text in rest if text[:1] != "-"]
    options = {text for text in rest if text[:1] == "-"}
    plain = command.program == "git" and verb == "branch" and options & {"-d", "--delete"}
    if not plain or not named or not options <= {"-d", "--delete", "-q", "--quiet"}:
        return False
    before = takewhile(lambda one: one is not command, facts.script.commands)
    return set(named) <= {*_branches_by(before), *_made_branches(facts, session)}


def _made_branches(facts: CallFacts, session: Session) -> Iterator[str]:
    for call in latest(session):
        match call.call and call.call.action:
            case Shell(command, "bash") if _BRANCHES.search(command) and call.outcome is Outcome.OK:
                yield from _branches_by(facts.reader.full(command, facts.workspace).commands)
            case _:
                pass


def _branches_by(commands: Iterable[Command]) -> Iterator[str]:
    for one in commands:
        words = [word.text for word in one.args]
        makes = one.program == "git" and _MAKES_BRANCH & set(words[:3])
        yield from (b for a, b in pairwise(words) if makes and a in _NEW_BRANCH)


def _copies(facts: CallFacts, session: Session) -> set[str]:
    """The files that earlier calls copied others to, and nothing else made."""
    place = facts.workspace
    found: set[str] = set()
    for call in latest(session):
        match call.call and call.call.action:
            case Shell(command, "bash") if "cp " in command and call.outcome is Outcome.OK:
                for one in facts.reader.full(command, place).commands:
                    made = touches(one) if one.program == "cp" and one.cwd else ()
                    found |= {absolute(to.path, one.cwd or "") for to in made if to.source}
            case _:
                pass
    return found


def _led_elsewhere(session: Session) -> bool:
    """Whether an earlier call may have changed what `git` means in a shell that stays open."""
    calls = (one.call.action for one in latest(session) if one.call)
    return any(isinstance(one, Shell) and _P.leads.search(one.command) for one in calls)


def _leaves_alone(name: str, command: Command, done: Sequence[str]) -> bool:
    """Whether what runs before moves no commit, and brings nothing back that somebody left."""
    edits = command.program in ("sed", "gsed") and list(touches(command))
    if edits and all(one.how is How.WRITES for one in edits):
        done = [deed for deed in done if deed != "runs-unknown"]  # each command of it was read
    listed = word_table("git_losses", "before")[name].issuperset(done)
    verbs = word_table("git_losses", "git-before")[name]
    return listed and (command.program != "git" or git_parts(command, "")[1] in verbs)


def _is_about_last_commit(line: _Line) -> bool:
    """Whether it amends without an editor, or takes back the commit and keeps what is in it."""
    if line.verb == "reset":
        back = len(line.tree) == 1 and _BEFORE_HEAD.fullmatch(line.tree[0]) is not None
        return back and line.has("--soft") and not line.has("--hard") and not line.marked
    quiet = word_table("git_losses", "quiet")["commit"]
    return line.verb == "commit" and line.has("--amend") and line.has(*quiet)


def _checks_out_file(command: Command, place: Workspace) -> bool:
    """Whether the one name that `git checkout` is given is that of a file: where there is one, git
    takes it for no branch."""
    if command.program != "git" or command.cwd is None:
        return False
    folder, verb, rest = git_parts(command, command.cwd)
    named = [text for text in rest if text[:1] != "-"]
    makes = any(text[:2] in ("-b", "-B", "-t") for text in rest)
    if verb != "checkout" or len(named) != 1 or makes or HOLE in folder + named[0]:
        return False
    return place.files.kind(absolute(named[0], folder)) is not Kind.MISSING


def _wants_kept(session: Session) -> bool:
    """Whether the user speaks of what is to stay, which this may be."""
    said = (one.text for one in session.transcript.entries if isinstance(one, UserMessage))
    return any(map(_P.kept.search, list(said)[-MESSAGES:]))


def _taken_apart(command: Command, place: Workspace) -> _Line | None:
    """None where a word is not known, or may lead git elsewhere."""
    words = [word.text for word in command.words]
    around = command.via or command.assignments or command.environment
    if words[0] != "git" or around or command.remote or command.elevated or command.cwd is None:
        return None
    if any(word.value is None for word in command.words):
        return None
    if not all(
        any(place.files.kind(folder) is Kind.FOLDER for folder in one.missing)
        for one in command.elsewhere
    ):
        return None
    _, verb, rest = git_parts(command, command.cwd)
    front = words[1 : len(words) - len(rest) - 1]
    plain = word_table("git_losses", "plain")
    valued = word_table("git_losses", "valued")
    found = _options(front, plain["git"], valued["git"])
    given = _options(rest, plain.get(verb, frozenset()), valued.get(verb, frozenset()))
    if found is None or found[1] or given is None:
        return None
    # The system follows links before it goes up.
    real = place.files.resolve(posixpath.join(command.cwd, *(value for _, value in found[0])))
    if real is None:
        return None
    options, tree, paths = given
    return _Line(real, verb, tuple(options), tuple(tree), tuple(paths or ()), paths is not None)


def _options(
    words: Sequence[str], plain: frozenset[str], valued: frozenset[str]
) -> tuple[list[tuple[str, str]], list[str], list[str] | None] | None:
    """The options with their values, what stands before `--` and what behind it; None where an
    option is not known."""
    options: list[tuple[str, str]] = []
    before: list[str] = []
    rest = iter(words)
    for text in rest:
        name, equals, value = text.partition("=")
        if text == "--":
            return options, before, list(rest)
        if text[:1] != "-":
            before.append(text)
            continue
        if equals and name in valued and name[:2] == "--":
            options.append((name, value))
            continue
        letters = text[1:] if _LETTERS.fullmatch(text) else ""
        single = [f"-{one}" for one in letters] or [text]
        if not plain.issuperset(single[:-1]):
            return None
        options += [(one, "") for one in single[:-1]]
        last = single[-1]
        following = next(rest, None) if last in valued else ""
        if following is None or last not in plain | valued:
            return None
        options.append((last, following))
    return options, before, None


def _thrown_away(line: _Line) -> Wanted | None:
    """Which files it writes over; None where that is not known."""
    named = [value for name, value in line.options if name in ("-s", "--source")]
    paths = line.paths if line.marked else line.tree
    if line.verb == "reset":
        plain = (
            line.has("--hard")
            and not line.has("--soft")
            and not line.paths
            and _HEAD.issuperset(line.tree)
        )
        return Wanted(line.folder, ()) if plain else None
    if line.verb == "checkout" and line.marked:
        named += line.tree
    elif line.verb == "checkout" and len(paths) > 1:
        named.append(paths[0])  # which may be another file
        paths = paths[1:] if paths[0] in _HEAD else paths
    elif line.verb != "restore" and line.verb != "checkout":
        return None
    if not paths or len(named) > 1 or any(not one or _PATTERN & set(one) for one in paths):
        return None
    found = tuple(dict.fromkeys(absolute(one, line.folder) for one in paths))
    return Wanted(line.folder, found, foreign=not _HEAD.issuperset(named))


def _is_own(path: str, kept: str, session: Session) -> bool:
    """Whether edits of this session, and nothing else, make the file of what git has."""
    files = session.workspace.files
    now = files.text(path, LONGEST_FILE + 1)
    # What is no text looks the same when it is not.
    if now is None or len(now) > LONGEST_FILE or "\ufffd" in now or "\ufffd" in kept:
        return False
    edits = _edits(path, session)
    return now == kept or any(_applied(kept, edits[start:]) == now for start in range(len(edits)))


def _edits(path: str, session: Session) -> list[Put]:
    """The latest of this session, the oldest first. A whole file may hold what somebody else wrote
    into it before."""
    found: list[Put] = []
    place = session.workspace
    for call in session.transcript.entries:
        if not isinstance(call, PriorCall) or call.outcome not in (None, Outcome.OK):
            continue
        match call.call and call.call.action:
            case Write(paths):
                for one in paths:
                    if path in {place.files.resolve(full) for full in meant_paths(one, place)}:
                        written = written_by_tool(call.input, one)
                        replaces = written is not None and all(put.old for put in written.puts)
                        found = [*found, *written.puts] if written and replaces else []
            case _:
                pass
    return found[-MOST_CALLS:]


def _applied(text: str, edits: Sequence[Put]) -> str | None:
    for one in edits:
        count = text.count(one.old)
        if not count or (count > 1 and not one.every):
            return None
        text = text.replace(one.old, one.text)
    return text


def _commits(folder: str, facts: CallFacts, session: Session) -> Iterator[_Commit]:
    """Of earlier calls in the repository of a folder, the newest first, back to the last push: git
    writes nothing down of one to an address."""
    place = facts.workspace
    top = _top(folder, place)
    for call in latest(session):
        match call.call and call.call.action:
            case Shell(command) if _P.pushes.search(command):
                return
            case Shell(command, "bash") if _COMMITS.search(command):
                script = facts.reader.full(command, place)
                for one in reversed(script.commands if script.complete else ()):
                    line = git_parts(one, one.cwd or HOLE)
                    real = None if HOLE in line[0] else place.files.resolve(line[0])
                    commits = one.program == "git" and line[1] == "commit"
                    if commits and real is not None and top and _top(real, place) == top:
                        failed = call.outcome is Outcome.ERROR
                        yield _Commit(_subject(one, line[2]), "--amend" in line[2], failed)
            case _:
                pass


def _top(folder: str, place: Workspace) -> str | None:
    levels = (folder, *parents(folder))
    return next(
        (one for one in levels if place.files.kind(f"{one}/.git") is not Kind.MISSING), None
    )


def _subject(command: Command, rest: Sequence[str]) -> str | None:
    """The line of the message that stands in the record of the moves of HEAD."""
    plain, valued = word_table("git_losses", "plain"), word_table("git_losses", "valued")
    given = _options(rest, plain["commit"] | plain["committed"], valued["commit"])
    options = given[0] if given else []
    told = next((value for name, value in options if name in ("-m", "--message")), "")
    if ("-F", "-") in options or ("--file", "-") in options:
        told = command.fed or ""
    lines = told.strip().splitlines()
    return None if not lines or HOLE in lines[0] else " ".join(lines[0].split())


def _fits(commit: _Commit, what: str, subject: str) -> bool:
    if commit.amends != (what == _AMENDED) or (not commit.amends and what not in _COMMITTED):
        return False
    return commit.subject in (None, " ".join(subject.split()))
