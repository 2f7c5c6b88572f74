"""What was decided about a session's calls, for whoever asks about one of them again: bounded."""

from collections import OrderedDict
from dataclasses import dataclass, field

from automode.core.decision import Decision, Verdict

MOST_RULED = 64
"""A host asks about a call soon after it was decided, or never."""

MOST_PROPOSED = 4096


@dataclass(frozen=True, slots=True)
class Ruled:
    """`own` stands for tool and input. `decision` None: auto mode was off."""

    own: str
    decision: Decision | None

    @property
    def for_the_host(self) -> Decision | None:
        """None: nothing is enforced, or a person is to be asked; both are the host's own dialog."""
        return binding(self.decision)


def binding(decision: Decision | None) -> Decision | None:
    """A decision that needs no person any more; None where the host's own dialog goes on."""
    if decision is None or not decision.enforced or decision.verdict is Verdict.ASK:
        return None
    return decision


@dataclass(slots=True)
class Rulings:
    """By the host's id of a call, and by what stands for tool and input where it gives none."""

    _proposed: OrderedDict[str, None] = field(default_factory=OrderedDict)
    _ruled: OrderedDict[str, Ruled] = field(default_factory=OrderedDict)

    def note(self, call: str, own: str, decision: Decision | None) -> None:
        """The newest counts. `call` is the host's id, or `own` again."""
        self.proposed(call)
        ruled = Ruled(own, decision)
        for name in (call, own):
            self._ruled[name] = ruled
            self._ruled.move_to_end(name)
        while len(self._ruled) > MOST_RULED:
            self._ruled.popitem(last=False)

    def proposed(self, call: str) -> None:
        """A call reached automode, now or before a restart."""
        self._proposed[call] = None
        if len(self._proposed) > MOST_PROPOSED:
            self._proposed.popitem(last=False)

    def knows(self, call: str) -> bool:
        return call in self._proposed

    @property
    def full(self) -> bool:
        """Whether calls were proposed that are not known any more."""
        return len(self._proposed) >= MOST_PROPOSED

    def of(self, call: str, own: str) -> Ruled | None:
        """What holds for exactly this call: the same id with another input is another call."""
        found = self._ruled.get(call or own)
        return found if found is not None and found.own == own else None

    def finished(self, call: str, own: str) -> Ruled | None:
        """A call has run: what was decided about it allows no other one."""
        found = self.of(call, own)
        for name in (call, own):
            ruled = self._ruled.get(name)
            if ruled is not None and ruled.own == own:
                del self._ruled[name]
        return found
