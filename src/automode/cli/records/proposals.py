"""`automode denials --propose`: the rule that would cover a recorded call, tried on the gate."""

import asyncio
import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from automode.assemble import READER, build_gate
from automode.cli.daemon import refuse_agents
from automode.cli.options import OWN_HOST, Surroundings
from automode.cli.printing import attributes, one_line, say, say_json, say_rows, tell, wants_json
from automode.config.json_edit import add_entries
from automode.config.load import rule_origin
from automode.config.settings import Rule as Entry
from automode.config.settings import Settings, Source, Stages
from automode.core.call import ToolCall
from automode.core.decision import Decision, Verdict
from automode.core.errors import BadCall, BadPattern, BadSettings
from automode.core.record import Record, clearance
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.place import workspace_for
from automode.guards.own_files import OwnFolders
from automode.guards.reads.read_only import ReadOnly
from automode.rules.pattern import Rule, parse
from automode.rules.proposal import policy_sentence, proposals
from automode.rules.shell_allow import nothing_is_proved, notice
from automode.store.open import reading
from automode.store.tables import record as stored_record


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


def show(made: Offer) -> None:
    say(f"{made.record.id}  {one_line(f'{made.record.tool}  {made.record.action}', 70)}")
    for number, option in enumerate(made.options, start=1):
        say()
        say(f"{number}. in `{option.key}`: {option.note}")
        show_entries(option)
    say_rows(("note", remark) for remark in made.remarks)
    if made.alone is not None:
        number = made.options.index(made.alone) + 1
        say(f"\n--write adds number {number} to your settings, --choice N another one")
    elif made.usable:
        say("\nnone covers this call alone: --write --choice N adds the one that you name")


def show_entries(option: Option) -> None:
    for entry in option.entries:
        say(f"     {one_line(json.dumps(entry, ensure_ascii=False))}")
    say_rows([("beyond", option.beyond), ("void", option.void)], indent=3)


EXIT_NOTHING = 1
_SECRET = re.compile(r"\[secret:[a-z0-9-]+#")
_NEVER = ("rules.deny", "floor.")
_ASK, _ALLOW, _POLICY = "permissions.ask", "permissions.allow", "autoMode.allow"
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
    folders: OwnFolders

    def decide(self, settings: Settings) -> Decision | None:
        gate = build_gate(settings, folders=self.folders)
        return asyncio.run(gate.decide(self.call, Session("proposal", self.workspace)))


def propose_rule(
    surroundings: Surroundings, wanted: str, choice: int | None, *, write: bool
) -> None:
    with reading(surroundings.known_state(), surroundings.store()) as db:
        found = stored_record(db, wanted)
    if found.record is None:
        raise BadCall(f"the content of record `{found.id}` was purged", "nothing can be proposed")
    made = offer(surroundings, found.record)
    if write:
        _write(surroundings, made, choice)
        return
    options = [attributes(one, "key entries note exact beyond? void?") for one in made.options]
    remarks = [remark for remark in made.remarks if remark]
    data = {"record": made.record.id, "proposals": options, "remarks": remarks}
    tell(data, lambda: show(made))
    if not made.usable:
        sys.exit(EXIT_NOTHING)


def offer(surroundings: Surroundings, record: Record) -> Offer:
    """What would cover the call of `record`: an allow rule or a sentence of the policy where it was
    stopped, an ask rule where it was allowed."""
    judged = record.source.startswith("classifier.") and record.error is None
    hard = judged and not record.clearable
    if record.denied and (record.source.startswith(_NEVER) or hard):
        why = clearance(record)
        return Offer(record, (), (why.refusal, why.instead))
    if _SECRET.search(record.input):
        remark = "a secret stood in the call, and it was not recorded: write the rule by hand, with"
        return Offer(record, (), (f"{remark} `*` in its place",))
    call, workspace = _call(record), workspace_for(record.cwd)
    settings = surroundings.load(workspace.root).settings
    trial = _Trial(call, workspace, settings, surroundings.own_folders())
    today = trial.decide(settings)
    key = _ASK if record.verdict is Verdict.ALLOW else _ALLOW
    options = list(_patterns(key, trial, today))
    remarks = [] if options else [_NO_PATTERN]
    # A judgement can be talked to; an outage cannot.
    if key == _ALLOW and judged:
        sentence = policy_sentence(call, workspace)
        options += [] if sentence is None else [_sentence(sentence, record, settings, today)]
        remarks += [_NO_SENTENCE] if sentence is None else []
    return Offer(record, tuple(options), (*remarks, *_set_aside(call, settings)))


def _call(record: Record) -> ToolCall:
    try:
        given = json.loads(record.input)
    except (ValueError, RecursionError) as error:
        raise BadCall(
            f"the input of record `{record.id}` was too long to be recorded whole",
            "write the rule by hand",
        ) from error
    return tool_call(record.tool, given if isinstance(given, dict) else {})


def _patterns(key: str, trial: _Trial, today: Decision | None) -> Iterator[Option]:
    exactly = "this call, also within a longer one" if key == _ASK else "exactly this call"
    reads = ReadOnly(remote_reads=trial.settings.remote_reads).proves
    proved = reads if key == _ALLOW else nothing_is_proved
    for one in proposals(trial.call, trial.workspace, READER, proved):
        note = f"{exactly if one.exact else 'this call and others like it'}, in every project"
        changed = trial.decide(_with(trial.settings, key, one.patterns))
        yield Option(key, one.patterns, note, one.beyond, _still(key, today, changed))


def _with(settings: Settings, key: str, patterns: Iterable[str]) -> Settings:
    entries = tuple(Entry(text, Source.USER) for text in patterns)
    rules = settings.permissions
    if key == _ASK:
        return replace(settings, permissions=replace(rules, ask=(*rules.ask, *entries)))
    return replace(settings, permissions=replace(rules, allow=(*rules.allow, *entries)))


def _still(key: str, today: Decision | None, changed: Decision | None) -> str:
    """Why the rule makes no difference; empty where it decides."""
    wanted = Verdict.ASK if key == _ASK else Verdict.ALLOW
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
        _POLICY,
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


def _write(surroundings: Surroundings, made: Offer, choice: int | None) -> None:
    option = _choose(made, choice)
    if option is None:
        if not wants_json():
            show(made)
        if made.usable:
            raise BadCall(
                "nothing was written: no proposal covers this call alone",
                "name one with --choice N; without --write each says what it covers beyond it",
            )
        reasons = dict.fromkeys((*made.remarks, *(one.void for one in made.options)))
        raise BadCall("there is nothing to write", "; ".join(text for text in reasons if text))
    places = surroundings.places(None)
    if not places.user:
        raise BadSettings("--isolated ignores every settings file", "leave it out")
    refuse_agents(surroundings.known_state())
    fresh = ("$defaults",) if option.key == _POLICY else ()
    line = add_entries(places.user[0], option.key, option.entries, fresh=fresh)
    if wants_json():
        written = {"file": places.user[0], "line": line}
        say_json(written | attributes(option, "key entries beyond? void?"))
        return
    say(f"added to `{option.key}` in {places.user[0]}:{line}: {option.note}")
    show_entries(option)


def _choose(made: Offer, choice: int | None) -> Option | None:
    if choice is None:
        return made.alone
    if choice > len(made.options):
        why = "; ".join(remark for remark in made.remarks if remark)
        raise BadCall(f"there is no proposal {choice}", why or "look at them without --write")
    option = made.options[choice - 1]
    if option.void and not option.waits:
        raise BadCall(f"proposal {choice} is void: {option.void}", "choose another one")
    return option
