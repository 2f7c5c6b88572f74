"""Calls decided for a command, one or a batch: the classifier that is asked, the record kept."""

import asyncio
import os
import time
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

from automode.assemble import READER, build_classifier, build_gate, chosen_model
from automode.cli.calls.call_input import (
    LONGEST_LINE_BYTES,
    WrittenCall,
    answer_lines,
    decode_json,
    typed_call,
    written_call,
)
from automode.cli.options import CallOptions, Surroundings, own_session, session_for, workspace_at
from automode.cli.printing import (
    OFF,
    OFF_REASON,
    attributes,
    count_text,
    decision_data,
    note,
    say_json,
    show_decision,
    standard_input,
    wants_json,
)
from automode.config.settings import Settings
from automode.core.call import ToolCall
from automode.core.decision import Decision, Verdict
from automode.core.errors import AutomodeError, BadCall
from automode.core.paths import normal
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.place import account_name, home_folder, recorded_workspace, workspace_for
from automode.gate.gate import Gate
from automode.gate.layer import Layer
from automode.llm.endpoints import Missing
from automode.llm.ledger import Ledger, Request
from automode.llm.model import Model
from automode.llm.prices import cost_beside
from automode.sessions import status
from automode.sessions.live_session import new_session
from automode.sessions.record_builder import Circumstances, Ids, RecordBuilder
from automode.sessions.status import Ruling
from automode.sessions.usage import bill_of, spent
from automode.store.changes import WRITTEN, Decided, Kept, SessionKept, usage_of
from automode.store.folder import StateFolder, secret
from automode.store.open import reading
from automode.store.tables import usage_rows
from automode.store.writer import Writer

_REMEDY = "look at `automode status`, or decide without a record with --no-record"
EXIT_STATUS = {Verdict.ALLOW: 0, Verdict.ASK: 10, Verdict.DENY: 20, Verdict.HALT: 30}
EXIT_OFF = 10
_WORDS = {OFF: EXIT_OFF, **{verdict.word: status for verdict, status in EXIT_STATUS.items()}}


def model_for(surroundings: Surroundings, settings: Settings) -> Model | Missing:
    """The classifier's model, with the key of this account."""
    environment = {} if surroundings.isolated else dict(os.environ)
    return chosen_model(settings, environment, keyring=surroundings.keys())


def _ledger(surroundings: Surroundings, settings: Settings) -> Ledger | None:
    """Begins with what the day's session has spent: without it no budget could ever be spent. The
    user's own servers have no price, whatever they are called."""
    folder = surroundings.state()
    if surroundings.isolated or folder is None:
        return None
    ledger = Ledger(price=cost_beside({server.name for server in settings.providers}))
    if settings.budget_usd is not None:
        day = own_session()
        with reading(folder, surroundings.store()) as db:
            bill = bill_of(usage_rows(db, sessions=[day]))
        ledger.add_earlier(str(day), bill.spent(str(day)))
    return ledger


@dataclass(frozen=True, slots=True)
class DecidedCall:
    """A call that a command had decided. `decision` None: auto mode is off."""

    call: ToolCall
    session: Session
    decision: Decision | None
    micros: int
    requests: Sequence[Request] = ()


@dataclass(frozen=True, slots=True)
class Decider:
    """The gate as a command uses it. `ledger` None: what is used counts for no budget."""

    gate: Gate
    settings: Settings
    attended: bool
    ledger: Ledger | None

    async def decide(
        self, written: WrittenCall, workspace: Workspace, user: str | None = None
    ) -> DecidedCall:
        call = tool_call(written.tool, written.input)
        session = session_for(
            self.settings,
            workspace,
            attended=self.attended,
            transcript=written.transcript,
            user=user,
        )
        started = time.perf_counter_ns()
        decision = await self.gate.decide(call, session)
        micros = (time.perf_counter_ns() - started) // 1000
        return DecidedCall(call, session, decision, micros, self.requests())

    def requests(self) -> tuple[Request, ...]:
        """Those to the model since this was last asked."""
        return () if self.ledger is None else self.ledger.take(str(own_session()))


def decider_for(surroundings: Surroundings, options: CallOptions, settings: Settings) -> Decider:
    """Raises StoreError when a budget is set and the store cannot say what was spent."""
    judges: list[Layer] = []
    ledger = None
    if not options.no_classifier:
        model = model_for(surroundings, settings)
        # Without a model nothing is ever used: the store need not be read.
        if not options.no_record and not isinstance(model, Missing):
            ledger = _ledger(surroundings, settings)
        judges = [build_classifier(settings, model, ledger=ledger)]
    gate = build_gate(settings, judges=judges, folders=surroundings.own_folders())
    return Decider(gate, settings, not options.unattended, ledger)


class Recording:
    """`async with`. Raises AutomodeError at its beginning where nothing can be kept at all."""

    def __init__(self, folder: StateFolder, store: str) -> None:
        self._writer = Writer(folder.prepared(), store)
        self._key = own_session()
        self._builder = RecordBuilder(secret(folder.signing_key), account_name(), READER)
        self._ids = Ids()
        self._live = new_session(self._key, time.time())

    async def __aenter__(self) -> Self:
        await self._writer.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._writer.close()

    async def keep(self, one: DecidedCall, decision: Decision) -> tuple[Kept, str]:
        """Whether it is written, and the id of its record."""
        made = Circumstances(
            self._ids.new(), time.time(), self._key, None, one.session, one.micros, one.requests
        )
        record = self._builder.record(one.call, self._builder.written(one.call), decision, made)
        session = self._live.session
        session.workspace, session.attended = one.session.workspace, one.session.attended
        self._live.seen = time.time()
        row = SessionKept(self._live.row(self._builder.brief))
        used = usage_of(record.id, record.at, self._key, None, record.stages)
        return await self._writer.append([row, Decided(record), *used]), record.id

    async def book(self, requests: Iterable[Request]) -> Kept:
        """Requests to models that decided nothing: they count for the budget all the same."""
        stages = [spent(one) for one in requests]
        changes = usage_of(self._ids.new(), time.time(), self._key, None, stages)
        return await self._writer.append(list(changes))


def _open_recording(surroundings: Surroundings, *, wanted: bool) -> Recording | None:
    """None where nothing is to be recorded. Raises AutomodeError where it cannot be."""
    folder = surroundings.state()
    if not wanted or surroundings.isolated or folder is None:
        return None
    return Recording(folder, surroundings.store())


def unless_lost(decision: Decision, kept: Kept, *, attended: bool) -> Decision:
    """As for agents, with the remedy for a person at a terminal."""
    return status.unless_lost(decision, kept, _REMEDY, attended=attended)


def _not_kept(error: AutomodeError) -> Kept:
    return Kept(f"{error} ({error.hint})" if error.hint else str(error))


def mention(kept: Kept | None) -> None:
    """On standard error, what is not in the store."""
    if kept is not None and kept.lost:
        note(f"nothing was recorded: {kept.reason}")


async def book_requests(surroundings: Surroundings, requests: Sequence[Request]) -> Kept | None:
    """What became of requests that decided nothing; None when there was nothing to keep."""
    try:
        keeping = _open_recording(surroundings, wanted=bool(requests))
        if keeping is None:
            return None
        async with keeping:
            return await keeping.book(requests)
    except AutomodeError as error:
        return _not_kept(error)


def decide_calls(surroundings: Surroundings, options: CallOptions) -> int:
    """One call or a batch; returns the exit status."""
    if options.record and (options.no_record or options.file is None):
        raise BadCall("--record is for batches, and excludes --no-record", "leave it out")
    if options.fail_on is not None and options.file is None:
        raise BadCall("--fail-on is for batches", "leave it out: the status says the verdict")
    if options.file is None:
        return decide_one(surroundings, options)
    if options.tool is not None or options.user is not None:
        raise BadCall("a batch brings its own calls", "leave out TOOL, ARGUMENT and --user")
    return decide_batch(surroundings, options, options.file)


def decide_one(surroundings: Surroundings, options: CallOptions) -> int:
    """Prints the decision; returns the exit status. Without a tool the call is piped in."""
    call = _from_stdin() if options.tool is None else typed_call(options.tool, options.argument)
    workspace = workspace_at(options.cwd or call.cwd)
    loaded = surroundings.load(workspace.root)
    decider = decider_for(surroundings, options, loaded.settings)
    ruling = asyncio.run(_rule(surroundings, options, decider, call, workspace))
    decision = ruling.decision
    if wants_json():
        data = {"tool": call.tool, **decision_data(decision), "micros": ruling.micros}
        say_json(data | {"record": ruling.record})
    else:
        show_decision(decision)
        if count := len(loaded.diagnostics):
            found = count_text(count, "finding")
            note(f"{found} in the settings; `automode status` lists them")
    mention(ruling.kept)
    return EXIT_OFF if decision is None else EXIT_STATUS[decision.verdict]


async def _rule(
    surroundings: Surroundings,
    options: CallOptions,
    decider: Decider,
    call: WrittenCall,
    workspace: Workspace,
) -> Ruling:
    """The decision as it may be answered, with what became of its record."""
    decided = await decider.decide(call, workspace, options.user)
    decision, name, kept = decided.decision, None, None
    if decision is None:
        return Ruling(None, micros=decided.micros)
    try:
        keeping = _open_recording(surroundings, wanted=not options.no_record)
        if keeping is not None:
            async with keeping:
                kept, name = await keeping.keep(decided, decision)
    except AutomodeError as error:
        kept = _not_kept(error)
    if kept is not None:
        decision = unless_lost(decision, kept, attended=decider.attended)
    return Ruling(decision, name, kept, decided.micros)


def _from_stdin() -> WrittenCall:
    stream = standard_input()
    text = b"" if stream.isatty() else stream.read(LONGEST_LINE_BYTES + 1)
    if not text.strip():
        usage = "name a tool and its argument, or pipe a JSON object in"
        raise BadCall("no call to decide", usage)
    if len(text) > LONGEST_LINE_BYTES:
        raise BadCall(f"a call of more than {LONGEST_LINE_BYTES} bytes", "send a smaller one")
    return written_call(decode_json(text, "the call on standard input", marked=True))


KEPT_WORKSPACES = 1024
NEUTRAL_FOLDER = "/workspace/project"
BAD_CALL = "gate.bad-call"


async def _answer(
    decider: Decider, default: Workspace, line: bytes | None, number: int
) -> tuple[dict[str, object], DecidedCall | None]:
    """Whatever the line holds: no error gets out, and none leads to allow. `default` is where calls
    run that do not say so."""
    started = time.perf_counter_ns()
    fields: dict[str, object] = {"id": None}
    decided: DecidedCall | None = None
    try:
        if line is None:
            raise BadCall(f"a line of more than {LONGEST_LINE_BYTES} bytes")
        value = decode_json(line, "the line", marked=number == 1)
        fields["id"] = value.get("id") if isinstance(value, dict) else None
        call = written_call(value)
        decided = await decider.decide(call, _workspace(call.cwd, call.home, default))
        fields |= _fields(decided.decision)
    except AutomodeError as error:
        fields |= _bad(number, str(error))
    except (RecursionError, ValueError) as error:
        fields |= _bad(number, f"unreadable call ({type(error).__name__})")
    fields["micros"] = (time.perf_counter_ns() - started) // 1000
    return fields, decided


@lru_cache(maxsize=KEPT_WORKSPACES)
def _workspace(cwd: str | None, given_home: str | None, default: Workspace) -> Workspace:
    home = None if given_home is None else normal(given_home)
    if home is not None and not home.startswith("/"):
        raise BadCall("`home` of a call is no absolute path", "leave it out")
    if cwd is None:
        return default if home is None else replace(default, home=home)
    if cwd == "~" or cwd.startswith("~/"):
        cwd = (home or home_folder()) + cwd[1:]
    if cwd.startswith("/"):
        return workspace_for(cwd, home)
    # A relative or a foreign path means nothing here, even where a folder is called the same.
    return recorded_workspace(cwd, home)


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


def decide_batch(surroundings: Surroundings, options: CallOptions, file: str) -> int:
    """Returns the exit status. Settings of a project count only where `--cwd` names it: rows come
    from anywhere."""
    workspace = None if options.cwd is None else workspace_at(options.cwd)
    settings = surroundings.load(None if workspace is None else workspace.root).settings
    decider = decider_for(surroundings, options, settings)
    recording = _batch_recording(surroundings, options, decider)
    default = workspace or recorded_workspace(NEUTRAL_FOLDER)
    lost: list[Kept] = []
    strictest = 0

    async def answer(line: bytes | None, number: int) -> dict[str, object]:
        fields, decided = await _answer(decider, default, line, number)
        if recording is not None and decided is not None:
            kept = await _keep(recording, decided, fields, decisions=options.record)
            lost.extend([kept] if kept.lost else [])
        nonlocal strictest
        strictest = max(strictest, _WORDS[str(fields["verdict"])])
        return fields

    async def answer_all() -> None:
        async with recording or nullcontext():
            await answer_lines(file, answer)

    asyncio.run(answer_all())
    mention(lost[-1] if lost else None)
    fails = options.fail_on is not None and strictest >= _WORDS[options.fail_on]
    return strictest if fails else 0


def _batch_recording(
    surroundings: Surroundings, options: CallOptions, decider: Decider
) -> Recording | None:
    """A batch that asks no model has nothing to book, and need not wait for a store. One that only
    books goes on without a store as well."""
    try:
        return _open_recording(surroundings, wanted=options.record or decider.ledger is not None)
    except AutomodeError as error:
        if options.record:
            raise
        mention(_not_kept(error))
        return None


async def _keep(
    recording: Recording, decided: DecidedCall, fields: dict[str, object], *, decisions: bool
) -> Kept:
    """Records the decision, or only what models were asked about it. An allow that could not be
    recorded does not count."""
    decision = decided.decision
    if decision is None or not decisions:
        return await recording.book(decided.requests) if decided.requests else WRITTEN
    kept, _ = await recording.keep(decided, decision)
    fields |= _fields(unless_lost(decision, kept, attended=decided.session.attended))
    return kept
