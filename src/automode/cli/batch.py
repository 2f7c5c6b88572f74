"""Many calls, one per line: a line comes in, a line goes out, and no answer depends on another."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import BinaryIO

from automode.cli.answers import Answered, Answers
from automode.cli.judging import Judging
from automode.cli.printing import OFF, OFF_REASON
from automode.cli.recording import Tried
from automode.cli.surroundings import session_for
from automode.cli.written_call import WrittenCall, decoded, written_call
from automode.config.settings import Settings
from automode.core.decision import Decision, Verdict
from automode.core.errors import AutomodeError, BadCall
from automode.core.paths import normal
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.place import home_folder, recorded_workspace, workspace_for
from automode.gate.gate import Gate

LONGEST_LINE_BYTES = 8 * 1024 * 1024
KEPT_WORKSPACES = 1024
NEUTRAL_FOLDER = "/workspace/project"
BAD_CALL = "gate.bad-call"

NO_JUDGES = Judging()


def lines(stream: BinaryIO, longest: int = LONGEST_LINE_BYTES) -> Iterator[bytes | None]:
    """Line by line. None stands for a line over the limit, which is passed over piece by piece."""
    while line := stream.readline(longest + 1):
        if len(line) <= longest or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(longest)
        yield None


def waits_for_more(stream: BinaryIO) -> bool:
    """Whether somebody may be waiting for each answer: true for everything but a plain file."""
    try:
        return not os.path.isfile(stream.fileno())
    except (OSError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class Batch:
    """`default` is where calls run that do not say so."""

    gate: Gate
    settings: Settings
    attended: bool
    default: Workspace
    judging: Judging = NO_JUDGES

    async def answer(self, line: bytes | None, number: int) -> Answered:
        """Whatever the line holds: no error gets out, and none leads to allow."""
        started = time.perf_counter_ns()
        identity: object = None
        tried: Tried | None = None
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
        return Answered(identity, fields, 0 if line is None else len(line), tried)

    async def _tried(self, call: WrittenCall, started: int) -> Tried | None:
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
        return Tried(proposed, session, decision, _micros(started), self.judging.requests())


async def answer_all(stream: BinaryIO, batch: Batch, answers: Answers) -> None:
    for number, line in enumerate(lines(stream), start=1):
        await answers.take(await batch.answer(line, number))
    await answers.settle()


def neutral_workspace() -> Workspace:
    return recorded_workspace(NEUTRAL_FOLDER)


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
    return decoded(line, "the line", marked=number == 1)


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
    return {
        "verdict": decision.verdict.word,
        "source": decision.source,
        "reason": decision.reason,
    }


def _micros(started: int) -> int:
    return (time.perf_counter_ns() - started) // 1000
