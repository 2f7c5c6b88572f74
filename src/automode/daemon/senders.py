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
    SessionStarted,
    Speaker,
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
    adapter: Adapter, speaker: Speaker, peer: Peer | None, *, program: bool = False
) -> Sender:
    """`program`: one that speaks JSON is the agent, unless that speaks by hooks alone."""
    abilities, above = adapter.abilities, parent_id(speaker)
    itself = abilities.itself or (program and abilities.hooks is None)
    return Sender(
        peer,
        session_key(adapter.name, speaker),
        "" if above is None else str(SessionKey(adapter.name, above)),
        itself,
        None if itself else abilities.hooks,
    )


@dataclass(frozen=True, slots=True)
class Authentication:
    agents: Agents
    registry: SessionRegistry

    async def believed_part(self, event: HostEvent, sender: Sender) -> HostEvent | None:
        """As much of the event as is believed; None where nothing is left of it."""
        match event:
            case PromptTyped():
                typed = await self._was_typed(event, sender)
                return event if typed else replace(event, machine=True)
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
        record, text = prompt.speaker.record, prompt.text
        if not record:
            return True
        return not await asyncio.to_thread(prompt_is_machine_made, record, text)

    def _believed_finish(self, event: CallFinished, sender: Sender) -> CallFinished:
        """That a call ran which a person was asked about is their yes. Where nothing follows from
        it nobody is looked at, and it is doubted."""
        live = self.registry.get(sender.key)
        if live is not None and _quiet(live, event):
            return replace(event, doubted=True)
        if self.agents.speaks(sender) or self._own_connection(sender):
            return event
        # Where nobody can be seen at all, a sub-agent's work is looked over for whoever tells it.
        child = event.child if sender.peer is None else ""
        return replace(event, doubted=True, answers=(), child=child)

    def _own_connection(self, sender: Sender) -> bool:
        """Over HTTP: whether the session's own agent has the other end."""
        if sender.peer is None or sender.peer.line is None:
            return False
        agent = self.agents.speaker(sender.session, sender.parent)
        return agent is not None and sender.peer.is_process(agent)


def _quiet(live: LiveSession, event: CallFinished) -> bool:
    """Whether nothing follows from it but that a call is over, which nobody has said before."""
    asked = live.standing.asked or live.standing.suspect
    waits = asked or live.returned or live.rulings.over(event.id)
    return live.restored and not (waits or event.answers or event.child)
