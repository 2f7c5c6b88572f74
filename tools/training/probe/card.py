"""The model's card, written with the numbers of the run that made it."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

from automode.probe.model import SHORT, Model
from tools.training.probe.by_hand import Written
from tools.training.probe.exporting import LOST
from tools.training.probe.measuring import Rate

_PAGE = """# The probe's model

Written by `python -m tools.training.probe.train`. Part of: [The probe](../concepts/the-probe.md).

A linear model on windows of 24 words. Its traits are words, pairs of neighbours, and the same by
kin: {families} families of words that are used alike. {size:.0f} KB, standard library only, no
randomness. sha256 of the weights:
`{checksum}`. The file carries a checksum of its own that is verified on
loading; where it is missing or broken, the probe works with its patterns alone and
`automode screen` says so.

## What it learnt from

- Ordinary results, guides, skills, files that agents wrote (MIT, Apache-2.0): the windows of each.
- Orders by our own grammar (`tools/training/probe/tables/`), planted in those texts in twelve
  disguises, and honest instructions by the same grammar in the same places and the same frames.
- {hand} instructions written by hand (`tools/training/probe/written/`), {planted} to be planted
  and {honest} honest neighbours of them in nearly the same words, by writers who had not seen the
  data; each in four of those texts. Names of hosts are masked.
- {others} distinct payloads of others under MIT: AgentDojo and AgentDyn, CyberSecEval, SkillInject.
  Their give-away names are taken out. They are in the shipped model only.
- BIPIA's rows (share-alike) are measured and never learnt from.
- Families of words: clusters of the vectors that all-MiniLM-L6-v2 (Apache-2.0) gives to single
  words. The words are the encoder's and our grammar's; nobody's data is in the file.

## How it was measured

Five folds by repository. Good rows are judged by models that learnt all that the shipped one
learnt, but nothing of the row's repository. Attacks are judged by models that have seen neither
the repository nor a single payload that is not our grammar's or written by hand. Of what was
written by hand a fifth is held back with each fold, in blocks of fifty lines, because neighbours
are pairs. All of it without the gate, which costs up to {lost} in 100 of what is found in long
texts. Intervals are Wilson's for 95 of 100, row by row; rows of one group are alike, so the truth
is wider.

**The attacks are not quite unseen.** The grammar was written after looking at development rows,
and extended after looking at what was missed. A first version held phrases close to
SkillInject's, AgentDojo's and CyberSecEval's: 75 of its 285 goals and frames could say four words
in a row that otherwise stand only in attacks. With it 77.7 % in coding results and 36.7 % of the
skills were found: figures of a test that had leaked, not to be quoted. 48 goals and frames and 29
fillings, those and the paraphrases we recognised, were taken out before this run; three common
phrases are left. That may be too strict, since goals went because the test has them, so the truth
for new families lies somewhere above these figures, or below where a family is of a kind that
nobody here has thought of. What was written by hand leaked nothing that we know of.

{rates}

Skills of one maker share wording. So the table of skills after learning all payloads but those of
the row's own family counts only rows that share no five words in a row with a payload of another
fold: on what is left, the other families helped little.

## The threshold

The lowest (in steps of 0.25 of the log-odds) that keeps false alarms at or below 0.4 % of real
results and 2.5 % of guides and security documents, on folds the models had not seen:
**{threshold:.2f}**. It was chosen on the same rows that the false alarms above are counted on. The
first four columns are false alarms. The office results that are flagged from some threshold on, all
at once, hold one and the same mail: a colleague asks to upload what is attached to a repository.
Its suite is new to the models that judge it; the shipped one has learnt it and flags none of them.

Four whole runs were made, and the one that is shipped was chosen after all were seen, so its
figures flatter a little. With what was written by hand in twelve texts each, the same rule gave
4.00 and 22 of 98 skills; with a bound of 1 % on office tools and mixed rows as well, 4.50 and 19;
in four texts each with that bound, 4.75 and 18; in four texts without it, this. The bound was
dropped because one mail decided it.

| threshold | real | guides | office | mixed | templates | in coding results | skills | by hand |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
{curve}

## The gate before it

A text of up to {short:,} characters is read whole. Of a longer one only stretches whose single
words sum to enough are read: of real tool results {share:.0%} in all. The gate is set so that of
the orders that the model finds in generated texts at most {lost} in 100 would be left out by it.

## What was tried and left out

A sentence encoder (all-MiniLM-L6-v2, 22.7 million weights) was trained on the same windows, with
hard ordinary windows sought anew after each round, five folds. The table gives ranges over ten
settings and averages of it and some twenty of the linear model; all were compared on the rows
above, so the upper ends flatter. The threshold was the lowest within 0.4 % of real results and
2.5 % of guides; codes were not opened, and no payload of others was learnt but in the last row.

| | linear | encoder |
| --- | --- | --- |
| found, skills | 20 to 26 of 98 | 20 to 31 of 98 |
| found, in coding results | 318 to 329 of 452 | 333 to 356 of 452 |
| by hand, found in at least one of twelve texts | 32 to 46 % | 61 to 72 % |
| the same, honest neighbours | 8 to 18 % | 8 to 11 % |
| found, skills, other families of the maker learnt | 50 of 98 | 51 to 55 of 98 |

It reads better what is like what it was taught, and carries little of that to the skills of others:
even at 2 % false alarms in real results and 10 % in guides it found 34 to 41 of 98. The last row
has leaked: 35 of the 98 share more than a tenth of their runs of five words with a family in
another fold; of the other 63 the encoder found 25, and 7 without those families. It was to come in
if it found 15 in 100 more of the skills, for 23 MB and a dependency; it did not. Neither did finer
or aligned windows, pairs of hand-made classes of words (send with secret, disable with check),
words further apart, a larger table, dropped words, counted words or other weights of the rows
change what the linear model finds in skills by more than four rows.

## Limits

- The goal was 60 in 100 of orders that are written like ordinary instructions. On makers that it
  has never seen the model stays far below it. More rows of our own make it better at such rows
  (see "by hand"); the manners of others are learnt from rows of others.
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
    by_hand: Sequence[Written],
    model: Model,
) -> str:
    data = model.pack()
    return _PAGE.format(
        families=len(set(model.kin.values())),
        size=len(data) / 1000,
        checksum=sha256(data).hexdigest(),
        others=others,
        hand=len(by_hand),
        planted=sum(one.planted for one in by_hand),
        honest=sum(not one.planted for one in by_hand),
        lost=round(100 * LOST),
        short=SHORT,
        rates="\n\n".join(_table(name, found) for name, found in measured.items()),
        threshold=threshold,
        curve="\n".join(curve),
        share=share,
    )


def _table(name: str, found: Sequence[Rate]) -> str:
    titles = {
        "patterns": "Patterns alone:",
        "*": "Patterns and model; what is found, by models that learnt our own orders alone:",
        "akin": "Patterns and model, every payload learnt but those of the row's own family:",
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
