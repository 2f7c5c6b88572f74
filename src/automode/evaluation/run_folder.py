"""The folder of one run: `run.json` says what was run with what, `decisions.jsonl` the outcome of
each case, checked field by field when it is read: what cannot be read is an error and never a case
that went well.

A folder belongs to one plan. Whatever could change a decision is part of its fingerprint: the
cases, the sample, the settings, the policy, the model, and this very code.
"""

import fcntl
import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeAlias

import automode
from automode.config.settings import Rule, Settings
from automode.core.errors import AutomodeError
from automode.evaluation.cases import ActionCase, Corpus, build
from automode.evaluation.outcomes import Outcome, Run, with_groups

Row: TypeAlias = dict[str, object]
DECISIONS = "decisions.jsonl"
_ANEW = "start the run again in another --out"


class Decisions:
    """Open for one run at a time: the kernel lets go of the file when the run dies."""

    def __init__(self, folder: Path) -> None:
        path = folder / DECISIONS
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._descriptor = os.open(path, flags, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._descriptor)
            raise AutomodeError(
                f"another run is writing to `{folder}`", "wait for it, or name another --out"
            ) from error
        try:
            # A run that was killed while it wrote has left half a line: it is decided again.
            os.ftruncate(self._descriptor, path.read_bytes().rfind(b"\n") + 1)
            self.outcomes = tuple(outcomes_in(folder))
        except (AutomodeError, OSError):
            self.close()
            raise

    def add(self, outcome: Outcome) -> None:
        """In one write: a reader beside it sees whole lines."""
        kind = "result" if outcome.screened else "action"
        line = json.dumps({"kind": kind, **asdict(outcome)}).encode("ascii") + b"\n"
        while line:
            line = line[os.write(self._descriptor, line) :]

    def close(self) -> None:
        os.close(self._descriptor)


def outcomes_in(folder: Path) -> Iterator[Outcome]:
    """What a run has written so far; half a line at the end is passed over. Raises AutomodeError,
    also where a case stands there twice."""
    path = folder / DECISIONS
    known: set[str] = set()
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                return
            one = _outcome(line, f"`{path}` line {number}")
            if one.key in known:
                hint = "run it into a new folder: no case may count twice"
                raise AutomodeError(f"`{path}` line {number}: `{one.key}` was decided before", hint)
            known.add(one.key)
            yield one


def _outcome(line: bytes, where: str) -> Outcome:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise AutomodeError(f"{where} is not JSON", _ANEW) from error
    if not isinstance(row, dict):
        raise AutomodeError(f"{where} is no decision of a run", _ANEW)
    try:
        return build(Outcome, row)
    except AutomodeError as error:
        raise AutomodeError(f"{where}: {error}", f"{error.hint}, or {_ANEW}") from error


def read_run(folder: str | Path) -> Run:
    """Sorted by corpus and id: the order in which a run was decided says nothing. Raises
    AutomodeError."""
    place = Path(folder)
    facts = facts_in(place)
    try:
        found = sorted(outcomes_in(place), key=lambda one: one.key)
    except OSError as error:
        what = (error.strerror or type(error).__name__).lower()
        hint = "name the folder of a run, as `automode eval` prints it"
        raise AutomodeError(f"`{place / DECISIONS}` cannot be read: {what}", hint) from error
    if not found:
        raise AutomodeError(f"`{place}` holds no decision", "run `automode eval` into it first")
    planned = facts.get("planned")
    name = place.resolve().name
    return Run(name, facts, with_groups(found), planned if isinstance(planned, int) else None)


FORMAT = 2
FACTS = "run.json"
_LIBRARIES = (
    "tree-sitter",
    "tree-sitter-bash",
    "tree-sitter-go",
    "tree-sitter-java",
    "tree-sitter-javascript",
    "tree-sitter-pwsh",
    "tree-sitter-rust",
    "tree-sitter-typescript",
    "shfmt-py",
    "sqlglot",
)
_NOT_DECIDING = ("file", "line", "enabled", "mode", "store", "audit", "notifications", "budget_usd")
"""Fields of settings that say where something is written down, not what is decided."""


def run_facts(plan: Mapping[str, object], corpora: Sequence[Corpus], settings: Settings) -> Row:
    """What is written to `run.json`; nothing in it names a person, a machine or a folder."""
    deciding: Row = {
        "plan": dict(plan),
        "corpora": [_corpus_facts(corpus) for corpus in corpora],
        "settings": digest(settings),
        "policy": digest(settings.policy),
        "versions": {
            "automode": _version("automode"),
            "code": _code_digest(),
            **{name: _version(name) for name in _LIBRARIES},
        },
    }
    return {
        "format": FORMAT,
        "fingerprint": _hash(json.dumps(deciding, sort_keys=True)),
        **deciding,
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "implementation": sys.implementation.name,
        },
        "commit": _commit(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def prepare_folder(folder: Path, facts: Row) -> None:
    """Makes the folder, or finds that it belongs to the same run. Raises AutomodeError."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FACTS
    if path.exists():
        _check_same(path, facts)
        return
    if any(folder.iterdir()):
        raise AutomodeError(
            f"`{folder}` holds other things than a run", "name an empty or a new folder with --out"
        )
    # Under its final name only when whole: half a file would lock everybody out.
    partly = folder / f"{FACTS}.part"
    partly.write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    partly.replace(path)


def facts_in(folder: Path) -> Row:
    """The `run.json` of a folder. Raises AutomodeError where there is none."""
    path = folder / FACTS
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AutomodeError(f"`{folder}` holds no run", "name the folder of a run") from error
    except ValueError as error:
        raise AutomodeError(f"`{path}` is not JSON", _ANEW) from error
    match found:
        case {"format": int(number), "fingerprint": str()} if number == FORMAT:
            return dict(found)
        case _:
            raise AutomodeError(f"`{path}` was not written by this version of automode", _ANEW)


def digest(value: object) -> str:
    """Of everything that decides, whichever file it was written in."""
    return _hash(json.dumps(_plain(value), sort_keys=True))


def _check_same(path: Path, facts: Row) -> None:
    known = facts_in(path.parent)
    if known["fingerprint"] == facts["fingerprint"]:
        return
    parts = ("plan", "corpora", "settings", "policy", "versions")
    other = [part for part in parts if known.get(part) != facts[part]]
    raise AutomodeError(
        f"`{path.parent}` holds another run: its {' and '.join(other)} differ",
        "name another folder with --out, or omit --out",
    )


def _corpus_facts(corpus: Corpus) -> Row:
    actions = sum(isinstance(case, ActionCase) for case in corpus.cases)
    counts = {"actions": actions, "results": len(corpus.cases) - actions}
    return {"name": corpus.name, "digest": corpus.digest, **counts}


def _plain(value: object) -> object:
    match value:
        case Rule():
            return [value.text, value.source.value]
        case tuple() | list():
            return [_plain(one) for one in value]
        case str() | int() | float() | None:
            return value
        case _ if is_dataclass(value):
            named = {one.name: getattr(value, one.name) for one in fields(value)}
            return {key: _plain(one) for key, one in named.items() if key not in _NOT_DECIDING}
        case _:
            return repr(value)


@cache
def _code_digest() -> str:
    """Decisions of two versions of the code must not stand in one file."""
    found = hashlib.sha256()
    root = Path(automode.__file__).parent
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            found.update(f"{path.relative_to(root).as_posix()}\0".encode())
            found.update(path.read_bytes())
    return found.hexdigest()


@cache
def _commit() -> str:
    """Of the checkout that this code runs from, `-dirty` where it was changed; empty without."""
    root = Path(automode.__file__).parents[2]
    if not (root / ".git").exists():
        return ""
    words = ("git", "-C", str(root), "describe", "--always", "--dirty", "--exclude=*", "--abbrev=8")
    try:
        found = subprocess.run(words, capture_output=True, text=True, timeout=10)  # noqa: S603
        return found.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
