"""`automode explain`: how a script was read, what every layer says about it, and who decided."""

import asyncio

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
from automode.core.call import Shell
from automode.core.tools import tool_call
from automode.gate.opinions import Opinion, ask_layers, decisive
from automode.programs.call_facts import CallFacts
from automode.shell.describing import UNKNOWN_PART, command_line, command_notes, word_text
from automode.shell.script import HOLE, Assignment, Command, Script, Word


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
    decided_by = decisive(opinions, decision)
    if wants_json():
        data: dict[str, object] = {"tool": written.tool}
        data["reading"] = None if script is None else script_data(script)
        data["layers"] = [_opinion_data(one, decided=one is decided_by) for one in opinions]
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
        _show_opinion(one, decided=one is decided_by)
    say()
    heading("Decision")
    show_decision(decision)


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


def show_script(script: Script, folder: str) -> None:
    """`folder` is where the script starts: only other folders are worth a line."""
    for number, command in enumerate(script.commands, start=1):
        start = f"  {number}. "
        say(start + one_line(command_line(command), width() - len(start)))
        for label, text in command_notes(command, folder):
            say_row(label, text, indent=len(start))
    if not script.commands:
        say("  no command was found")
    for gap in script.gaps:
        say_row("gap", gap, indent=2)
    if script.complete:
        say(faint("  read in full: both parsers agree"))


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
        "text": word_text(word),
        "known": word.value is not None,
        "origin": word.origin.name.lower(),
        "splits": word.splits,
    }


def _assignment_data(assignment: Assignment) -> dict[str, object]:
    return {"name": assignment.name, "value": _word_data(assignment.value)}
