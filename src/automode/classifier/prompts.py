"""How one installation makes its prompts: the parts that stay the same from call to call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from automode.classifier.budget import Limits
from automode.classifier.framing import session_key
from automode.classifier.prompt import Built, ContextFile, PolicyLists, build_prompt
from automode.classifier.transcript import Told
from automode.core.session import Session
from automode.core.transcript import Fact
from automode.gate.layer import Trail
from automode.programs.call_facts import CallFacts

DEFAULT_LIMITS = Limits()


def _no_files(session: Session) -> Sequence[ContextFile]:
    return ()


def _transcript_only(session: Session) -> Sequence[Told] | None:
    return None


def _nothing_established(facts: CallFacts, session: Session) -> Sequence[Fact]:
    return ()


@dataclass(frozen=True, slots=True)
class Prompts:
    """`files` are the instruction files as loaded when the session started; `told` is what a
    recorder heard, for `visible` mode only; `established` is what automode knows of a call."""

    policy: PolicyLists
    process_key: bytes
    limits: Limits = DEFAULT_LIMITS
    redact: bool = True
    files: Callable[[Session], Sequence[ContextFile]] = _no_files
    told: Callable[[Session], Sequence[Told] | None] = _transcript_only
    established: Callable[[CallFacts, Session], Sequence[Fact]] = _nothing_established

    def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Built:
        return build_prompt(
            facts.call,
            session,
            self.policy,
            framing_key=session_key(self.process_key, session.id),
            limits=self.limits,
            context_files=self.files(session),
            trail=trail,
            told=self._told(facts, session),
            redact=self.redact,
        )

    def _told(self, facts: CallFacts, session: Session) -> Sequence[Told] | None:
        """What is true of this call comes last: it changes with each."""
        told, known = self.told(session), self.established(facts, session)
        if not known:
            return told
        return (*(session.transcript.entries if told is None else told), *known)
