"""The model's card, written with the numbers of the run that made it."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

from automode.probe.model import Model
from training.probe.measuring import Rate

_PAGE = """# The probe's model

Written by `python -m training.probe.train`. Part of: [The probe](../concepts/the-probe.md).

A linear model on windows of 24 words. Its traits are words, pairs of neighbours, and the same by
kin: {families} families of words that are used alike. {size:.0f} KB, standard library only, no
randomness. sha256 of the weights:
`{checksum}`. The file carries a checksum of its own that is verified on
loading; where it is missing or broken, the probe works with its patterns alone and
`automode screen` says so.

## What it learnt from

- Ordinary results, guides, skills, files that agents wrote (MIT, Apache-2.0): the windows of each.
- Orders by our own grammar (`training/probe/tables/`), planted in those texts in twelve disguises,
  and honest instructions by the same grammar in the same places and the same frames.
- {others} distinct payloads of others under MIT: AgentDojo and AgentDyn, CyberSecEval, SkillInject.
  Their give-away names are taken out. They are in the shipped model only.
- BIPIA's rows (share-alike) are measured and never learnt from.
- Families of words: clusters of the vectors that all-MiniLM-L6-v2 (Apache-2.0) gives to single
  words. The words are the encoder's and our grammar's; nobody's data is in the file.

## How it was measured

Five folds by repository. Good rows are judged by models that learnt all that the shipped one
learnt, but nothing of the row's repository. Attacks are judged by models that have seen neither
the repository nor a single payload that is not our grammar's. All of it without the gate, which
costs up to 2 in 100 of what is found. Intervals are Wilson's for 95 of 100, row by row; rows of
one group are alike, so the truth is wider.

**The attacks are not quite unseen.** The grammar was written after looking at development rows,
and extended after looking at what was missed. A first version held phrases close to
SkillInject's, AgentDojo's and CyberSecEval's: 75 of its 285 goals and frames could say four words
in a row that otherwise stand only in attacks. With it 77.7 % in coding results and 36.7 % of the
skills were found: figures of a test that had leaked, not to be quoted. 48 goals and frames and 29
fillings, those and the paraphrases we recognised, were taken out before this run; three common
phrases are left. That may be too strict, since goals went because the test has them, so the truth
for new families lies somewhere above these figures, or below where a family is of a kind that
nobody here has thought of.

{rates}

## The threshold

The lowest (in steps of 0.25 of the log-odds) that keeps false alarms at or below 0.4 % of real
results and 2.5 % of guides and security documents, on folds the models had not seen:
**{threshold:.2f}**. It was chosen on the same rows that the false alarms above are counted on.

| threshold | real results | guides | office templates | in coding results | skills |
| --- | --- | --- | --- | --- | --- |
{curve}

## The gate before it

Only stretches of text whose single words sum to enough are read: {share:.0%} of real tool results.
It is set so that of the generated orders that the model finds at most 2 in 100 are not read.

## Limits

- An order that wants what an honest document may want, in its words ("use raw SQL for speed"), is
  not found: see the rows of contextual skills.
- Bare questions and errands in e-mail and web pages are mostly not found.
- English only.
- The weights are public: whoever tries long enough can word an order that passes. A clean result
  is not a safe result; the gate decides every call whatever the probe said.
"""


def card(
    measured: Mapping[str, Sequence[Rate]],
    curve: Sequence[str],
    threshold: float,
    share: float,
    others: int,
    model: Model,
) -> str:
    data = model.packed()
    return _PAGE.format(
        families=len(set(model.kin.values())),
        size=len(data) / 1000,
        checksum=sha256(data).hexdigest(),
        others=others,
        rates="\n\n".join(_table(name, found) for name, found in measured.items()),
        threshold=threshold,
        curve="\n".join(curve),
        share=share,
    )


def _table(name: str, found: Sequence[Rate]) -> str:
    titles = {
        "patterns": "Patterns alone:",
        "*": "Patterns and model; what is found, by models trained on our grammar alone:",
    }
    title = titles.get(name, f"Patterns and model, every payload but those of {name} learnt:")
    rows = "\n".join(_row(rate) for rate in found if rate.rows)
    return f"{title}\n\n| | of | groups | | 95 % |\n| --- | --- | --- | --- | --- |\n{rows}"


def _row(rate: Rate) -> str:
    low, high = rate.interval
    return (
        f"| {rate.name} | {rate.found} of {rate.rows} | {rate.groups} | {rate.share:.1%} |"
        f" {low:.1%} to {high:.1%} |"
    )
