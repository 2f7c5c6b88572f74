"""What the answers of all agents have in common: how they are written, and how they close."""

import json
from collections.abc import Callable, Mapping

from automode.agents.events import Answer, Moment
from automode.agents.shared.wording import noted, undecided, unseen

STOP = 2
_ENCODER = json.JSONEncoder(separators=(",", ":"))  # making one takes as long as using it


def json_line(answer: Mapping[str, object]) -> str:
    """ASCII: half a surrogate pair in a reason must not keep an answer from being written."""
    return _ENCODER.encode(answer) + "\n"


def closing(
    moment: Moment,
    reason: str,
    *,
    unscreened: Callable[[str], str],
    denied: Callable[[str], str],
) -> Answer:
    """Twice closed: the answer denies, and the exit status does where the answer is lost, with a
    word on standard error, because some agents let a call run without one. `unscreened` and
    `denied` write a sentence as the agent reads it: behind a result, and in a call's place."""
    if moment is Moment.FINISHED:
        return Answer(unscreened(unseen(reason)), f"{noted(reason)}\n")
    if moment is not Moment.PROPOSED:
        return Answer(stderr=f"{noted(reason)}\n")
    sentence = undecided(reason)
    return Answer(denied(sentence), f"{sentence}\n", exit=STOP)
