"""How one installation makes its prompts: the parts that stay the same from call to call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from automode.classifier.budget import Limits
from automode.classifier.framing import session_key
from automode.classifier.prompt import Built, ContextFile, PolicyLists, build_prompt
from automode.classifier.transcript import Told
from automode.core.call import ToolCall
from automode.core.layer import Trail
from automode.core.session import Session
from automode.core.transcript import Fact

DEFAULT_LIMITS = Limits()


def _no_files(session: Session) -> Sequence[ContextFile]:
    return ()


def _transcript_only(session: Session) -> Sequence[Told] | None:
    return None


def _nothing_established(call: ToolCall, session: Session) -> Sequence[Fact]:
    return ()


@dataclass(frozen=True, slots=True)
class Prompts:
    """`files` are the instruction files as loaded when the session started; `told` is what a
    recorder heard, for `visible` mode only; `facts` are what can be established about a call."""

    policy: PolicyLists
    process_key: bytes
    limits: Limits = DEFAULT_LIMITS
    redact: bool = True
    files: Callable[[Session], Sequence[ContextFile]] = _no_files
    told: Callable[[Session], Sequence[Told] | None] = _transcript_only
    facts: Callable[[ToolCall, Session], Sequence[Fact]] = _nothing_established

    def __call__(self, call: ToolCall, session: Session, trail: Trail) -> Built:
        return build_prompt(
            call,
            session,
            self.policy,
            framing_key=session_key(self.process_key, session.id),
            limits=self.limits,
            context_files=self.files(session),
            trail=trail,
            told=self._told(call, session),
            redact=self.redact,
        )

    def _told(self, call: ToolCall, session: Session) -> Sequence[Told] | None:
        """What is true of this call comes last: it changes with each."""
        told, facts = self.told(session), self.facts(call, session)
        if not facts:
            return told
        return (*(session.transcript.entries if told is None else told), *facts)
