"""What was decided about a session's calls, for whoever asks about one of them again: bounded."""

from array import array
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from automode.core.decision import Decision, Verdict

MOST_RULED = 64
"""A host asks about a call soon after it was decided, or never."""

MOST_PROPOSED = 4096

TWIN_SECONDS = 60.0
"""A host with two hooks for the same call calls both at once; each may wait for its answer."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """`own` stands for tool and input. `decision` None: auto mode was off. `record` is the id of
    its audit record, `cwd` and `at`: where and when it was decided."""

    own: str
    decision: Decision | None
    record: str | None = None
    cwd: str = ""
    at: float = 0.0

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

    # Of each id eight bytes: a long session proposes thousands of calls.
    _proposed: "array[int]" = field(default_factory=lambda: array("q"))
    _oldest: int = 0
    _ruled: OrderedDict[str, Ruled] = field(default_factory=OrderedDict)
    _ended: OrderedDict[str, bool] = field(default_factory=OrderedDict)  # whether in doubt

    def note(self, call: str, ruled: Ruled) -> None:
        """The newest counts. `call` is the host's id, or what stands for tool and input again."""
        self._ended.pop(call, None)
        for name in dict.fromkeys((call, ruled.own)):
            self.proposed(name)  # some hosts name a call before it runs, and not when it is over
            self._ruled[name] = ruled
            self._ruled.move_to_end(name)
        while len(self._ruled) > MOST_RULED:
            self._ruled.popitem(last=False)

    def proposed(self, call: str) -> None:
        """A call reached automode, now or before a restart."""
        if len(self._proposed) < MOST_PROPOSED:
            self._proposed.append(hash(call))
        else:
            self._proposed[self._oldest] = hash(call)
            self._oldest = (self._oldest + 1) % MOST_PROPOSED

    def unknown(self, calls: Iterable[str]) -> list[str]:
        """Those of the calls that never reached automode, as far as anybody remembers."""
        known = set(self._proposed)
        return [call for call in calls if hash(call) not in known]

    def of(self, call: str, own: str) -> Ruled | None:
        """What holds for exactly this call: the same id with another input is another call."""
        found = self._ruled.get(call or own)
        return found if found is not None and found.own == own else None

    def known(self, call: str) -> Ruled | None:
        """What was decided about a call that the host calls so, or that has no other name."""
        return self._ruled.get(call)

    def has(self, call: str) -> bool:
        """Whether something is known of a call that the host calls so."""
        return bool(call) and call in self._ruled

    def twin(self, call: str, own: str, cwd: str, now: float) -> Ruled | None:
        """What was decided about the very call that is proposed once more, and has not run yet."""
        found = self.of(call, own) if call and call not in self._ended else None
        if found is None or found.cwd != cwd or not 0.0 <= now - found.at <= TWIN_SECONDS:
            return None
        return found

    def another(self, call: str, *own: str) -> bool:
        """Whether a call that the host calls so was decided, and it was none of these."""
        found = self._ruled.get(call) if call else None
        return found is not None and found.own not in own

    def over(self, call: str) -> bool:
        """Whether anybody has said that this call is over."""
        return bool(call) and call in self._ended

    def ended_before(self, call: str, *, doubted: bool = False) -> bool:
        """Whether the host has said before that this call is over: from now on it has. What nobody
        vouches for does not take the place of what somebody does."""
        again = call in self._ended and (doubted or not self._ended[call])
        if call:
            self._ended[call] = doubted and self._ended.get(call, True)
        if len(self._ended) > MOST_RULED:
            self._ended.popitem(last=False)
        return again

    def forget(self) -> None:
        """A person has changed what holds: no call is answered with what was decided before."""
        self._ruled.clear()

    def finished(self, call: str, own: str) -> Ruled | None:
        """A call has run: what was decided about it allows no other one."""
        found = self.of(call, own)
        for name in (call, own):
            ruled = self._ruled.get(name)
            if ruled is not None and ruled.own == own:
                del self._ruled[name]
        return found
