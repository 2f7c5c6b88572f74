"""`automode check`: decides one call, or a batch. Nothing is run."""

import asyncio
import io
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import BinaryIO

import click

from automode.assemble import build_gate
from automode.cli import batch
from automode.cli.answers import Answers
from automode.cli.judging import Judging, judging
from automode.cli.printing import decision_data, say_json, show_decision
from automode.cli.recording import Recording, Tried, lost, mention, recorded, recording_for
from automode.cli.surroundings import Surroundings, session_for, settings_options, workspace_at
from automode.cli.tool_argument import complete_tool, typed_input
from automode.cli.written_call import WrittenCall, decoded, written_call
from automode.config.load import Loaded
from automode.config.settings import Settings
from automode.core.call import ToolCall
from automode.core.decision import Verdict
from automode.core.errors import AutomodeError, BadCall
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.gate.gate import Gate
from automode.sessions.status import Ruling

EXIT_STATUS = {Verdict.ALLOW: 0, Verdict.ASK: 10, Verdict.DENY: 20, Verdict.HALT: 30}
EXIT_OFF = 10
LARGEST_CALL_BYTES = batch.LONGEST_LINE_BYTES


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options of `check` ask for."""

    user: str | None
    cwd: str | None
    attended: bool
    as_json: bool
    classifier: bool = True
    recorded: bool = True
    batch: bool = False  # whether the decisions of a batch are recorded too


@click.command()
@click.argument("tool", required=False, shell_complete=complete_tool)
@click.argument("argument", nargs=-1)
@click.option("--batch", "file", metavar="FILE", help="Decide one JSON line each; `-` is stdin.")
@click.option("--user", metavar="TEXT", help="What the user asked for, in their own words.")
@click.option(
    "--cwd",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="The folder the call would run in; default: the current one.",
)
@click.option("--unattended", is_flag=True, help="Nobody is there to answer: ask becomes deny.")
@click.option("--no-classifier", is_flag=True, help="Leave the classifier out.")
@click.option("--no-record", is_flag=True, help="Record neither the decision nor its cost.")
@click.option("--record", is_flag=True, help="Record the decisions of a batch, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
def check(
    surroundings: Surroundings,
    tool: str | None,
    argument: tuple[str, ...],
    file: str | None,
    user: str | None,
    cwd: str | None,
    *,
    unattended: bool,
    no_classifier: bool,
    no_record: bool,
    record: bool,
    as_json: bool,
) -> None:
    """Decide one call, or a batch. Nothing is run.

    \b
      automode check bash 'git push -f'
      automode check write src/a.py
      automode check --json < call.json
      automode check --batch calls.jsonl

    Without TOOL the call is read from standard input, as a JSON object with `tool` and `input`.
    The exit status says the verdict: 0 allow, 10 ask, 20 deny, 30 halt.
    """
    wishes = Wishes(
        user,
        cwd,
        not unattended,
        as_json,
        classifier=not no_classifier,
        recorded=not no_record,
        batch=record,
    )
    if record and (no_record or file is None):
        raise BadCall("--record is for batches, and excludes --no-record", "leave it out")
    if file is not None:
        if tool is not None or user is not None:
            raise BadCall("a batch brings its own calls", "leave out TOOL, ARGUMENT and --user")
        decide_batch(surroundings, wishes, file)
        return
    call = _from_stdin() if tool is None else WrittenCall(tool, typed_input(tool, argument))
    sys.exit(decide_one(surroundings, wishes, call))


def decide_one(surroundings: Surroundings, wishes: Wishes, call: WrittenCall) -> int:
    """Prints the decision; returns the exit status."""
    proposed = tool_call(call.tool, call.input)
    workspace = workspace_at(wishes.cwd or call.cwd)
    loaded = surroundings.load(workspace.root)
    session = session_for(
        loaded.settings,
        workspace,
        attended=wishes.attended,
        transcript=call.transcript,
        user=wishes.user,
    )
    judges = _judges(surroundings, wishes, loaded.settings)
    gate = build_gate(loaded.settings, judges=judges.layers, folders=surroundings.own_folders())
    ruling = asyncio.run(_ruled(surroundings, wishes, gate, judges, proposed, session))
    decision = ruling.decision
    if wishes.as_json:
        data = {"tool": call.tool, **decision_data(decision), "micros": ruling.micros}
        say_json(data | {"record": ruling.record})
    else:
        show_decision(decision)
        _mention_findings(loaded)
    mention(ruling.kept)
    return EXIT_OFF if decision is None else EXIT_STATUS[decision.verdict]


async def _ruled(
    surroundings: Surroundings,
    wishes: Wishes,
    gate: Gate,
    judges: Judging,
    call: ToolCall,
    session: Session,
) -> Ruling:
    started = time.perf_counter_ns()
    decision = await gate.decide(call, session)
    micros = (time.perf_counter_ns() - started) // 1000
    if decision is None:
        return Ruling(None, micros=micros)
    tried = Tried(call, session, decision, micros, judges.requests())
    return await recorded(surroundings, tried, wanted=wishes.recorded)


def _judges(surroundings: Surroundings, wishes: Wishes, settings: Settings) -> Judging:
    return judging(surroundings, settings, wanted=wishes.classifier, recorded=wishes.recorded)


def decide_batch(surroundings: Surroundings, wishes: Wishes, file: str) -> None:
    """Settings of a project count only where `--cwd` names it: rows come from anywhere."""
    workspace = None if wishes.cwd is None else workspace_at(wishes.cwd)
    settings = surroundings.load(None if workspace is None else workspace.root).settings
    judges = _judges(surroundings, wishes, settings)
    deciding = batch.Batch(
        build_gate(settings, judges=judges.layers, folders=surroundings.own_folders()),
        settings,
        wishes.attended,
        workspace or batch.neutral_workspace(),
        judges,
    )
    recording = _batch_recording(surroundings, wishes, judges)
    output = standard_output()
    with nullcontext(standard_input()) if file == "-" else open(file, "rb") as stream:
        at_once = batch.waits_for_more(stream)
        write = _writer(output, flushes=at_once)
        answers = Answers(write, at_once, recording, decisions=wishes.batch)
        asyncio.run(_answered(stream, deciding, answers))
    output.flush()  # here, where a full disk is still an error that can be reported
    mention(answers.kept)


def _batch_recording(
    surroundings: Surroundings, wishes: Wishes, judges: Judging
) -> Recording | None:
    """A batch that asks no model has nothing to book, and need not wait for a store. One that only
    books goes on without a store as well."""
    try:
        return recording_for(surroundings, wanted=wishes.batch or judges.ledger is not None)
    except AutomodeError as error:
        if wishes.batch:
            raise
        mention(lost(error))
        return None


async def _answered(stream: BinaryIO, deciding: batch.Batch, answers: Answers) -> None:
    async with answers.recording or nullcontext():
        await batch.answer_all(stream, deciding, answers)


def standard_input() -> BinaryIO:
    """What is piped in; nothing where the caller closed it."""
    return io.BytesIO() if sys.stdin is None else sys.stdin.buffer


def standard_output() -> BinaryIO:
    if sys.stdout is None:
        raise BadCall("standard output is closed: nobody would get the answers", "leave it open")
    return sys.stdout.buffer


def _writer(output: BinaryIO, *, flushes: bool) -> Callable[[str], None]:
    def write(line: str) -> None:
        output.write(line.encode() + b"\n")
        if flushes:
            output.flush()

    return write


def _from_stdin() -> WrittenCall:
    stream = standard_input()
    usage = "name a tool and its argument, or pipe a JSON object in"
    if stream.isatty():
        raise BadCall("no call to decide", usage)
    text = stream.read(LARGEST_CALL_BYTES + 1)
    if not text.strip():
        raise BadCall("no call to decide", usage)
    if len(text) > LARGEST_CALL_BYTES:
        raise BadCall(f"a call of more than {LARGEST_CALL_BYTES} bytes", "send a smaller one")
    return written_call(decoded(text, "the call on standard input", marked=True))


def _mention_findings(loaded: Loaded) -> None:
    count = len(loaded.diagnostics)
    if count:
        things = "1 finding" if count == 1 else f"{count} findings"
        click.echo(f"note: {things} in the settings; `automode status` lists them", err=True)
