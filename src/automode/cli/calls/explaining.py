"""`automode explain`: how a script was read, what every layer says about it, and who decided."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from shlex import quote

from automode.assemble import READER
from automode.cli.calls.call_input import typed_call
from automode.cli.calls.deciding import book_requests, decider_for, mention
from automode.cli.options import CallOptions, Surroundings, session_for, workspace_at
from automode.cli.printing import (
    attributes,
    decision_data,
    faint,
    heading,
    one_line,
    paragraph,
    say,
    say_json,
    say_row,
    show_decision,
    verdict_text,
    wants_json,
    width,
)
from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision, Remark
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.gate.gate import Gate, Read
from automode.gate.layer import Answer, Layer, Trail
from automode.programs.call_facts import CallFacts
from automode.shell.script import HOLE, Assignment, Command, Origin, Redirect, Script, Word


class AskedOnce:
    """A layer that is asked once for each folder that passes for home, whoever asks: a second
    answer of a model would cost again, and could be another one. `place` is `standing`, `wall`,
    `door` or `judge`."""

    def __init__(self, layer: Layer, place: str) -> None:
        self.layer = layer
        self.name = layer.name
        self.place = place
        self.answers: dict[str, asyncio.Future[Answer]] = {}

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        home = session.workspace.home
        if home not in self.answers:
            self.answers[home] = asyncio.ensure_future(self.layer(facts, session, trail))
        return await self.answers[home]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one layer says. `heard`: by the gate, when it decided. A judge that the gate did not
    hear is not asked at all."""

    place: str
    layer: str
    heard: bool
    decision: Decision | None = None
    remarks: tuple[Remark, ...] = ()

    @property
    def asked(self) -> bool:
        return self.heard or self.place != "judge"


async def ask_layers(
    gate: Gate, call: ToolCall, session: Session
) -> tuple[list[Opinion], Decision | None]:
    """Every layer's opinion, and what the gate decided."""
    standing = [AskedOnce(layer, "standing") for layer in gate.standing]
    walls = [AskedOnce(layer, "wall") for layer in gate.walls]
    doors = [AskedOnce(layer, "door") for layer in gate.doors]
    judges = [AskedOnce(layer, "judge") for layer in gate.judges]
    decision = await replace(
        gate, standing=standing, walls=walls, doors=doors, judges=judges, approvals=()
    ).decide(call, session)
    layers = [(layer, bool(layer.answers)) for layer in (*standing, *walls, *doors, *judges)]
    opinions = [
        await _opinion(layer, gate.read, call, session, heard=heard) for layer, heard in layers
    ]
    return opinions, decision


async def _opinion(
    layer: AskedOnce,
    read: Read,
    call: ToolCall,
    session: Session,
    *,
    heard: bool,
) -> Opinion:
    """From a gate with this one layer: so that a layer that fails is an answer here too."""
    silent = Opinion(layer.place, layer.name, heard)
    if not silent.asked:
        return silent
    doors = [layer] if layer.place == "door" else []
    judges = [layer] if layer.place == "judge" else []
    walls = [] if doors or judges else [layer]
    asking = Session(f"{session.id}/alone", session.workspace, transcript=session.transcript)
    decision = await Gate(walls, doors, judges, read=read).decide(call, asking)
    if decision is None:
        return silent
    # Each once: a layer that looks at two homes may note the same for both.
    remarks = tuple(dict.fromkeys(one for one in decision.trail if one.layer != "gate"))
    spoke = decision.source != "gate.undecided"
    return replace(silent, decision=decision if spoke else None, remarks=remarks)


def explain_call(surroundings: Surroundings, options: CallOptions) -> None:
    written = typed_call(options.tool or "bash", options.argument)
    call = tool_call(written.tool, written.input)
    workspace = workspace_at(options.cwd)
    settings = surroundings.load(workspace.root).settings
    session = session_for(settings, workspace, attended=not options.unattended, user=options.user)
    script = None
    if isinstance(call.action, Shell) and call.action.dialect != "cmd":
        script = CallFacts(call, workspace, READER).script
    decider = decider_for(surroundings, options, settings)
    opinions, decision = asyncio.run(ask_layers(decider.gate, call, session))
    mention(asyncio.run(book_requests(surroundings, decider.requests())))
    decisive = _decisive(opinions, decision)
    if wants_json():
        data: dict[str, object] = {"tool": written.tool}
        data["reading"] = None if script is None else script_data(script)
        data["layers"] = [_opinion_data(one, decided=one is decisive) for one in opinions]
        say_json(data | {"decision": decision_data(decision)})
        return
    if isinstance(call.action, Shell):
        heading("Read as")
        if script is not None:
            show_script(script, workspace.cwd)
        else:
            say(f"  not read: {call.action.dialect} scripts are not understood in full")
        say()
    heading("Layers")
    for one in opinions:
        _show_opinion(one, decided=one is decisive)
    say()
    heading("Decision")
    show_decision(decision)


def _decisive(opinions: Sequence[Opinion], decision: Decision | None) -> Opinion | None:
    """The first layer that was heard and says what was decided."""
    source = None if decision is None else decision.source
    for one in opinions:
        if one.heard and one.decision is not None and one.decision.source == source:
            return one
    return None


def _show_opinion(opinion: Opinion, *, decided: bool) -> None:
    name = f"{'>' if decided else ' '} {opinion.place.ljust(8)}  {opinion.layer.ljust(15)}  "
    word = "-" if opinion.decision is None else verdict_text(opinion.decision.verdict.word)
    unheard = "(not heard)" if opinion.asked else "(not asked)"
    after = "decided" if decided else "" if opinion.heard else unheard
    say(f"{name}{word}{faint(f'  {after}') if after else ''}")
    texts = [f"{remark.mark}: {remark.text}" for remark in opinion.remarks]
    if opinion.decision is not None:
        texts.append(f"{opinion.decision.source}: {opinion.decision.reason}")
    for text in texts:
        paragraph(text, " " * 14)


def _opinion_data(opinion: Opinion, *, decided: bool) -> dict[str, object]:
    return {
        **attributes(opinion, "place layer heard asked"),
        "decided": decided,
        "opinion": None if opinion.decision is None else decision_data(opinion.decision),
        "remarks": [attributes(remark, "mark text") for remark in opinion.remarks],
    }


UNKNOWN_PART = "…"
_ORIGINS = {
    Origin.LITERAL: "written in the script",
    Origin.GLOB: "file names that match",
    Origin.DERIVED: "made while the script runs",
    Origin.UNKNOWN: "comes from outside the script",
}


def show_script(script: Script, folder: str) -> None:
    """`folder` is where the script starts: only other folders are worth a line."""
    for number, command in enumerate(script.commands, start=1):
        start = f"  {number}. "
        say(start + one_line(_line(command), width() - len(start)))
        for label, text in _notes(command, folder):
            say_row(label, text, indent=len(start))
    if not script.commands:
        say("  no command was found")
    for gap in script.gaps:
        say_row("gap", gap, indent=2)
    if script.complete:
        say(faint("  read in full: both parsers agree"))


def _line(command: Command) -> str:
    """As one would type it, so that blanks inside a word do not look like blanks between words."""
    words = [_assignment_text(assignment) for assignment in command.assignments]
    for word in command.words:
        if word.value is not None:
            words.append(quote(word.text))
        else:
            words.append(f'"{_word(word)}"' if " " in word.text else _word(word))
    return " ".join(words) or "(no program)"


def _word(word: Word) -> str:
    return word.text.replace(HOLE, UNKNOWN_PART)


def _assignment_text(assignment: Assignment) -> str:
    sign = "+=" if assignment.appends else "="
    return f"{assignment.name}{sign}{_word(assignment.value)}"


def _notes(command: Command, folder: str) -> Iterator[tuple[str, str]]:
    if command.via:
        yield "inside", " > ".join(command.via)
    if command.transparent:
        yield "wrapper", "its whole effect is the commands found inside it"
    if command.position:
        yield "pipe", "reads what the command before it writes"
    for redirect in command.redirects:
        yield "redirect", _redirect(redirect)
    for word in command.words:
        if word.value is None:
            yield "dynamic", _unknown(word)
    for assignment in command.environment:
        yield "exported", _assignment_text(assignment)
    yield from _place(command, folder)


def _place(command: Command, folder: str) -> Iterator[tuple[str, str]]:
    if command.elevated:
        yield "elevated", "runs with the rights of another user"
    if command.remote:
        yield "remote", "runs on another machine or in a container"
    if command.cwd != folder:
        yield "folder", command.cwd if command.cwd is not None else "not known"


def _unknown(word: Word) -> str:
    several = "; may be several words" if word.splits else ""
    flag = "; may be an option" if word.could_be_flag else ""
    return f"`{_word(word)}` {_ORIGINS[word.origin]}{several}{flag}"


def _redirect(redirect: Redirect) -> str:
    if redirect.feeds:
        return f"{redirect.fd}{redirect.op} {len(redirect.target.text)} characters of text"
    effect = " (writes)" if redirect.writes else ""
    return f"{redirect.fd}{redirect.op} {_word(redirect.target)}{effect}"


def script_data(script: Script) -> dict[str, object]:
    return {
        "complete": script.complete,
        "gaps": list(script.gaps),
        "commands": [_command_data(command) for command in script.commands],
    }


def _command_data(command: Command) -> dict[str, object]:
    return {
        "program": command.program.replace(HOLE, UNKNOWN_PART),
        "words": [_word_data(word) for word in command.words],
        "assignments": [_assignment_data(one) for one in command.assignments],
        "redirects": [
            attributes(one, "op fd writes") | {"target": _word_data(one.target)}
            for one in command.redirects
        ],
        "environment": [_assignment_data(one) for one in command.environment],
        **attributes(command, "cwd via transparent remote elevated pipeline position"),
    }


def _word_data(word: Word) -> dict[str, object]:
    return {
        "text": _word(word),
        "known": word.value is not None,
        "origin": word.origin.name.lower(),
        "splits": word.splits,
    }


def _assignment_data(assignment: Assignment) -> dict[str, object]:
    return {"name": assignment.name, "value": _word_data(assignment.value)}
