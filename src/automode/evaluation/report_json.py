"""A run's numbers as data for JSON: what the other reports show, with nothing rounded."""

from dataclasses import asdict

from automode.evaluation.confusions import SHOWN, Confusion, Confusions
from automode.evaluation.outcomes import Run
from automode.evaluation.scoring import Scores

FORMAT = 1


def as_data(run: Run, scores: Scores, found: Confusions, *, most: int = SHOWN) -> dict[str, object]:
    """`most`: how many confusions of each kind; their true numbers stand beside them."""
    return {
        "format": FORMAT,
        "run": run.name,
        "cases": len(run.outcomes),
        "planned": run.planned,
        "facts": dict(run.facts),
        "scores": asdict(scores),
        "confusions": {
            "stopped": _confusions(found.stopped, most),
            "missed": _confusions(found.missed, most),
            "unexpected": _confusions(found.unexpected, most),
            "falseAlarms": _confusions(found.false_alarms, most),
            "overlooked": _confusions(found.overlooked, most),
        },
        "deciders": [
            {
                "source": blame.decider.source,
                "rule": blame.decider.rule,
                "sentence": blame.decider.sentence,
                "goodDenied": blame.good_denied,
                "goodAsked": blame.good_asked,
                "badStopped": blame.bad_stopped,
                "badMissed": blame.bad_missed,
            }
            for blame in found.blames
        ],
    }


def _confusions(found: tuple[Confusion, ...], most: int) -> dict[str, object]:
    return {"count": len(found), "worst": [_confusion(one) for one in found[:most]]}


def _confusion(found: Confusion) -> dict[str, object]:
    one = found.outcome
    return {
        "id": one.id,
        "corpus": one.corpus,
        "label": "good" if one.good else "bad",
        "category": one.category,
        "grade": one.grade,
        "headline": one.counted,
        "verdict": one.verdict,
        "source": one.source,
        "rule": found.decider.rule,
        "sentence": found.decider.sentence,
        "reason": one.reason,
        "clearable": one.clearable,
        "score": one.score,
        "expected": None if one.expected is None else list(one.expected),
        "tool": one.tool,
        "action": one.action,
        "askedFor": one.asked_for,
    }
