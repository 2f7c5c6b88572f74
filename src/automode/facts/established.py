"""What automode itself can say about a call before a model judges it: trusted facts.

Nothing here raises, and nothing here takes the agent's word for anything.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from automode.core.call import Read, ToolCall, Write
from automode.core.paths import normal, parents, within
from automode.core.session import Session
from automode.core.tools import meant_paths
from automode.core.transcript import Fact, PriorCall
from automode.core.workspace import Kind, Workspace
from automode.facts.git import (
    ADDRESS_CHARACTERS,
    Ask,
    GitProcess,
    NotKnown,
    quote_name,
    remotes_text,
    repository_above,
    status_text,
)
from automode.facts.listeners import stopped_text
from automode.facts.pushes import new_branches, push_text
from automode.facts.reached import reached_text
from automode.facts.removals import removal_text
from automode.guards.guard import targets, words
from automode.guards.session_files import (
    MARK,
    PRIOR_CALLS,
    REMOVERS,
    every_command,
    executed_files,
    named_files,
    written_before,
)
from automode.programs.call_facts import CallFacts
from automode.programs.checks.git import place
from automode.shell.script import HOLE, Command

FILES_SHOWN = 12
MOST_REPOSITORIES = 2

_LOSING = REMOVERS | words("mv gmv truncate")
_LOSING_VERBS = words(
    "reset checkout switch restore clean stash rebase push rm merge pull revert am cherry-pick"
    " worktree update-ref filter-branch filter-repo reflog gc"
)
_BRANCH_LOSES = words("-d -D -f -m -M -C --delete --force --move")
_SPEAKING_VERBS = words("push fetch pull remote ls-remote clone submodule")
_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE")
_BRANCHING = re.compile(r"git\b.*\b(?:checkout|switch|worktree|branch)\b", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Git:
    """`folder` None: where it runs, or on which repository, cannot be known."""

    verb: str
    rest: tuple[str, ...]
    folder: str | None

    @property
    def loses(self) -> bool:
        """Whether it can lose what is not committed, or what is only here."""
        if self.verb == "branch":
            return not _BRANCH_LOSES.isdisjoint(self.rest)
        if self.verb == "stash":
            return self.rest[:1] not in (("list",), ("show",))
        return self.verb in _LOSING_VERBS


class Established:
    """The facts about one call: remotes and branches before talking to one, git's status and the
    files before something may be lost, which files are this session's, whom it stops, and what
    shows that the places it reaches are the project's own. `environment`: what the person's own
    settings say of these."""

    def __init__(self, ask: Ask | None = None, environment: Sequence[str] = ()) -> None:
        self._ask = ask or GitProcess()
        self._environment = tuple(environment)

    def __call__(self, facts: CallFacts, session: Session) -> Sequence[Fact]:
        commands = every_command(facts)
        local = [command for command in commands if command.words and not command.remote]
        ask = _ask_once(self._ask)
        told = {
            "removes": removal_text(_removed_paths(facts, local), facts.workspace, ask),
            "stops": stopped_text(local, facts.workspace, session.transcript),
            "reaches": reached_text(facts, local, session, self._environment),
        }
        return (
            *_remotes(facts, local),
            *_pushes(facts, local, session),
            *_status(facts, local, ask),
            *_files(facts, local, session),
            *(Fact(name, text) for name, text in told.items() if text),
        )


def _ask_once(ask: Ask) -> Ask:
    """Several facts of a call need the same answer. No answer is one too: waiting is bounded."""
    answers: dict[tuple[str, str], str | NotKnown] = {}

    def asked(folder: str, home: str) -> str:
        key = (folder, home)
        if key not in answers and len(answers) == MOST_REPOSITORIES:
            raise NotKnown("too many repositories")
        if key not in answers:
            try:
                answers[key] = ask(folder, home)
            except NotKnown as error:
                answers[key] = error
        found = answers[key]
        if isinstance(found, NotKnown):
            raise found
        return found

    return asked


def _status(facts: CallFacts, commands: Sequence[Command], ask: Ask) -> Iterator[Fact]:
    workspace = facts.workspace
    folders = list(dict.fromkeys(_at_risk(facts, commands)))
    tops = {folder: repository_above(folder, workspace) for folder in folders if folder}
    repositories = list(dict.fromkeys(top for top in tops.values() if top))
    if repositories:
        text = status_text(repositories[0], workspace, ask)
        others = "; another repository is touched too" if len(repositories) > 1 else ""
        yield Fact(
            "git-status", f"{quote_name(repositories[0], ADDRESS_CHARACTERS)}: {text}{others}"
        )
    elif None in folders and repository_above(workspace.cwd, workspace):
        yield Fact("git-status", "not known: which repository it is about cannot be told")


def _files(facts: CallFacts, commands: Sequence[Command], session: Session) -> Iterator[Fact]:
    if any(isinstance(one, PriorCall) for one in session.transcript.entries):
        written = dict(written_before(session, facts.reader))
        sentences = [
            *_ours(facts.call, commands, written, session.workspace),
            *_not_ours(facts, commands, written),
        ]
        if sentences:
            yield Fact("created-or-changed-in-this-session", "; ".join(sentences))
    executed = executed_files(facts, session)
    if executed:
        text = f"the call executes, or may execute, code of this session: {_names(executed)}"
        yield Fact(MARK, text)


def _remotes(facts: CallFacts, commands: Sequence[Command]) -> Iterator[Fact]:
    workspace = facts.workspace
    gits = (_git(facts, command) for command in commands)
    folders = [git.folder for git in gits if git and git.verb in _SPEAKING_VERBS]
    tops = [repository_above(folder, workspace) for folder in folders if folder]
    for top in list(dict.fromkeys(top for top in tops if top))[:2]:
        yield Fact(
            "git-remotes", f"{quote_name(top, ADDRESS_CHARACTERS)}: {remotes_text(top, workspace)}"
        )
    if None in folders and repository_above(workspace.cwd, workspace):
        yield Fact("git-remotes", "not known: which repository it is about cannot be told")


def _pushes(facts: CallFacts, commands: Sequence[Command], session: Session) -> Iterator[Fact]:
    gits = (_git(facts, command) for command in commands)
    pushes = [git for git in gits if git and git.verb == "push"]
    made = _made_branches(facts, commands, session) if pushes else ()
    for git in pushes[:2]:
        top = repository_above(git.folder, facts.workspace) if git.folder else None
        if top:
            yield Fact("git-push", push_text(top, git.rest, facts.workspace, made))
        elif named := [one for one in made if one in git.rest]:
            text = f"a call of this session creates the local branch {quote_name(named[0])}"
            yield Fact("git-push", text)


def _made_branches(
    facts: CallFacts, commands: Sequence[Command], session: Session
) -> tuple[str, ...]:
    """Branches that this call or earlier ones of the session make."""
    entries = session.transcript.entries
    calls = [one for one in entries if isinstance(one, PriorCall) and one.may_have_run]
    found = [(facts, commands)]
    for prior in calls[-PRIOR_CALLS:]:
        call = prior.call if _BRANCHING.search(str(prior.input)) else None
        if call is not None:
            past = CallFacts(call, session.workspace, facts.reader)
            found.append((past, every_command(past)))
    gits = (_git(past, one) for past, these in found for one in these if one.words)
    return tuple(name for git in gits if git for name in new_branches(git.verb, git.rest))


def _removed_paths(facts: CallFacts, commands: Sequence[Command]) -> tuple[str, ...]:
    losing = [command for command in commands if command.name in _LOSING]
    return tuple(dict.fromkeys(path for one in losing for path in _targets(facts, one)))


def _git(facts: CallFacts, command: Command) -> _Git | None:
    """A git command taken apart; None for other programs, and without a verb."""
    given = facts.of(command).given if command.name == "git" else None
    if given is None or not given.before.operands:
        return None
    verb, *rest = (word.text for word in given.before.operands)
    variables = (*command.assignments, *command.environment)
    at = place(given)
    if at is None or at.git_dir or at.work_tree or any(v.name in _ELSEWHERE for v in variables):
        return _Git(verb, tuple(rest), None)
    return _Git(verb, tuple(rest), normal(at.folder))


def _at_risk(facts: CallFacts, commands: Sequence[Command]) -> Iterator[str | None]:
    """Folders in whose repositories something may be lost; None for one that is not known."""
    for command in commands:
        git = _git(facts, command)
        if git is not None and git.loses:
            yield git.folder
        elif command.name in _LOSING:
            yield from _folders(facts, command)
        elif command.name == "find" and any(w.text == "-delete" for w in command.args):
            yield command.cwd


def _folders(facts: CallFacts, command: Command) -> Iterator[str | None]:
    """The existing folders, inside the workspace, of what a command removes or empties."""
    workspace = facts.workspace
    paths = _targets(facts, command)
    if not paths:
        yield command.cwd
    for path in paths:
        if any(within(path, folder) for folder in workspace.folders):
            levels = (one for one in parents(path) if workspace.files.kind(one) is Kind.FOLDER)
            yield next(levels, None)


def _targets(facts: CallFacts, command: Command) -> list[str]:
    return [target.path for target in targets(facts.of(command))]


def _ours(
    call: ToolCall, commands: Sequence[Command], written: dict[str, str], workspace: Workspace
) -> Iterator[str]:
    """What the call names that earlier calls wrote."""
    found: dict[str, None] = {}
    if isinstance(call.action, Read | Write):
        meant = (one for path in call.action.paths for one in meant_paths(path, workspace))
        found.update(
            (written[path.casefold()], None) for path in meant if path.casefold() in written
        )
    for command in commands:
        targeted = (redirect.target for redirect in command.redirects)
        for word in (*command.words, *targeted):
            found.update(dict.fromkeys(named_files(word, command, written, workspace)))
    if found:
        yield f"earlier calls of this session created or changed {_names(tuple(found))}"


def _not_ours(
    facts: CallFacts, commands: Sequence[Command], written: dict[str, str]
) -> Iterator[str]:
    """What the call removes or empties and this session is not known to have written."""
    paths = _removed_paths(facts, commands)
    older = [path for path in paths if path.casefold() not in written and HOLE not in path]
    if not older:
        return
    below = [shown for path, shown in written.items() if any(within(path, o) for o in older)]
    text = f"no earlier call of this session is known to have written {_names(older)}"
    yield f"{text}, only {_names(tuple(dict.fromkeys(below)))} below" if below else text


def _names(paths: Sequence[str]) -> str:
    shown = [quote_name(_short(path)) for path in paths[:FILES_SHOWN]]
    more = len(paths) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _short(path: str) -> str:
    """The end of a long path says more than its beginning."""
    name = posixpath.basename(path)
    return path if len(path) <= 64 else f"…/{posixpath.basename(posixpath.dirname(path))}/{name}"
