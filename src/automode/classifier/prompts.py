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

DEFAULT_LIMITS = Limits()


def _no_files(session: Session) -> Sequence[ContextFile]:
    return ()


def _transcript_only(session: Session) -> Sequence[Told] | None:
    return None


@dataclass(frozen=True, slots=True)
class Prompts:
    """`files` are the instruction files as loaded when the session started; `told` is what a
    recorder heard, for `visible` mode only."""

    policy: PolicyLists
    process_key: bytes
    limits: Limits = DEFAULT_LIMITS
    redact: bool = True
    files: Callable[[Session], Sequence[ContextFile]] = _no_files
    told: Callable[[Session], Sequence[Told] | None] = _transcript_only

    def __call__(self, call: ToolCall, session: Session, trail: Trail) -> Built:
        return build_prompt(
            call,
            session,
            self.policy,
            framing_key=session_key(self.process_key, session.id),
            limits=self.limits,
            context_files=self.files(session),
            trail=trail,
            told=self.told(session),
            redact=self.redact,
        )
