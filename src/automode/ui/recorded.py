"""A recorded call, read and decided again: how it is read, what every layer says, what other rules
would make of it. No model is asked but the embedded judge, and the call does not run."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from automode.assemble import READER, build_classifier, build_gate, embedded_judge
from automode.config.settings import Rule, Settings, Source, Stages
from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision
from automode.core.errors import BadCall, BadPattern
from automode.core.record import Record
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Fact, Transcript
from automode.core.workspace import Workspace
from automode.facts.established import Established
from automode.facts.place import workspace_for
from automode.gate.gate import Gate
from automode.gate.opinions import Opinion, ask_layers, decisive
from automode.guards.own_files import OwnFolders
from automode.judge.embedded import EmbeddedJudge
from automode.llm.endpoints import Missing
from automode.llm.model import ModelFault, Prompt
from automode.programs.call_facts import CallFacts, CommandFacts
from automode.rules import pattern
from automode.shell.describing import command_line, command_notes, word_text

LISTS = ("deny", "ask", "allow")
MOST_RULES = 2000
_NOBODY = Missing(ModelFault.UNKNOWN_MODEL, "no model is asked here")


@dataclass(frozen=True, slots=True)
class ReadCommand:
    """`targets`: the files and machines that it names, each with what happens to it."""

    line: str
    targets: tuple[tuple[str, str], ...]
    notes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """`problem`: why it was not read at all; `gaps`: what could not be."""

    commands: tuple[ReadCommand, ...] = ()
    gaps: tuple[str, ...] = ()
    complete: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Again:
    """The call as it would be decided now. `by`: the layer that decides. `facts`: what a model
    would be told as established."""

    reading: Reading | None
    facts: tuple[Fact, ...]
    opinions: tuple[Opinion, ...]
    by: Opinion | None
    decision: Decision | None

    @property
    def speaking(self) -> tuple[Opinion, ...]:
        return tuple(one for one in self.opinions if one.decision is not None or one.remarks)

    @property
    def silent(self) -> tuple[str, ...]:
        """The names of those that were asked and have no opinion."""
        quiet = (one for one in self.opinions if one.asked and one not in self.speaking)
        return tuple(dict.fromkeys(one.layer for one in quiet))


@dataclass(frozen=True, slots=True)
class RecordedCall:
    call: ToolCall
    workspace: Workspace
    attended: bool

    @classmethod
    def of(cls, record: Record) -> "RecordedCall":
        """Raises BadCall where the record does not hold all of the call."""
        try:
            given = json.loads(record.input)
        except (ValueError, RecursionError) as error:
            raise BadCall(
                "the call was too long to be recorded whole, so it cannot be read again"
            ) from error
        call = tool_call(record.tool, given if isinstance(given, dict) else {})
        return cls(call, workspace_for(record.cwd), record.attended)

    def again(self, settings: Settings, folders: OwnFolders) -> Again:
        session = Session("ui", self.workspace, self.attended)
        asked = ask_layers(_gate(settings, folders), self.call, session)
        opinions, decision = asyncio.run(asked)
        facts = Established()(CallFacts(self.call, self.workspace, READER), session)
        by = decisive(opinions, decision)
        return Again(self._reading(), tuple(facts), tuple(opinions), by, decision)

    def decide(self, settings: Settings, folders: OwnFolders) -> Decision | None:
        session = Session("ui", self.workspace, self.attended)
        return asyncio.run(_gate(settings, folders).decide(self.call, session))

    def prompt(self, settings: Settings, record: Record, said: Transcript) -> Prompt:
        """What a model would be asked about it now, with what was said before it."""
        session = Session(
            record.session.id,
            self.workspace,
            self.attended,
            host=record.session.host,
            parent=record.parent,
            transcript=said,
        )
        facts = CallFacts(self.call, self.workspace, READER)
        return build_classifier(settings, _NOBODY).prompts(facts, session, record.trail).deliberate

    def _reading(self) -> Reading | None:
        action = self.call.action
        if not isinstance(action, Shell):
            return None
        if action.dialect == "cmd":
            return Reading(problem="scripts of cmd are not read")
        facts = CallFacts(self.call, self.workspace, READER)
        script = facts.script
        commands = (
            ReadCommand(
                command_line(one),
                tuple(_targets(facts.of(one))),
                tuple(command_notes(one, self.workspace.cwd)),
            )
            for one in script.commands
        )
        return Reading(tuple(commands), tuple(script.gaps), script.complete)


def _targets(command: CommandFacts) -> Iterator[tuple[str, str]]:
    for one in command.touched_files:
        kind = "perhaps a file" if one.kind is None else one.kind.value
        yield kind, word_text(one.word)


def _gate(settings: Settings, folders: OwnFolders) -> Gate:
    local = replace(settings, stages=Stages.LOCAL)
    judged = isinstance(embedded_judge(settings), EmbeddedJudge)
    judges = [build_classifier(local, _NOBODY)] if judged else []
    return build_gate(settings, judges=judges, folders=folders)


def rules_text(settings: Settings) -> dict[str, str]:
    """Your own lists, a rule a line, as the form shows them."""
    return {name: "\n".join(one.text for one in _list(settings, name)) for name in LISTS}


def edited(settings: Settings, given: Mapping[str, str]) -> Settings:
    """The settings with other rules in the place of those that the form showed. Rules of a project
    or an administrator stay. Raises BadPattern."""
    lists: dict[str, tuple[Rule, ...]] = {}
    for name in LISTS:
        texts = [line.strip() for line in given.get(name, "").splitlines() if line.strip()]
        if len(texts) > MOST_RULES:
            raise BadCall(f"more than {MOST_RULES} rules in `{name}`", "try fewer")
        for text in texts:
            _check(text)
        kept = (one for one in getattr(settings.permissions, name) if not _own(one))
        lists[name] = (*(Rule(text, Source.USER) for text in texts), *kept)
    return replace(settings, permissions=replace(settings.permissions, **lists))


def _check(text: str) -> None:
    try:
        pattern.parse(pattern.Rule(text, "what you typed"))
    except BadPattern as error:
        raise BadCall(f"`{text[:200]}` is no rule: {error}", error.hint) from error


def _list(settings: Settings, name: str) -> Iterable[Rule]:
    return (one for one in getattr(settings.permissions, name) if _own(one))


def _own(rule: Rule) -> bool:
    return rule.source is Source.USER
