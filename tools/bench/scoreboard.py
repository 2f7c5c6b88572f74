"""The scoreboard as a page: two runs of our own, and every gate of the registries on the same rows.

    python tools/bench/scoreboard.py --data FOLDER RUN [RUN ...] > docs/reference/scoreboard.md

`RUN` is the folder of a whole run of `automode eval --data FOLDER`. Other gates judge the text of a
shell command and nothing else, so they stand in a table of shell calls alone, beside the same runs.
"""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, cast

sys.path.insert(0, str(Path(__file__).parent))

import hook
import peers

from automode.core.call import Shell
from automode.core.errors import AutomodeError
from automode.core.tools import tool_call
from automode.evaluation.cases import ActionCase, suites
from automode.evaluation.outcomes import Outcome, Run
from automode.evaluation.reports import rate_text, taken
from automode.evaluation.run_folder import read_run
from automode.evaluation.scoreboard import PUBLISHED, SESSIONS, SOURCES, Line, board, lines

HEAD = """# Scoreboard

<!-- Written by tools/bench/scoreboard.py. Do not edit. -->

`make scoreboard DATA=folder` writes this page; `automode eval` prints the same rows for your own
model and cases ([what they mean](evaluation.md#the-scoreboard)). In brackets: 95 % intervals over
sessions, pairs and families. Shares of real sessions count each call as often as it occurs. The
data holds public calls that the embedded judge and the probe learnt from, all but the contrast
pairs, the incidents and what a person said no to: those rows flatter them, and [groups held
back](judge-model.md#what-it-reaches) are the fairer measure.
"""
SHELL = """## Other gates, on shell commands alone

The same rows, of which other gates get what they can judge: the text of each command, in an empty
project, without the user's words, files or earlier calls. The same text of a covered and of an
uncovered call is one command to them, so *both halves right* is out of their reach where the
halves do not differ. Gates that only deny leave the rest to others, which counts as cleared.
"""
PUBLISHED_HEAD = """## Published by others

Their own figures, on their own cases: compare the order of magnitude, not the digits.
"""


def page(runs: Mapping[str, Run], others: Mapping[str, Sequence[Outcome]]) -> str:
    """`others`: outcomes of shell calls, by the name of who judged."""
    whole = {name: board(run) for name, run in runs.items()}
    stamps = [f"- {name}: {taken(run)}" for name, run in runs.items()]
    parts = [HEAD, "\n".join(stamps), _table(whole)]
    if others:
        shell = {name: _without_sessions(lines(found)) for name, found in others.items()}
        parts += [SHELL, _table(shell)]
        missing = [f"- {name}: {reason}" for name, reason in peers.ABSENT.items()]
        parts.append("Not here:\n\n" + "\n".join(missing))
    published = [_row(("who", "good work stopped", "bad work missed")), _row(("---",) * 3)]
    parts += [PUBLISHED_HEAD, "\n".join([*published, *map(_row, PUBLISHED)]), "\n".join(SOURCES)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _without_sessions(found: Iterable[Line]) -> list[Line]:
    """Of real sessions the shell calls alone: nobody takes rules for other gates here."""
    kept = ("  shell calls", "real sessions: denied")
    return [
        replace(one, name=one.name.replace("  shell calls", "real sessions, shell calls: cleared"))
        for one in found
        if one.part != SESSIONS or one.name in kept
    ]


def _table(columns: Mapping[str, Sequence[Line]]) -> str:
    first, *_ = columns.values()
    found = [_row(("", "better", "n", *columns)), _row(["---"] * (3 + len(columns)))]
    for at, line in enumerate(first):
        if line.rate is not None:
            name = line.name.replace("  ", "… ", 1) if line.name.startswith("  ") else line.name
            shares = [rate_text(own[at].rate) for own in columns.values()]
            better = "more" if line.up else "less"
            counts = dict.fromkeys(
                f"{one.rows:,}" for own in columns.values() if (one := own[at].rate)
            )
            found.append(_row((name, better, "; ".join(counts), *shares)))
    return "\n".join(found)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def commands(data: Path) -> dict[str, str]:
    """The text of every shell call, by the key of its outcome."""
    found = {}
    for corpus in suites(data).corpora:
        for case in corpus.cases:
            if isinstance(case, ActionCase) and (command := _command(case)) is not None:
                found[f"{corpus.name}/{case.id}"] = command
    return found


def _command(case: ActionCase) -> str | None:
    try:
        action = tool_call(case.tool, case.input).action
    except AutomodeError:
        return None
    return action.command if isinstance(action, Shell) and action.dialect == "bash" else None


def judged(
    peer: peers.Peer, shell: Sequence[Outcome], texts: Mapping[str, str], account: hook.Account
) -> list[Outcome]:
    """The outcomes with its verdicts; what it cannot answer it asks about. Raises Skipped."""
    asked = list(dict.fromkeys(texts[one.key] for one in shell))
    words = peers.words(peer, asked, account.project, account.home)
    found = []
    for one in shell:
        word = words[texts[one.key]].replace("none", "ask")
        verdict = cast("Literal['allow', 'ask', 'deny']", word)
        found.append(replace(one, verdict=verdict, source=peer.name, teaches=()))
    return found


def compared(
    runs: Mapping[str, Run], data: Path, account: hook.Account
) -> dict[str, list[Outcome]]:
    texts = commands(data)
    shell = {name: [one for one in run.actions if one.key in texts] for name, run in runs.items()}
    for peer in peers.KNOWN:
        try:
            shell[_shown(peer)] = judged(peer, next(iter(shell.values())), texts, account)
        except peers.Skipped as why:
            print(f"SKIPPED {peer.name}: {why}", file=sys.stderr)
    return shell


def _shown(peer: peers.Peer) -> str:
    return f"{peer.name} {peer.version}{' (only denies)' if peer.only_denies else ''}"


def _name(run: Run) -> str:
    plan = run.facts.get("plan")
    judge = plan.get("model") if isinstance(plan, Mapping) else None
    if judge is None:
        return "automode, no model"
    return "automode, embedded judge" if judge.startswith("embedded/") else f"automode, {judge}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    given = parser.parse_args()
    runs = {_name(run): run for run in map(read_run, given.runs)}
    others = (
        {}
        if given.no_peers
        else hook.in_folders_of_its_own(lambda account: compared(runs, given.data, account))
    )
    print(page(runs, others), end="")


if __name__ == "__main__":
    main()
