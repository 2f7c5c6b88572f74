"""Sender authentication: what loosens something is believed of the session's own agent alone.

Whoever holds a hook's token can tell the daemon anything. So the process that reports a person's
yes, or how a session begins and ends, has to be a hook that the agent started, or the agent itself.
"""

import asyncio
from dataclasses import dataclass, replace

from automode.agents.events import (
    Adapter,
    BranchTaken,
    CallFinished,
    HostEvent,
    PersonSaid,
    PromptTyped,
    SessionEnded,
    SessionRef,
    SessionStarted,
    TurnEnded,
)
from automode.core.record import SessionKey
from automode.daemon.agents import Agents, Sender
from automode.daemon.peers import Peer
from automode.facts.claude_record import prompt_is_machine_made
from automode.sessions.live_session import LiveSession
from automode.sessions.record_builder import parent_id, session_key
from automode.sessions.registry import SessionRegistry


def sender_of(
    adapter: Adapter, ref: SessionRef, peer: Peer | None, *, program: bool = False
) -> Sender:
    """`program`: a process that sends JSON is the agent, unless that agent uses hooks alone."""
    abilities, above = adapter.abilities, parent_id(ref)
    itself = abilities.itself or (program and abilities.hooks is None)
    return Sender(
        peer,
        session_key(adapter.name, ref),
        "" if above is None else str(SessionKey(adapter.name, above)),
        itself,
        None if itself else abilities.hooks,
        abilities.asks,
    )


@dataclass(frozen=True, slots=True)
class Authentication:
    agents: Agents
    registry: SessionRegistry

    async def believed_part(self, event: HostEvent, sender: Sender) -> HostEvent | None:
        """The event with what its sender may say; None where that is nothing."""
        match event:
            case PromptTyped():
                typed = await self._was_typed(event, sender)
                doubted = not (typed or event.machine)
                return event if typed else replace(event, machine=True, doubted=doubted)
            case PersonSaid():
                return replace(event, believed=await self._was_typed(event, sender))
            case CallFinished():
                return self._believed_finish(event, sender)
            case SessionStarted():
                return replace(event, doubted=not self.agents.speaks(sender))
            case BranchTaken():
                return event if self.agents.brings_a_persons_words(sender) else None
            case TurnEnded() | SessionEnded():
                return event if self.agents.speaks(sender) else None
            case _:
                return event

    async def _was_typed(self, prompt: PromptTyped | PersonSaid, sender: Sender) -> bool:
        """Only the session's own agent brings a person's words, and not what its record calls a
        machine's."""
        if not self.agents.brings_a_persons_words(sender):
            return False
        record, text = prompt.ref.record, prompt.text
        if not record:
            return True
        return not await asyncio.to_thread(prompt_is_machine_made, record, text)

    def _believed_finish(self, event: CallFinished, sender: Sender) -> CallFinished:
        """That a call ran which a person was asked about is their yes. Where nothing follows from
        it nobody is looked at, and it is doubted."""
        live = self.registry.get(sender.key)
        if live is not None and _quiet(live, event, asks=sender.asks):
            return replace(event, doubted=True)
        if self.agents.speaks(sender) or self._own_connection(sender):
            return event
        # Where no process can be seen at all, a sub-agent's work is reviewed for any sender.
        child = event.child if sender.peer is None else ""
        return replace(event, doubted=True, answers=(), child=child)

    def _own_connection(self, sender: Sender) -> bool:
        """Over HTTP: whether the session's own agent has the other end."""
        if sender.peer is None or sender.peer.line is None:
            return False
        agent = self.agents.speaker(sender.session, sender.parent)
        return agent is not None and sender.peer.is_process(agent)


def _quiet(live: LiveSession, event: CallFinished, *, asks: bool) -> bool:
    """Whether nothing follows from it but that a call is over, which nobody has said before."""
    asked = live.standing.asked or live.standing.suspect
    waits = asked or live.returned or live.rulings.over(event.id)
    waits = waits or (asks and live.rulings.asked(event.id))
    return live.restored and not (waits or event.answers or event.child)
