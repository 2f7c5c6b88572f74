"""Who may speak for a session: what loosens something is believed of the session's own agent alone.

Whoever holds a hook's token can tell the daemon anything. So the process that tells of a person's
yes, or of how a session begins and ends, is looked at: it has to be a hook that the agent started,
or the agent itself.
"""

import asyncio
from dataclasses import dataclass, replace

from automode.agents.events import (
    Adapter,
    CallFinished,
    HookProcess,
    HostEvent,
    PersonSaid,
    PromptTyped,
    SessionEnded,
    SessionStarted,
    Speaker,
    TurnEnded,
)
from automode.core.record import SessionKey
from automode.daemon.agents import Agents, Voice
from automode.daemon.peers import Peer
from automode.facts.claude_record import prompt_is_machine_made
from automode.sessions.live_session import LiveSession
from automode.sessions.record_builder import parent_id, session_key
from automode.sessions.registry import SessionRegistry


@dataclass(frozen=True, slots=True)
class Teller:
    """Whoever tells something: the process, where it can be seen, and whose adapter reads it.
    `itself`: it claims to be the agent, and no hook that the agent started."""

    adapter: Adapter
    peer: Peer | None
    itself: bool
    hooks: HookProcess | None = None

    @classmethod
    def hook(cls, adapter: Adapter, peer: Peer | None) -> "Teller":
        abilities = adapter.abilities
        return cls(adapter, peer, abilities.itself, abilities.hooks)

    @classmethod
    def program(cls, adapter: Adapter, peer: Peer | None) -> "Teller":
        """One that speaks JSON is the agent, unless that is known to speak by its hooks alone."""
        abilities = adapter.abilities
        itself = abilities.itself or abilities.hooks is None
        return cls(adapter, peer, itself, abilities.hooks)

    @property
    def still_there(self) -> bool:
        """Asked after its voice was looked at; see `Peer.still_there`."""
        return self.peer is not None and self.peer.still_there()

    def voice(self, speaker: Speaker) -> Voice | None:
        """None for who came over the network, or cannot be seen: see `Peer.is_process`."""
        if self.peer is None or self.peer.line is not None:
            return None
        return Voice(
            self.peer.pid,
            *_names(self.adapter, speaker),
            itself=self.itself,
            hooks=None if self.itself else self.hooks,
        )


@dataclass(frozen=True, slots=True)
class Vouching:
    agents: Agents
    registry: SessionRegistry

    def learn(self, speaker: Speaker, teller: Teller) -> None:
        voice = teller.voice(speaker)
        if voice is not None:
            self.agents.learn(voice)

    async def believed(self, event: HostEvent, teller: Teller) -> HostEvent | None:
        """As much of the event as is believed; None where nothing is left of it."""
        match event:
            case PromptTyped():
                typed = await self._typed(event, teller)
                return event if typed else replace(event, machine=True)
            case PersonSaid():
                return replace(event, believed=await self._typed(event, teller))
            case CallFinished():
                return self._finished(event, teller)
            case SessionStarted(speaker):
                return replace(event, doubted=not self._by_command(speaker, teller))
            case TurnEnded(speaker) | SessionEnded(speaker):
                return event if self._by_command(speaker, teller) else None
            case _:
                return event

    async def _typed(self, prompt: PromptTyped | PersonSaid, teller: Teller) -> bool:
        """Whoever cannot be seen, or is not the session's own agent, brings no person's words; and
        what the agent's own record calls a machine's is none either."""
        voice = teller.voice(prompt.speaker)
        if voice is None or not self.agents.brings_a_persons_words(voice):
            return False
        if not teller.still_there:
            return False
        record, text = prompt.speaker.record, prompt.text
        if not record:
            return True
        return not await asyncio.to_thread(prompt_is_machine_made, record, text)

    def _finished(self, event: CallFinished, teller: Teller) -> CallFinished:
        """That a call ran which a person was asked about is their yes. Where nothing follows from
        it nobody is looked at: should a person be asked meanwhile, it is doubted all the same."""
        live = self.registry.get(session_key(teller.adapter.name, event.speaker))
        if live is not None and _quiet(live, event):
            return replace(event, doubted=True)
        if self._own(event.speaker, teller):
            return event
        # Where nobody can be seen at all, a sub-agent's work is looked over for whoever tells it.
        child = event.child if teller.peer is None else ""
        return replace(event, doubted=True, answers=(), child=child)

    def _by_command(self, speaker: Speaker, teller: Teller) -> bool:
        """Sessions are never told of over the network: what comes there in an agent's name may be
        what a repository has made it send."""
        voice = teller.voice(speaker)
        return voice is not None and self.agents.speaks(voice) and teller.still_there

    def _own(self, speaker: Speaker, teller: Teller) -> bool:
        if teller.voice(speaker) is not None:
            return self._by_command(speaker, teller)
        agent = self.agents.speaker(*_names(teller.adapter, speaker))
        return agent is not None and teller.peer is not None and teller.peer.is_process(agent)


def _quiet(live: LiveSession, event: CallFinished) -> bool:
    """Whether nothing follows from it but that a call is over, which nobody has said before."""
    waits = live.asked or live.suspect or live.returned or live.rulings.over(event.id)
    return live.restored and not (waits or event.answers or event.child)


def _names(adapter: Adapter, speaker: Speaker) -> tuple[str, str]:
    """Of the session, and of the one above it."""
    above = parent_id(speaker)
    own = session_key(adapter.name, speaker)
    return str(own), "" if above is None else str(SessionKey(adapter.name, above))
