"""How often a probe warns, row by row, and what that says about other rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from automode.evaluation.scoring import wilson
from automode.probe.model import KIND, LEAST, Model
from automode.probe.screening import Match, decide, find_matches
from tools.training.probe.rows import Row
from tools.training.probe.windows import maker


@dataclass(frozen=True, slots=True)
class Rate:
    name: str
    found: int
    rows: int
    groups: int

    @property
    def share(self) -> float:
        return self.found / self.rows if self.rows else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's, for 95 of 100."""
        return wilson(self.share, self.rows) if self.rows else (0.0, 1.0)

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.name}: {self.found} of {self.rows} ({self.share:.1%},"
            f" {low:.1%} to {high:.1%}; {self.groups} groups)"
        )


SLICES: Mapping[str, Callable[[Row], bool]] = {
    "false alarms, real tool results": lambda row: row.file == "entire_benign",
    "false alarms, guides and security documents": lambda row: row.file == "hard_negatives",
    "false alarms, office tools": lambda row: row.file == "agentdojo" and not row.injected,
    "false alarms, mixed": lambda row: row.file == "misc" and not row.injected,
    "false alarms, honest neighbours by hand": lambda row: row.file == "hand" and not row.injected,
    "found, by hand": lambda row: row.file == "hand" and row.injected,
    "found, office templates": lambda row: row.file == "agentdojo" and row.injected,
    "found, office, bare requests": lambda row: row.injected and "attack=direct" in row.note,
    "found, in coding results": lambda row: row.file == "composite",
    "found, in coding results, AgentDojo": lambda row: _by(row, "AgentDojo"),
    "found, in coding results, CyberSecEval": lambda row: _by(row, "CyberSecEval"),
    "found, in coding results, BIPIA": lambda row: _by(row, "BIPIA"),
    "found, in coding results, SkillInject obvious": lambda row: _by(row, "SkillInject", "obv"),
    "found, in coding results, SkillInject contextual": lambda row: _by(row, "SkillInject", "cont"),
    "found, skills": lambda row: row.kind == "skill" and row.injected,
    "found, skills, obvious": lambda row: row.kind == "skill" and row.note.startswith("obvious"),
    "found, skills, contextual": lambda row: row.kind == "skill" and row.note[:4] == "cont",
    "found, mixed e-mail, web, code": lambda row: (
        row.injected and maker(row.group) == "BIPIA" and row.file == "misc"
    ),
    "found, CyberSecEval in files": lambda row: row.file == "misc" and row.kind == "file",
}


def _by(row: Row, name: str, which: str = "") -> bool:
    return row.file == "composite" and maker(row.group) == name and which in row.group


def seen(
    rows: Iterable[Row],
    models: Mapping[int, Model | None],
    fold: Callable[[Row], int] = lambda row: row.fold,
) -> dict[str, list[Match]]:
    """What is seen in each row, by the model that has seen nothing of its repository, or of what
    else `fold` goes by."""
    return {row.identity: list(find_matches(row.text, models[fold(row)])) for row in rows}


def warned(found: Mapping[str, list[Match]], stricter: float = 0.0) -> dict[str, bool]:
    """Which rows are suspect where the model has so many points less to give."""
    return {
        identity: decide(_weaker(all_seen, stricter)).suspect
        for identity, all_seen in found.items()
    }


def _weaker(all_seen: Iterable[Match], by: float) -> Iterator[Match]:
    for one in all_seen:
        if one.kind != KIND:
            yield one
        elif one.points - by >= LEAST:
            yield replace(one, points=one.points - by)


def rates(rows: Iterable[Row], flags: Mapping[str, bool]) -> list[Rate]:
    found = []
    for name, belongs in SLICES.items():
        chosen = [row for row in rows if row.identity in flags and belongs(row)]
        hits = sum(flags[row.identity] for row in chosen)
        found.append(Rate(name, hits, len(chosen), len({row.group for row in chosen})))
    return found
