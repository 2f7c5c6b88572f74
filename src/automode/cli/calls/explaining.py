"""`automode explain`: how a script was read, what every layer says about it, and who decided."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from automode.assemble import READER, build_gate
from automode.cli.calls.call_input import typed_call
from automode.cli.calls.deciding import book_requests, judging, mention
from automode.cli.options import CallOptions, Surroundings, session_for, workspace_at
from automode.cli.printing import (
    attributes,
    columns,
    decision_data,
    faint,
    heading,
    one_line,
    say,
    say_json,
    say_row,
    show_decision,
    verdict_text,
    width,
)
from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision, Remark
from automode.core.session import Session
from automode.core.shell_input import quoted
from automode.core.tools import tool_call
from automode.gate.gate import Gate, Read
from automode.gate.layer import Answer, Layer, Trail
from automode.programs.call_facts import CallFacts
from automode.shell.script import HOLE, Assignment, Command, Origin, Redirect, Script, Word


class AskedOnce:
    """A layer that is asked once for each folder that passes for home, whoever asks: a second
    answer of a model would cost again, and could be another one."""

    def __init__(self, layer: Layer, place: str) -> None:
        self.layer = layer
        self.place = place
        self.answers: dict[str, asyncio.Future[Answer]] = {}

    @property
    def name(self) -> str:
        return self.layer.name

    @property
    def asked(self) -> bool:
        return bool(self.answers)

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        home = session.workspace.home
        if home not in self.answers:
            self.answers[home] = asyncio.ensure_future(self.layer(facts, session, trail))
        return await self.answers[home]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one layer says."""

    place: str  # `standing`, `wall`, `door` or `judge`
    layer: str
    heard: bool  # by the gate, when it decided
    asked: bool  # a judge that the gate did not hear is not asked at all
    decision: Decision | None
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    script: Script | None
    opinions: tuple[Opinion, ...]
    decision: Decision | None

    @property
    def decider(self) -> Opinion | None:
        """The first layer that was heard and says what was decided."""
        if self.decision is None:
            return None
        source = self.decision.source
        heard = (one for one in self.opinions if one.heard)
        return next(
            (one for one in heard if one.decision is not None and one.decision.source == source),
            None,
        )


async def explain_layers(
    gate: Gate, call: ToolCall, session: Session, script: Script | None
) -> Explanation:
    standing = [AskedOnce(layer, "standing") for layer in gate.standing]
    walls = [AskedOnce(layer, "wall") for layer in gate.walls]
    doors = [AskedOnce(layer, "door") for layer in gate.doors]
    judges = [AskedOnce(layer, "judge") for layer in gate.judges]
    decision = await replace(
        gate, standing=standing, walls=walls, doors=doors, judges=judges, approvals=()
    ).decide(call, session)
    layers = [(layer, layer.asked) for layer in (*standing, *walls, *doors, *judges)]
    opinions = [
        await _opinion(layer, gate.read, call, session, heard=heard) for layer, heard in layers
    ]
    return Explanation(script, tuple(opinions), decision)


async def _opinion(
    layer: AskedOnce, read: Read, call: ToolCall, session: Session, *, heard: bool
) -> Opinion:
    """From a gate with this one layer: so that a layer that fails is an answer here too."""
    if layer.place == "judge" and not heard:
        return Opinion(layer.place, layer.name, heard, layer.asked, None, ())
    asking = Session(f"{session.id}/alone", session.workspace, transcript=session.transcript)
    decision = await _alone(layer, read).decide(call, asking)
    spoke = decision is not None and decision.source != "gate.undecided"
    return Opinion(
        layer.place,
        layer.name,
        heard,
        layer.asked,
        decision if spoke else None,
        () if decision is None else _remarks(decision),
    )


def _remarks(decision: Decision) -> tuple[Remark, ...]:
    """Each once: a layer that looks at two homes may note the same for both."""
    return tuple(dict.fromkeys(one for one in decision.trail if one.layer != "gate"))


def _alone(layer: AskedOnce, read: Read) -> Gate:
    match layer.place:
        case "door":
            return Gate([], [layer], [], read=read)
        case "judge":
            return Gate([], [], [layer], read=read)
        case _:
            return Gate([layer], [], [], read=read)


def explain_call(surroundings: Surroundings, options: CallOptions) -> None:
    asked_for = typed_call(options.tool or "bash", options.argument)
    call = tool_call(asked_for.tool, asked_for.input)
    workspace = workspace_at(options.cwd)
    settings = surroundings.load(workspace.root).settings
    session = session_for(settings, workspace, attended=not options.unattended, user=options.user)
    script = None
    if isinstance(call.action, Shell) and call.action.dialect == "bash":
        script = READER.full(call.action.command, workspace)
    asked = judging(surroundings, options, settings)
    own = surroundings.own_folders()
    gate = build_gate(settings, judges=asked.layers, folders=own)
    explanation = asyncio.run(explain_layers(gate, call, session, script))
    mention(asyncio.run(book_requests(surroundings, asked.requests())))
    if options.as_json:
        say_json({"tool": asked_for.tool, **_data(explanation)})
    else:
        _show(explanation, call, workspace.cwd)


def _show(explanation: Explanation, call: ToolCall, folder: str) -> None:
    if explanation.script is not None:
        heading("Read as")
        show_script(explanation.script, folder)
        say()
    elif isinstance(call.action, Shell):
        heading("Read as")
        say(f"  not read: {call.action.dialect} scripts are not understood in full")
        say()
    heading("Layers")
    _show_layers(explanation.opinions, explanation.decider)
    say()
    heading("Decision")
    show_decision(explanation.decision)


def _show_layers(opinions: Sequence[Opinion], decider: Opinion | None) -> None:
    for opinion in opinions:
        mark = ">" if opinion is decider else " "
        name = f"{mark} {opinion.place.ljust(8)}  {opinion.layer.ljust(15)}  "
        word = "-" if opinion.decision is None else opinion.decision.verdict.word
        unheard = "" if opinion.heard else faint(_why_not_heard(opinion))
        verdict = word if opinion.decision is None else verdict_text(word)
        say(f"{name}{verdict}{faint('  decided') if opinion is decider else unheard}")
        columns([("      ", text) for text in _texts(opinion)], indent=6)


def _why_not_heard(opinion: Opinion) -> str:
    return "  (not heard)" if opinion.asked else "  (not asked)"


def _texts(opinion: Opinion) -> list[str]:
    texts = [f"{remark.mark}: {remark.text}" for remark in opinion.remarks]
    if opinion.decision is not None:
        texts.append(f"{opinion.decision.source}: {opinion.decision.reason}")
    return texts


def _data(explanation: Explanation) -> dict[str, object]:
    decider = explanation.decider
    return {
        "reading": None if explanation.script is None else script_data(explanation.script),
        "layers": [
            {
                **attributes(opinion, "place layer heard asked"),
                "decided": opinion is decider,
                "opinion": None if opinion.decision is None else decision_data(opinion.decision),
                "remarks": [attributes(remark, "mark text") for remark in opinion.remarks],
            }
            for opinion in explanation.opinions
        ],
        "decision": decision_data(explanation.decision),
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
    words = [_shown(assignment) for assignment in command.assignments]
    words += [_typed(word) for word in command.words]
    return " ".join(words) or "(no program)"


def _typed(word: Word) -> str:
    """The word as one would type it, so that blanks inside it do not look like blanks between."""
    if word.value is not None:
        return quoted(word.text)
    return f'"{_word(word)}"' if " " in word.text else _word(word)


def _word(word: Word) -> str:
    return word.text.replace(HOLE, UNKNOWN_PART)


def _shown(assignment: Assignment) -> str:
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
        yield "exported", _shown(assignment)
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
