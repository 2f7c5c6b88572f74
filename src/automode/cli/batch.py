"""`automode check --batch`: one line of answer for each line of input, each on its own."""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import BinaryIO

from automode.assemble import build_gate
from automode.cli.call_input import (
    LONGEST_LINE_BYTES,
    WrittenCall,
    decode_json,
    lines,
    waits_for_more,
    written_call,
)
from automode.cli.deciding import (
    DecidedCall,
    Judging,
    Recording,
    judging,
    mention,
    not_kept,
    recording_for,
    unless_lost,
)
from automode.cli.options import CallOptions
from automode.cli.printing import OFF, OFF_REASON, attributes, standard_input, standard_output
from automode.cli.surroundings import Surroundings, session_for, workspace_at
from automode.config.settings import Settings
from automode.core.decision import Decision, Verdict
from automode.core.errors import AutomodeError, BadCall
from automode.core.paths import normal
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.place import home_folder, recorded_workspace, workspace_for
from automode.gate.gate import Gate
from automode.store.changes import WRITTEN, Kept

MOST_AT_ONCE = 500
BYTES_AT_ONCE = 1024 * 1024  # of lines that were read: so that memory stays flat

_encode = json.JSONEncoder(allow_nan=False).encode
KEPT_WORKSPACES = 1024
NEUTRAL_FOLDER = "/workspace/project"
BAD_CALL = "gate.bad-call"

NO_JUDGES = Judging()


@dataclass(slots=True)
class BatchAnswer:
    """`tried` None: nothing was decided that could be recorded. `size` is that of the line."""

    identity: object
    fields: dict[str, object]
    size: int
    tried: DecidedCall | None = None

    def line(self) -> str:
        try:
            return _encode({"id": self.identity} | self.fields)
        except (RecursionError, ValueError):
            return _encode({"id": None} | self.fields)  # an id that cannot be written down

    def tightened(self, kept: Kept) -> None:
        """An allow that nobody could look up is none."""
        if self.tried is None or not kept.lost:
            return
        attended = self.tried.session.attended
        decision = unless_lost(self.tried.decision, kept, attended=attended)
        self.fields |= _fields(decision)


@dataclass(slots=True)
class Answers:
    """`at_once`: somebody waits for each. `decisions`: they are recorded, and not only what models
    were asked about them."""

    write: Callable[[str], None]
    at_once: bool = True
    recording: Recording | None = None
    decisions: bool = False
    kept: Kept = WRITTEN  # the last that was not written
    _waiting: list[BatchAnswer] = field(default_factory=list)
    _size: int = 0

    async def take(self, answered: BatchAnswer) -> None:
        if self.recording is None:
            self.write(answered.line())
            return
        self._waiting.append(answered)
        self._size += answered.size
        many = len(self._waiting) >= MOST_AT_ONCE or self._size >= BYTES_AT_ONCE
        if self.at_once or many:
            await self.settle()

    async def settle(self) -> None:
        """Records what waits, then writes it out."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        if self.recording is not None:
            await self._record(self.recording, waiting)
        for one in waiting:
            self.write(one.line())

    async def _record(self, recording: Recording, waiting: list[BatchAnswer]) -> None:
        tried = [one.tried for one in waiting if one.tried is not None]
        requests = [request for one in tried for request in one.requests]
        kept = WRITTEN
        if self.decisions and tried:
            kept, _ = await recording.keep(tried)
            for one in waiting:
                one.tightened(kept)
        elif requests:
            kept = await recording.book(requests)
        if kept.lost:
            self.kept = kept


@dataclass(frozen=True, slots=True)
class Batch:
    """`default` is where calls run that do not say so."""

    gate: Gate
    settings: Settings
    attended: bool
    default: Workspace
    judging: Judging = NO_JUDGES

    async def answer(self, line: bytes | None, number: int) -> BatchAnswer:
        """Whatever the line holds: no error gets out, and none leads to allow."""
        started = time.perf_counter_ns()
        identity: object = None
        tried: DecidedCall | None = None
        try:
            value = _value(line, number)
            identity = value.get("id") if isinstance(value, dict) else None
            tried = await self._tried(written_call(value), started)
            fields = _fields(None if tried is None else tried.decision)
        except AutomodeError as error:
            fields = _bad(number, str(error))
        except (RecursionError, ValueError) as error:
            fields = _bad(number, f"unreadable call ({type(error).__name__})")
        fields["micros"] = _micros(started)
        return BatchAnswer(identity, fields, 0 if line is None else len(line), tried)

    async def _tried(self, call: WrittenCall, started: int) -> DecidedCall | None:
        proposed = tool_call(call.tool, call.input)
        session = session_for(
            self.settings,
            self.default if call.cwd is None else _workspace(call.cwd, call.home),
            attended=self.attended,
            transcript=call.transcript,
        )
        if call.cwd is None and call.home is not None:
            session.workspace = replace(self.default, home=_absolute(call.home))
        decision = await self.gate.decide(proposed, session)
        if decision is None:
            return None
        return DecidedCall(proposed, session, decision, _micros(started), self.judging.requests())


async def answer_all(stream: BinaryIO, batch: Batch, answers: Answers) -> None:
    for number, line in enumerate(lines(stream), start=1):
        await answers.take(await batch.answer(line, number))
    await answers.settle()


@lru_cache(maxsize=KEPT_WORKSPACES)
def _workspace(cwd: str, given_home: str | None) -> Workspace:
    home = None if given_home is None else _absolute(given_home)
    if cwd == "~" or cwd.startswith("~/"):
        cwd = (home or home_folder()) + cwd[1:]
    if cwd.startswith("/"):
        return workspace_for(cwd, home)
    # A relative or a foreign path means nothing here, even where a folder is called the same.
    return recorded_workspace(cwd, home)


def _absolute(home: str) -> str:
    if not normal(home).startswith("/"):
        raise BadCall("`home` of a call is no absolute path", "leave it out")
    return normal(home)


def _value(line: bytes | None, number: int) -> object:
    if line is None:
        raise BadCall(f"a line of more than {LONGEST_LINE_BYTES} bytes")
    return decode_json(line, "the line", marked=number == 1)


def _bad(number: int, problem: str) -> dict[str, object]:
    return {
        "verdict": Verdict.DENY.word,
        "source": BAD_CALL,
        "reason": f"the call cannot be read: {problem}",
        "error": f"line {number}: {problem}",
    }


def _fields(decision: Decision | None) -> dict[str, object]:
    if decision is None:
        return {"verdict": OFF, "source": "", "reason": OFF_REASON}
    return attributes(decision, "verdict source reason")


def _micros(started: int) -> int:
    return (time.perf_counter_ns() - started) // 1000


def decide_batch(surroundings: Surroundings, options: CallOptions, file: str) -> None:
    """Settings of a project count only where `--cwd` names it: rows come from anywhere."""
    workspace = None if options.cwd is None else workspace_at(options.cwd)
    settings = surroundings.load(None if workspace is None else workspace.root).settings
    judges = judging(surroundings, options, settings)
    deciding = Batch(
        build_gate(settings, judges=judges.layers, folders=surroundings.own_folders()),
        settings,
        not options.unattended,
        workspace or recorded_workspace(NEUTRAL_FOLDER),
        judges,
    )
    recording = _batch_recording(surroundings, options, judges)
    output = standard_output()
    with nullcontext(standard_input()) if file == "-" else open(file, "rb") as stream:
        at_once = waits_for_more(stream)
        write = _writer(output, flushes=at_once)
        answers = Answers(write, at_once, recording, decisions=options.record)
        asyncio.run(_answer_lines(stream, deciding, answers))
    output.flush()  # here, where a full disk is still an error that can be reported
    mention(answers.kept)


def _batch_recording(
    surroundings: Surroundings, options: CallOptions, judges: Judging
) -> Recording | None:
    """A batch that asks no model has nothing to book, and need not wait for a store. One that only
    books goes on without a store as well."""
    try:
        return recording_for(surroundings, wanted=options.record or judges.ledger is not None)
    except AutomodeError as error:
        if options.record:
            raise
        mention(not_kept(error))
        return None


async def _answer_lines(stream: BinaryIO, deciding: Batch, answers: Answers) -> None:
    async with answers.recording or nullcontext():
        await answer_all(stream, deciding, answers)


def _writer(output: BinaryIO, *, flushes: bool) -> Callable[[str], None]:
    def write(line: str) -> None:
        output.write(line.encode() + b"\n")
        if flushes:
            output.flush()

    return write
