"""What a record says of the decision behind it, as the breaker counts it."""

from automode.core.decision import Failure, Verdict
from automode.core.record import BREAKER, Record

RESET = "person.reset"
PERSON = "person."  # what a person does is recorded with a source that begins so


def counts(record: Record) -> bool:
    """Whether it is an agent's call that was decided."""
    return record.error is not Failure.CANCELLED and not of_a_person(record)


def of_a_person(record: Record) -> bool:
    """Whether a person did something to automode: that is no call."""
    return record.source.startswith(PERSON)


def judged(record: Record) -> bool:
    """Whether the classifier had an answer."""
    return walked(record)[1].startswith("classifier.") and record.error is None


def allowed(record: Record) -> bool:
    return counts(record) and record.enforced and record.verdict is Verdict.ALLOW


def denied(record: Record) -> bool:
    """By a policy, whatever the breaker made of it."""
    return record.enforced and record.error is None and walked(record)[0] >= Verdict.DENY


def walked(record: Record) -> tuple[Verdict, str, str]:
    """Verdict, source and reason from before the breaker: it notes them last in the trail."""
    last = record.trail[-1] if record.trail else None
    words = {verdict.word: verdict for verdict in Verdict}
    if last is None or last.layer != BREAKER or last.mark not in words:
        return record.verdict, record.source, record.reason
    source, _, reason = last.text.partition(": ")
    return words[last.mark], source, reason
