"""From a call to its deeds, with what the rest of the judge wants to know of the script."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from automode.core.call import Shell, ToolCall
from automode.core.paths import absolute
from automode.core.session import Session
from automode.core.transcript import Outcome, PriorCall
from automode.core.workspace import Workspace
from automode.guards.credentials import may_be_credential
from automode.judge import shell_deeds, tool_deeds
from automode.judge.deeds import Weight, deeds
from automode.programs.use import Effect, Invocation, Judge
from automode.shell.reader import Reader
from automode.shell.script import HOLE, Command, Script

MOST_COMMANDS = 60
LONGEST_TEXT = 12_000
# What an earlier script wrote anew: the path behind a redirect or `-o`.
_WRITTEN = re.compile(r"(?:(?<!>)>\s*|-o\s+)[\"']?([\w./@~-]{1,200})")
FETCHING = frozenset("npx bunx pnpx uvx".split())
CLIENTS = frozenset(
    "kubectl oc helm terraform tofu pulumi aws gcloud az gsutil gh glab fly flyctl vercel netlify"
    " wrangler heroku supabase firebase ansible ansible-playbook rclone doctl railway".split()
)
# What a program that nobody described is told to do, in the words that all of them share.
_ACTING = re.compile(
    r"\b(?:push|upload|publish\w*|deploy|delete\w*|destroy|del|remove|drop|purge|wipe|prune|forget|send|"
    r"mirror|backup|install-extension|uninstall|login|exec|release|flush|reset|migrate|shutdown|nosave|"
    r"ssh|full-auto|runner)\b",
    re.IGNORECASE,
)
_DELETIONS = ("deletes", "deletes-near", "deletes-outside")


@dataclass(frozen=True, slots=True)
class Reading:
    deeds: tuple[str, ...]  # names, each once
    script: Script | None  # None where no script is read
    effects: Effect
    unread: bool = False  # parts of it were not looked at: nothing can be said for it


@dataclass(frozen=True, slots=True)
class Looking:
    """Pure but for what the reader of scripts does."""

    reader: Reader
    programs: Mapping[str, Judge]

    def __call__(self, call: ToolCall, session: Session) -> Reading:
        workspace = session.workspace
        match call.action:
            case Shell(command, "bash"):
                script = self.reader.full(command, workspace)
            case Shell(text):
                found = shell_deeds.text_deeds(text[:LONGEST_TEXT])
                return Reading(_once(found), None, Effect.UNKNOWN, unread=True)
            case _:
                found = tool_deeds.deeds_of(call, workspace)
                return Reading(_once(found), None, Effect.UNKNOWN)
        effects = Effect.NONE
        found_deeds: list[str] = []
        for one in script.commands[:MOST_COMMANDS]:
            effect = self._effect(one, workspace)
            effects |= effect
            found_deeds += _of_command(one, effect, workspace)
        unread = not script.complete or len(script.commands) > MOST_COMMANDS
        unread = unread or len(command) > LONGEST_TEXT
        found = _unless_made(found_deeds, script, session)
        return Reading(_once(found), script, effects, unread)

    def _effect(self, command: Command, workspace: Workspace) -> Effect:
        judge = self.programs.get(command.program) if command.words else None
        if judge is None:
            return Effect.UNKNOWN if command.words else Effect.NONE
        return judge(Invocation(command.program, command.args, command, workspace)).effect


def _of_command(command: Command, effect: Effect, workspace: Workspace) -> Iterator[str]:
    found = list(shell_deeds.deeds_of(command, workspace))
    yield from found
    if command.program in FETCHING and Effect.DEVELOPMENT not in effect:
        yield "runs-fetched"
    heavy = any(deeds()[name].weight is not Weight.LIGHT for name in found)
    if command.program in CLIENTS and effect & ~Effect.REMOTE_READ and not heavy:
        yield "deploys"  # of a service's own client what is not known to read may do anything
    if Effect.DEVELOPMENT in effect:
        yield "develops"
    if Effect.UNKNOWN in effect and not command.transparent:
        yield "runs-unknown"
        if not heavy and _ACTING.search(shell_deeds.line_of(command)):
            yield "acts-unknown"
    if Effect.SECRETS in effect or _names_secret(command, workspace):
        yield "reads-secret"


def _names_secret(command: Command, workspace: Workspace) -> bool:
    return any(
        may_be_credential(word.text, workspace.home)
        for word in command.args
        if word.text and not word.text.startswith("-")
    )


def _unless_made(deeds: list[str], script: Script, session: Session) -> Iterator[str]:
    """That a file goes which this very script or an earlier call made is no loss."""
    spared = any(name in _DELETIONS for name in deeds) and _own_making(script, session)
    yield from ("deletes-made" if spared and name in _DELETIONS else name for name in deeds)


def _own_making(script: Script, session: Session) -> bool:
    gone: set[str] = set()
    made: set[str] = set()
    here = session.workspace.cwd
    for command in script.commands:
        at = command.cwd or here
        made |= {absolute(one.target.text, at) for one in command.redirects if one.op == ">"}
        if command.program in ("rm", "unlink"):
            words = (word.text for word in command.args if not word.text.startswith("-"))
            gone |= {absolute(word, at) for word in words}
    for one in ran(session):
        made |= {absolute(path, here) for path in _made_by(one)}
    return bool(gone) and gone <= made


def ran(session: Session) -> list[PriorCall]:
    """Earlier calls that nobody stopped: what was refused is no evidence for what comes next."""
    earlier = (one for one in session.transcript.entries if isinstance(one, PriorCall))
    return [one for one in earlier if one.outcome not in (Outcome.DENIED, Outcome.REJECTED)]


def _made_by(call: PriorCall) -> set[str]:
    names = set(_WRITTEN.findall(tool_deeds.written(call.input)[:LONGEST_TEXT]))
    if "content" in call.input:
        paths = (call.input.get(field) for field in tool_deeds.PATH_FIELDS)
        names |= {path for path in paths if isinstance(path, str)}
    return names


def _once(names: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def has_holes(script: Script) -> bool:
    """Whether a word of it can only be known when it runs."""
    return any(HOLE in word.text for one in script.commands for word in one.words)
