"""The rule that would cover a recorded call: proposed, tried on the gate, counted and saved."""

import asyncio
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from automode.config.json_edit import add_entries
from automode.config.load import rule_origin
from automode.config.places import Places
from automode.config.settings import Rule as Entry
from automode.config.settings import Settings, Source, Stages
from automode.core.call import ToolCall
from automode.core.decision import Decision, Verdict
from automode.core.errors import BadCall, BadPattern, BadSettings
from automode.core.record import OWN_HOST, Record, clearance
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.place import workspace_for
from automode.gate.gate import Gate
from automode.guards.protected import Protected
from automode.guards.reads.read_only import ReadOnly
from automode.programs.call_facts import CallFacts
from automode.rules.layer import Rules
from automode.rules.pattern import Rule, parse
from automode.rules.proposal import policy_sentence, proposals
from automode.rules.shell_allow import nothing_is_proved, notice
from automode.shell.script import Reader
from automode.store import tables
from automode.store.changes import RecordQuery
from automode.store.database import Database

COUNTED_DAYS = 30
MOST_COUNTED = 20_000  # records
MOST_READ = 400  # different calls


@dataclass(frozen=True, slots=True)
class Option:
    """Entries of one list. `beyond`: what they cover besides the call. `void`: why they would not
    have helped; one that `waits` would, once a model reads it."""

    key: str
    entries: tuple[str, ...]
    note: str
    beyond: str
    void: str = ""
    waits: bool = False
    covered: int | None = None  # calls of the last month, this one too; None: nobody counted

    @property
    def exact(self) -> bool:
        return not self.beyond


@dataclass(frozen=True, slots=True)
class Offer:
    record: Record
    options: tuple[Option, ...]
    remarks: tuple[str, ...]  # why there is not more

    @property
    def usable(self) -> tuple[Option, ...]:
        return tuple(option for option in self.options if not option.void)

    @property
    def alone(self) -> Option | None:
        """What may be written though nobody named it: it covers this call and no other."""
        return next((option for option in self.usable if option.exact), None)


_NEVER = ("rules.deny", "floor.")
ASK, ALLOW, POLICY = "permissions.ask", "permissions.allow", "autoMode.allow"
_UNDECIDED = "gate.undecided"
_NO_PATTERN = "no pattern covers this call: it cannot be read in full, or not be spelled in one"
_NO_SENTENCE = (
    "no sentence for the policy is offered: the call is too long, or its text could be read as more"
    " than a command; write one in your own words, in `autoMode.allow`"
)


@dataclass(frozen=True, slots=True)
class _Trial:
    """A call that the gate decides, and that is not run. No model is asked."""

    call: ToolCall
    workspace: Workspace
    settings: Settings
    gate: Callable[[Settings], Gate]

    async def decide(self, settings: Settings) -> Decision | None:
        return await self.gate(settings).decide(self.call, Session("proposal", self.workspace))


@dataclass(frozen=True, slots=True)
class RuleOffers:
    """`settings` are those of a project's root, `gate` is built from them without a judge, and
    `places` says where the person's own file is."""

    settings: Callable[[str], Settings]
    gate: Callable[[Settings], Gate]
    places: Callable[[], Places]
    reader: Reader

    async def offer(self, record: Record) -> Offer:
        """What would cover the call of `record`: an allow rule or a sentence of the policy where it
        was stopped, an ask rule where it was allowed."""
        if remarks := _why_none(record):
            return Offer(record, (), remarks)
        trial = self._trial(record)
        call, workspace, settings = trial.call, trial.workspace, trial.settings
        today = await trial.decide(settings)
        key = ASK if record.verdict is Verdict.ALLOW else ALLOW
        options = await self._patterns(key, trial, today)
        why = [] if options else [_NO_PATTERN]
        # A judgement can be talked to; an outage cannot.
        if key == ALLOW and _judged(record):
            sentence = policy_sentence(call, workspace)
            options += [] if sentence is None else [_sentence(sentence, record, settings, today)]
            why += [_NO_SENTENCE] if sentence is None else []
        return Offer(record, tuple(options), (*why, *_set_aside(call, settings)))

    async def _patterns(self, key: str, trial: _Trial, today: Decision | None) -> list[Option]:
        exactly = "this call, also within a longer one" if key == ASK else "exactly this call"
        reads = ReadOnly(remote_reads=trial.settings.remote_reads).proves
        proved = reads if key == ALLOW else nothing_is_proved
        found: list[Option] = []
        for one in proposals(trial.call, trial.workspace, self.reader, proved):
            note = f"{exactly if one.exact else 'this call and others like it'}, in every project"
            changed = await trial.decide(_with(trial.settings, key, one.patterns))
            found.append(Option(key, one.patterns, note, one.beyond, _still(key, today, changed)))
        return found

    def _trial(self, record: Record) -> _Trial:
        workspace = workspace_for(record.cwd)
        return _Trial(recorded_call(record), workspace, self.settings(workspace.root), self.gate)

    async def check(self, record: Record, text: str) -> tuple[str, ...]:
        """The entries of an allow rule as a person wrote it, a pattern a line. Raises BadCall
        unless they would let this very call through."""
        entries = tuple(line.strip() for line in text.splitlines() if line.strip())
        if not entries:
            raise BadCall("no rule was named", f"`automode denials --propose {record.id}` has some")
        for entry in entries:
            try:
                parse(Rule(entry))
            except BadPattern as error:
                raise BadCall(f"`{entry[:80]}` is no rule: {error}", error.hint) from error
            if (aside := notice(Rule(entry))) is not None:
                raise BadCall(aside, "name what the call does more closely")
        if remarks := _why_none(record):
            raise BadCall(f"no rule lets this call through: {remarks[0]}", remarks[-1])
        trial = self._trial(record)
        today = await trial.decide(trial.settings)
        changed = await trial.decide(_with(trial.settings, ALLOW, entries))
        if void := _still(ALLOW, today, changed):
            raise BadCall(f"this rule would not let the call through: {void}", "write another one")
        return entries

    async def save(self, record: Record, text: str) -> str:
        """Checks the rule and adds it to the person's own settings; says where. Raises BadCall and
        BadSettings."""
        entries = await self.check(record, text)
        return await asyncio.to_thread(write_entries, self.places(), ALLOW, entries)

    def count(self, db: Database, option: Option, now: float) -> Option:
        """The option, with how many calls of the last month its rules cover. Takes a while."""
        if option.key != ALLOW or option.void:
            return option
        query = RecordQuery(since=now - COUNTED_DAYS * 24 * 3600, limit=MOST_COUNTED)
        calls: dict[tuple[str, str, str], list[Record]] = {}
        for one in (stored.record for stored in tables.records(db, query)):
            if one is not None:
                calls.setdefault((one.tool, one.input, one.cwd), []).append(one)
        patterns = [parse(Rule(entry)) for entry in option.entries]
        covered, read = 0, 0
        for same in calls.values():
            with suppress(BadCall, OSError):
                call = recorded_call(same[0])
                if read < MOST_READ and any(pattern.permits(call) for pattern in patterns):
                    read += 1
                    covered += len(same) if self._covers(option.entries, call, same[0].cwd) else 0
        return replace(option, covered=covered)

    def _covers(self, entries: Iterable[str], call: ToolCall, cwd: str) -> bool:
        workspace = workspace_for(cwd)
        settings = self.settings(workspace.root)
        layer = Rules(
            Verdict.ALLOW,
            [Rule(entry) for entry in entries],
            protected=Protected.of(one.text for one in settings.protected_paths).matches,
            reads=ReadOnly(remote_reads=settings.remote_reads).proves,
        )
        return layer.covers(CallFacts(call, workspace, self.reader))


def write_entries(places: Places, key: str, entries: Sequence[str]) -> str:
    """Adds entries to a list of the person's own settings; says where."""
    if not places.user:
        raise BadSettings("--isolated ignores every settings file", "leave it out")
    fresh = ("$defaults",) if key == POLICY else ()
    os.makedirs(os.path.dirname(places.user[0]), mode=0o700, exist_ok=True)
    line = add_entries(places.user[0], key, entries, fresh=fresh)
    return f"{places.user[0]}:{line}"


def _judged(record: Record) -> bool:
    return record.source.startswith("classifier.") and record.error is None


def _why_none(record: Record) -> tuple[str, ...]:
    """Why nothing can be proposed; empty where something may."""
    hard = _judged(record) and not record.clearable
    if record.denied and (record.source.startswith(_NEVER) or hard):
        why = clearance(record)
        return (why.refusal, why.instead)
    if record.replaced:
        remark = "a secret stood in the call, and it was not recorded: write the rule by hand, with"
        return (f"{remark} `*` in its place",)
    return ()


def recorded_call(record: Record) -> ToolCall:
    try:
        given = json.loads(record.input)
    except (ValueError, RecursionError) as error:
        raise BadCall(
            f"the input of record `{record.id}` was too long to be recorded whole",
            "write the rule by hand",
        ) from error
    return tool_call(record.tool, given if isinstance(given, dict) else {})


def _with(settings: Settings, key: str, patterns: Iterable[str]) -> Settings:
    entries = tuple(Entry(text, Source.USER) for text in patterns)
    rules = settings.permissions
    if key == ASK:
        return replace(settings, permissions=replace(rules, ask=(*rules.ask, *entries)))
    return replace(settings, permissions=replace(rules, allow=(*rules.allow, *entries)))


def _still(key: str, today: Decision | None, changed: Decision | None) -> str:
    """Why the rule makes no difference; empty where it decides."""
    wanted = Verdict.ASK if key == ASK else Verdict.ALLOW
    if today is not None and today.verdict is wanted and today.source != _UNDECIDED:
        return f"no rule is needed: `{today.source}` says so already: {today.reason}"
    if changed is None or changed.source == _UNDECIDED:
        return "it does not cover the whole call"
    return "" if changed.verdict is wanted else _decides(changed)


def _decides(decision: Decision) -> str:
    return f"`{decision.source}` decides all the same: {decision.reason}"


def _sentence(sentence: str, record: Record, settings: Settings, today: Decision | None) -> Option:
    unread = _why_no_model(record, settings)
    first = "" if today is None or today.source == _UNDECIDED else _decides(today)
    return Option(
        POLICY,
        (sentence,),
        "the classifier weighs it, and may say no",
        "whatever the model takes for the same",
        first or unread,
        waits=bool(unread) and not first,
    )


def _why_no_model(record: Record, settings: Settings) -> str:
    """Why no model reads the policy; empty where one does. One that the settings do not choose was
    the agent's own, unless this program itself asked."""
    if settings.stages is Stages.LOCAL:
        return "`autoMode.stages` is `local`, so no model reads the policy: set it to `both`"
    if settings.unusable_model:
        why = f"the model cannot be used ({settings.unusable_model}), so no model reads the policy"
        return f"{why}: choose another one with `automode model`"
    own = record.source != "classifier.local" and record.session.host != OWN_HOST
    if settings.chooses_model or own:
        return ""
    return "no model is chosen, so no model reads the policy: choose one with `automode model`"


def _set_aside(call: ToolCall, settings: Settings) -> Iterator[str]:
    """Allow rules that speak of this call already, and are not applied."""
    for entry in settings.permissions.allow:
        rule = Rule(entry.text, rule_origin(entry))
        said = notice(rule)
        with suppress(BadPattern):
            if said is not None and parse(rule).permits(call):
                yield said
