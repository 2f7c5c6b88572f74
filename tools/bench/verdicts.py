"""Labelled shell commands, and tables of who stops what of them."""

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import peers

from automode.core.call import Shell
from automode.core.errors import AutomodeError
from automode.core.tools import tool_call
from automode.evaluation.cases import ActionCase, suites

OURS = "**automode**, no model"
OWN = Path("tests/corpus")
RECORDED = "recorded shell calls"
_OWN_WORDS = {"allow": ("allow",), "deny": ("ask", "deny")}
"""What our own rows say about a command as such. Where we leave a command to the classifier, others
may rightly allow it: only our development rows then say that denying it is wrong."""


@dataclass(frozen=True, slots=True)
class Row:
    """`accept` are the verdicts that do not contradict the label; none: it is not scored."""

    command: str
    accept: frozenset[str] = frozenset()
    cwd: str = ""
    home: str | None = None
    corpus: str = ""

    @property
    def good(self) -> bool:
        return "allow" in self.accept and "deny" not in self.accept

    @property
    def bad(self) -> bool:
        return bool(self.accept) and "allow" not in self.accept


def rows(data: Path | None) -> dict[str, list[Row]]:
    """Rows by the title of their table."""
    found = {
        "our own corpus": [row for path in sorted(OWN.glob("shell*.jsonl")) for row in _rows(path)]
    }
    if data is None:
        return found
    files = [path for path in sorted(data.glob("shell_*.jsonl*")) if "parse" not in path.name]
    if files:
        found["labelled commands"] = [row for path in files for row in _rows(path)]
    calls = list(_calls(data))
    if calls:
        found[RECORDED] = calls
    return found


def _rows(path: Path) -> Iterator[Row]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        for line in lines:
            row = json.loads(line)
            if isinstance(row.get("command"), str) and row.get("tool", "bash") == "bash":
                words = row.get("accept") or _own_words(path, row["verdict"])
                accept = frozenset("deny" if word == "block" else word for word in words)
                yield Row(row["command"], accept, row.get("cwd") or "", row.get("home"))


def _own_words(path: Path, verdict: str) -> tuple[str, ...]:
    if verdict == "ask" and "development" in path.name:
        return ("allow", "ask")
    return _OWN_WORDS.get(verdict, ())


def _calls(data: Path) -> Iterator[Row]:
    """Distinct shell calls of the headline; one with both labels is no use without its context."""
    accept = {"allow": frozenset(("allow", "ask")), "block": frozenset(("ask", "deny"))}
    for corpus in suites(data).corpora:
        found: dict[str, Row] = {}
        doubtful: set[str] = set()
        for case in corpus.cases:
            if not isinstance(case, ActionCase) or not case.headline:
                continue
            command = _command(case)
            if command is None:
                continue
            row = Row(command, accept[case.label], case.cwd, corpus=corpus.name)
            if found.setdefault(command, row).accept != row.accept:
                doubtful.add(command)
        yield from (row for command, row in found.items() if command not in doubtful)


def _command(case: ActionCase) -> str | None:
    try:
        action = tool_call(case.tool, case.input).action
    except AutomodeError:
        return None
    return action.command if isinstance(action, Shell) and action.dialect == "bash" else None


def shown(peer: peers.Peer) -> str:
    return f"{peer.name} {peer.version}{' (only denies)' if peer.only_denies else ''}"


def table(title: str, asked: Sequence[Row], answered: Mapping[str, Sequence[str]]) -> str:
    good, bad = sum(row.good for row in asked), sum(row.bad for row in asked)
    head = f"{title}: {len(asked):,} commands, {good:,} good, {bad:,} bad"
    lines = [
        f"| {head} | good denied | good asked about | bad let through | no answer of its own |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, words in answered.items():
        pairs = list(zip(asked, words, strict=True))
        fine = [word for row, word in pairs if row.good]
        missed = [word for row, word in pairs if row.bad]
        shares = (
            _share(sum(word == "deny" for word in fine), len(fine)),
            _share(sum(word in ("ask", "none") for word in fine), len(fine)),
            _share(sum(word == "allow" for word in missed), len(missed)),
            _share(sum(word in ("ask", "none") for word in words), len(words)),
        )
        lines.append(f"| {name} | {' | '.join(shares)} |")
    return "\n".join(lines)


def by_corpus(asked: Sequence[Row], answered: Mapping[str, Sequence[str]]) -> str:
    """Good work denied / asked about, then bad work let through, one line for each file."""
    good = [row if row.good else None for row in asked]
    bad = [row if row.bad else None for row in asked]
    return (
        f"{_lines('good: denied / asked about', good, answered, _denied_and_asked)}\n\n"
        f"{_lines('bad: let through', bad, answered, _let_through)}"
    )


def _lines(
    title: str,
    asked: Sequence[Row | None],
    answered: Mapping[str, Sequence[str]],
    told: Callable[[Sequence[str]], str],
) -> str:
    lines = [
        f"| {title} | calls | {' | '.join(answered)} |",
        f"| --- | --- |{' --- |' * len(answered)}",
    ]
    for name in dict.fromkeys(row.corpus for row in asked if row is not None):
        at = [i for i, row in enumerate(asked) if row is not None and row.corpus == name]
        cells = " | ".join(told([words[i] for i in at]) for words in answered.values())
        lines.append(f"| {name} | {len(at):,} | {cells} |")
    return "\n".join(lines)


def _denied_and_asked(words: Sequence[str]) -> str:
    asked = sum(word in ("ask", "none") for word in words)
    return (
        f"{_share(sum(word == 'deny' for word in words), len(words))} / {_share(asked, len(words))}"
    )


def _let_through(words: Sequence[str]) -> str:
    return _share(sum(word == "allow" for word in words), len(words))


def latency_table(ratios: Mapping[str, float], without: Sequence[str]) -> str:
    lines = ["| one hook, whole process | times automode |", "| --- | --- |"]
    lines += [f"| {name} | {ratio:.1f} |" for name, ratio in ratios.items()]
    lines += [f"| {name} | a library, without a hook |" for name in without]
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    if not whole:
        return "-"
    percent = 100 * part / whole
    return f"{percent:.0f} %" if percent >= 10 or not part else f"{percent:.2g} % ({part})"
