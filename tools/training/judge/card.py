"""The model card: what the judge learnt from, what it reaches, and what it does not."""

from collections import Counter
from collections.abc import Iterator, Sequence

from automode.evaluation.scoring import Rate
from automode.judge.embedded import JudgeModel
from tools.training.judge.fitting import FOLDS, LEAST_SIDES, Vector
from tools.training.judge.measuring import (
    ATTACKS,
    GROUPS,
    MOST_ATTACKS,
    MOST_UNASKED,
    MOST_UNASKED_ALONE,
    calibration,
    rate,
    rate_share,
)
from tools.training.judge.rows import Row

CURVE = (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5)


def card(model: JudgeModel, rows: Sequence[Row], scores: Vector, checksum: str) -> str:
    return "\n".join(
        (*_head(model, checksum), *_data(rows), *_numbers(model, rows, scores), *_TAIL)
    )


def _head(model: JudgeModel, checksum: str) -> Iterator[str]:
    yield "# The embedded judge: model card\n"
    yield "<!-- Written by tools/training/judge. Do not edit. -->\n"
    yield (
        "Stage 0 of the classifier: a logistic regression over deeds (what a call does), "
        "whether the user's words\n"
        "name or forbid them, and words of the call. It runs in the process, needs nothing but "
        "Python, and answers the\n"
        "same question always the same way. Words of a call can only raise its probability.\n"
    )
    yield f"- version {model.version}, {len(model.present)} features, {len(model.tokens)} words"
    yield f"- SHA-256 `{checksum}`"
    yield (
        f"- `local.clearBelow` {model.clear_below:g}, `local.clearBelowAlone` "
        f"{model.clear_below_alone:g}: the highest at"
        " which, on held-back\n"
        f"  rows, at most {MOST_UNASKED:.1%} ({MOST_UNASKED_ALONE:.1%} alone) of far-reaching "
        "calls that nobody asked for"
        f" and at most {MOST_ATTACKS:.0%} of attacks are cleared\n"
    )


def _data(rows: Sequence[Row]) -> Iterator[str]:
    yield "## Data\n"
    yield (
        "Public labelled calls under permissive licences (README, *Numbers*), and rows of our "
        "own making: real far-reaching\n"
        "calls beside the words of another project's user (`swapped`), and the table "
        "`tools/training/judge/made_up.toml`. Reports\n"
        "of incidents and calls that people rejected are for measuring only. Calls that the "
        "deterministic layers decide\n"
        f"are not learnt from. A word must occur in {LEAST_SIDES} projects or families to count "
        "at all.\n"
    )
    yield "| rows | learnt from | should be stopped |\n| --- | --- | --- |"
    learnt = [row for row in rows if row.trainable]
    counted = Counter((row.file, row.kind) for row in learnt)
    stopped = Counter((row.file, row.kind) for row in learnt if row.stop)
    for (file, kind), count in sorted(counted.items()):
        name = file if kind in ("real", "made-up") else f"{file} ({kind})"
        yield f"| {name} | {count} | {stopped[file, kind]} |"
    yield ""


def _numbers(model: JudgeModel, rows: Sequence[Row], scores: Vector) -> Iterator[str]:
    yield "## What it reaches\n"
    yield (
        f"Together with the deterministic layers, by {FOLDS}-fold cross-validation: "
        "repositories, tasks and payload families\n"
        "are held back whole. 95 % intervals over those groups. *Cleared* is good for the "
        "first rows, bad for the others.\n"
    )
    yield "| calls | rows | cleared with a later stage | cleared alone |\n| --- | --- | --- | --- |"
    named = [((name,), group.told) for name, group in GROUPS.items()]
    for names, told in (*named, (ATTACKS, "**all attacks**")):
        first = rate(rows, scores, model.clear_below, names)
        second = rate(rows, scores, model.clear_below_alone, names)
        if first is not None and second is not None:
            yield f"| {told} | {first.rows} | {_told(first)} | {_told(second)} |"
    yield "\n## Operating curve\n"
    heads = [name for name in GROUPS if name != "asked"]
    yield f"| below | {' | '.join(heads)} |\n|{' --- |' * (len(heads) + 1)}"
    for below in CURVE:
        shares = (rate_share(rows, scores, below, (name,)) for name in heads)
        yield f"| {below:g} | {' | '.join(f'{share:.1%}' for share in shares)} |"
    yield "\n## Calibration\n"
    yield "On held-back rows, with the weights of training.\n"
    yield "| probability | should be stopped | rows |\n| --- | --- | --- |"
    for mean, stopped, count in calibration(rows, scores):
        yield f"| {mean:.2f} | {stopped:.2f} | {count} |"
    yield ""


def _told(found: Rate) -> str:
    return f"{found.share:.1%} ({found.low:.1%}\N{EN DASH}{found.high:.1%})"


_TAIL = (
    "## Limits\n",
    "- Consent is recognised by words. A user who asks in words that the table does not know "
    "is not heard, and the call\n"
    "  is asked about; one who uses the word for something else may be misheard.",
    "- Real overeager calls are few (29 rows): their interval is wide, and commits that nobody "
    "asked for are mostly\n"
    "  cleared, because they are ordinary and can be undone.",
    "- English first; the commonest words of a dozen other languages are known, and were not "
    "measured apart.",
    "- What counts as an attack comes from public collections. A harmful program of the "
    "project's own looks like any other.",
    "- It reads scripts of bash and PowerShell well, cmd by patterns, and code inside a call "
    "only by its words.\n",
    "Retrain: `make train-judge DATA=folder`; see docs/guides/training.md.\n",
)
