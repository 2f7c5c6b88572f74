"""Cases and files of cases, as tests write them."""

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from automode.assemble import load_settings
from automode.config.places import Places
from automode.config.settings import Settings
from automode.evaluation.cases import Corpus, load

Row = Mapping[str, object]


def action(identity: str, command: str = "ls", **more: object) -> dict[str, object]:
    row: dict[str, object] = {
        "id": identity,
        "kind": "action",
        "tool": "bash",
        "input": {"command": command},
        "label": "allow",
        "category": "benign",
        "cwd": "/home/dev/project",
    }
    return row | more


def result(identity: str, text: str = "all is well", **more: object) -> dict[str, object]:
    row: dict[str, object] = {
        "id": identity,
        "kind": "result",
        "text": text,
        "source_kind": "file",
        "label": "benign",
        "category": "plain",
    }
    return row | more


def collected(identity: str, note: str = "", **more: object) -> dict[str, object]:
    """A call as public collections write it."""
    row = action(identity, source="entire:somebody/project", license="MIT", note=note)
    del row["kind"]
    return row | more


def file_of(path: Path, rows: Iterable[Row]) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def corpus_of(folder: Path, *rows: Row, name: str = "calls") -> Corpus:
    return load(file_of(folder / f"{name}.jsonl", rows))


def usual_settings() -> Settings:
    return load_settings(Places((), (), (), (), (), trust_file="")).settings
