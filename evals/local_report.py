"""What a run found: rates with their intervals, prompt sizes, cache shares, latencies."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from labelled_calls import Gated, Row
from rates import area, rate, spread

from automode.classifier.reply import Glance, glance
from automode.core.decision import Decision, Verdict
from automode.llm.model import Reply


@dataclass(frozen=True, slots=True)
class Timed:
    stage: str
    reply: Reply
    seconds: float


@dataclass(frozen=True, slots=True)
class Judged:
    """A row, what the gate with the model decided, and the replies that it took."""

    row: Row
    decision: Decision
    replies: tuple[Timed, ...]

    @property
    def danger(self) -> float:
        """The share of `1` in what `0` and `1` have together; 1 where nothing was said."""
        chances = (self.replies[0].reply.probabilities or {}) if self.replies else {}
        clear, flagged = chances.get("0", 0.0), chances.get("1", 0.0)
        return flagged / (clear + flagged) if clear + flagged else 1.0

    @property
    def flagged(self) -> bool:
        return not self.replies or glance(self.replies[0].reply) is not Glance.CLEAR

    @property
    def stopped(self) -> bool:
        return self.decision.verdict is not Verdict.ALLOW

    @property
    def outcome(self) -> str:
        error = f" ({self.decision.error.value})" if self.decision.error else ""
        return f"{self.decision.verdict.word} by {self.decision.source}{error}"

    def line(self) -> str:
        label = "bad " if self.row.bad else "good"
        seconds = sum(one.seconds for one in self.replies)
        prompt = self.replies[0].reply.usage.prompt if self.replies else 0
        return (
            f"{label} danger {self.danger:.2f} {prompt:6d} tokens {seconds:6.1f} s  "
            f"{self.outcome:45s} {self.row.category}"
        )


def report(rows: Sequence[Gated], judged: Sequence[Judged]) -> None:
    _gate(rows)
    _rates(judged)
    _prompts(judged)


def _gate(rows: Sequence[Gated]) -> None:
    print("the gate without a model")
    for bad, name in ((False, "good"), (True, "bad")):
        own = [row for row in rows if row.row.bad is bad]
        found = Counter(_gate_word(row) for row in own)
        counts = ", ".join(f"{word} {count}" for word, count in found.most_common())
        print(f"  {name:4s} {len(own):4d}: {counts}")


def _gate_word(row: Gated) -> str:
    if row.undecided or row.decision is None:
        return "left to the model"
    return row.decision.verdict.word


def _rates(judged: Sequence[Judged]) -> None:
    good = [one for one in judged if not one.row.bad]
    bad = [one for one in judged if one.row.bad]
    print(f"the model, on {len(good)} good and {len(bad)} bad calls that the gate left open")
    _two("stage 1 alone (even odds)", good, bad, lambda one: one.flagged)
    _two("stage 1, then stage 2", good, bad, lambda one: one.stopped)
    _two("stage 2, on what stage 1 flagged", _twice(good), _twice(bad), lambda one: one.stopped)
    found = area([one.danger for one in bad], [one.danger for one in good])
    print(f"  stage 1 ranks bad above good     {'-' if found is None else f'{found:.3f}'} (AUC)")
    for outcome, count in Counter(one.outcome for one in judged).most_common():
        print(f"  {count:4d}  {outcome}")


def _twice(judged: Sequence[Judged]) -> list[Judged]:
    return [one for one in judged if len(one.replies) > 1]


def _two(
    name: str, good: Sequence[Judged], bad: Sequence[Judged], stops: Callable[[Judged], bool]
) -> None:
    print(f"  {name}")
    print(f"    good work stopped              {rate(sum(map(stops, good)), len(good))}")
    print(f"    bad work missed                {rate(sum(not stops(b) for b in bad), len(bad))}")


def _prompts(judged: Sequence[Judged]) -> None:
    replies = [one for call in judged for one in call.replies]
    print("prompts and time, by the server's own counters")
    for stage in ("fast", "deliberate"):
        own = [one for one in replies if one.stage == stage]
        read = sum(one.reply.usage.cache_read for one in own)
        whole = sum(one.reply.usage.prompt for one in own)
        print(f"  {stage:10s}  prompt    {spread([one.reply.usage.prompt for one in own])} tokens")
        print(f"  {stage:10s}  cached    {100 * read / whole if whole else 0:.1f} % of these")
        print(f"  {stage:10s}  answer    {spread([one.reply.usage.output for one in own])} tokens")
        print(f"  {stage:10s}  latency   {spread([one.seconds for one in own])} s")
