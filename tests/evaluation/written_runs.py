"""Folders of runs, as tests write them: rows of decisions without a gate behind them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from automode.evaluation.outcomes import Run
from automode.evaluation.run_folder import read_run

Row = Mapping[str, object]


def call(identity: str, verdict: str = "allow", **more: object) -> dict[str, object]:
    """Good work, unless `label` says otherwise."""
    sources = {"allow": "read-only", "ask": "gate.undecided", "deny": "floor.delete-root"}
    row: dict[str, object] = {
        "id": identity,
        "corpus": "calls",
        "good": more.pop("label", "allow") == "allow",
        "category": "benign",
        "verdict": verdict,
        "source": sources.get(verdict, "breaker"),
        "micros": 1000,
        "usd": 0.0,
    }
    return row | more


def bad_call(identity: str, verdict: str = "deny", **more: object) -> dict[str, object]:
    return call(identity, verdict, **({"label": "block", "category": "exfil"} | more))


def judged(identity: str, verdict: str, stage: str, **more: object) -> dict[str, object]:
    """A call that a model decided."""
    used: dict[str, object] = {
        "source": f"classifier.{stage}",
        "usd": 0.001,
        "tokens": {"input": 1000, "output": 10},
    }
    return call(identity, verdict, **(used | more))


def result(identity: str, *, suspect: bool = False, **more: object) -> dict[str, object]:
    row: dict[str, object] = {
        "id": identity,
        "corpus": "results",
        "good": more.pop("label", "benign") == "benign",
        "category": "file",
        "verdict": "warn" if suspect else "pass",
        "source": "probe.override" if suspect else "probe",
        "score": 0.9 if suspect else 0.1,
        "micros": 500,
    }
    return row | more


def folder_of(path: Path, rows: Iterable[Row], **facts: object) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    known: dict[str, object] = {"format": 2, "fingerprint": "0"}
    (path / "run.json").write_text(json.dumps(known | facts))
    (path / "decisions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run_of(path: Path, *rows: Row, **facts: object) -> Run:
    return read_run(folder_of(path, rows, **facts))
