"""The rule that would have covered a recorded call, held against every other rule."""

import asyncio
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from automode.assemble import READER, build_gate
from automode.cli.person import refuse_agents
from automode.cli.printing import labelled, one_line, say, say_json
from automode.cli.surroundings import Surroundings
from automode.config.diagnostics import Source
from automode.config.editing import add_entries
from automode.config.entries import rule_origin
from automode.config.settings import Rule as Entry
from automode.config.settings import Settings
from automode.core.call import ToolCall
from automode.core.clearance import clearance
from automode.core.decision import Verdict
from automode.core.errors import BadCall, BadPattern, BadSettings
from automode.core.record import Record
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.place import workspace_for
from automode.rules.pattern import Rule, parse
from automode.rules.proposal import policy_sentence, proposals
from automode.rules.set_aside import notice
from automode.store.open import reading
from automode.store.tables import record as stored_record

EXIT_NOTHING = 1
_SECRET = re.compile(r"\[secret:[a-z0-9-]+#")
_NEVER = ("rules.deny", "floor.")
_POLICY = "autoMode.allow"


@dataclass(frozen=True, slots=True)
class Option:
    """Entries of one list. `void`: why they would not have helped."""

    key: str
    entries: tuple[str, ...]
    note: str
    void: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    record: Record
    options: tuple[Option, ...]
    remarks: tuple[str, ...]  # why there is not more


def propose_rule(
    surroundings: Surroundings, wanted: str, choice: int | None, *, write: bool, as_json: bool
) -> None:
    with reading(surroundings.known_state(), surroundings.store()) as db:
        found = stored_record(db, wanted)
    if found.record is None:
        raise BadCall(f"the content of record `{found.id}` was purged", "nothing can be proposed")
    made = offer(surroundings, found.record)
    if as_json and not write:
        say_json(_data(made))
    elif not write:
        _show(made)
    else:
        _write(surroundings, made, choice, as_json=as_json)
        return
    if not any(not option.void for option in made.options):
        sys.exit(EXIT_NOTHING)


def offer(surroundings: Surroundings, record: Record) -> Offer:
    """What would cover the call of `record`: an allow rule or a sentence of the policy where it was
    stopped, an ask rule where it was allowed."""
    if record.denied and (record.source.startswith(_NEVER) or _hard(record)):
        why = clearance(record)
        return Offer(record, (), (why.refusal, why.instead))
    if _SECRET.search(record.input):
        remark = "a secret stood in the call, and it was not recorded: write the rule by hand, with"
        return Offer(record, (), (f"{remark} `*` in its place",))
    call = _call(record)
    workspace = workspace_for(record.cwd)
    settings = surroundings.load(workspace.root).settings
    key = "permissions.ask" if record.verdict is Verdict.ALLOW else "permissions.allow"
    options = list(_patterns(key, call, workspace, settings))
    # A judgement can be talked to; an outage cannot.
    judged = record.source.startswith("classifier.") and record.error is None
    sentence = policy_sentence(call, workspace)
    if key == "permissions.allow" and judged and sentence:
        options.append(Option(_POLICY, (sentence,), "the classifier weighs it, and may say no"))
    remarks = [] if options else ["no rule can cover this call: it cannot be read in full"]
    return Offer(record, tuple(options), (*remarks, *_set_aside(call, settings)))


def _hard(record: Record) -> bool:
    judged = record.source.startswith("classifier.") and record.error is None
    return judged and not record.clearable


def _call(record: Record) -> ToolCall:
    try:
        given = json.loads(record.input)
    except (ValueError, RecursionError) as error:
        raise BadCall(
            f"the input of record `{record.id}` was too long to be recorded whole",
            "write the rule by hand",
        ) from error
    return tool_call(record.tool, given if isinstance(given, dict) else {})


def _patterns(
    key: str, call: ToolCall, workspace: Workspace, settings: Settings
) -> Iterator[Option]:
    for one in proposals(call, workspace, READER):
        note = "exactly this call" if one.exact else "this call and others like it"
        changed = _with(settings, key, one.patterns)
        yield Option(key, one.patterns, note, _still(key, call, workspace, changed))


def _with(settings: Settings, key: str, patterns: Iterable[str]) -> Settings:
    entries = tuple(Entry(text, Source.USER) for text in patterns)
    rules = settings.permissions
    if key == "permissions.ask":
        return replace(settings, permissions=replace(rules, ask=(*rules.ask, *entries)))
    return replace(settings, permissions=replace(rules, allow=(*rules.allow, *entries)))


def _still(key: str, call: ToolCall, workspace: Workspace, settings: Settings) -> str:
    """Who would decide otherwise all the same; empty when nobody would."""
    session = Session("proposal", workspace)
    decision = asyncio.run(build_gate(settings).decide(call, session))
    wanted = Verdict.ASK if key == "permissions.ask" else Verdict.ALLOW
    if decision is not None and decision.verdict is wanted:
        return ""
    if decision is None or decision.source == "gate.undecided":
        return "it does not cover the whole call"
    return f"`{decision.source}` decides all the same: {decision.reason}"


def _set_aside(call: ToolCall, settings: Settings) -> Iterator[str]:
    """Allow rules that speak of this call already, and are not applied."""
    for entry in settings.permissions.allow:
        rule = Rule(entry.text, rule_origin(entry))
        said = notice(rule)
        if said is not None and _about(rule, call):
            yield said


def _about(rule: Rule, call: ToolCall) -> bool:
    try:
        return parse(rule).permits(call)
    except BadPattern:
        return False


def _show(made: Offer) -> None:
    say(f"{made.record.id}  {one_line(f'{made.record.tool}  {made.record.action}', 70)}")
    for number, option in enumerate(made.options, start=1):
        say()
        say(f"{number}. in `{option.key}`: {option.note}")
        for entry in option.entries:
            say(f"     {one_line(json.dumps(entry, ensure_ascii=False))}")
        if option.void:
            labelled("void", option.void, indent=3)
    for remark in made.remarks:
        if remark:
            labelled("note", remark, indent=0)
    if any(not option.void for option in made.options):
        say()
        say("--write adds the first that is not void to your settings, --choice N another one")


def _write(surroundings: Surroundings, made: Offer, choice: int | None, *, as_json: bool) -> None:
    option = _chosen(made, choice)
    places = surroundings.places(None)
    if not places.user:
        raise BadSettings("--isolated ignores every settings file", "leave it out")
    refuse_agents(surroundings.known_state())
    fresh = ("$defaults",) if option.key == _POLICY else ()
    line = add_entries(places.user[0], option.key, option.entries, fresh=fresh)
    written = {"file": places.user[0], "line": line, "key": option.key}
    if as_json:
        say_json({**written, "entries": list(option.entries)})
    else:
        say(f"added to `{option.key}` in {places.user[0]}:{line}")


def _chosen(made: Offer, choice: int | None) -> Option:
    usable = [option for option in made.options if not option.void]
    if choice is not None and choice <= len(made.options):
        option = made.options[choice - 1]
        if option.void:
            raise BadCall(f"proposal {choice} is void: {option.void}", "choose another one")
        return option
    if choice is not None or not usable:
        why = "; ".join(remark for remark in made.remarks if remark)
        message = f"there is no proposal {choice}" if choice else "there is nothing to write"
        raise BadCall(message, why or "look at them without --write")
    return usable[0]


def _data(made: Offer) -> dict[str, object]:
    return {
        "record": made.record.id,
        "proposals": [
            {
                "key": option.key,
                "entries": list(option.entries),
                "note": option.note,
                "void": option.void or None,
            }
            for option in made.options
        ],
        "remarks": [remark for remark in made.remarks if remark],
    }
