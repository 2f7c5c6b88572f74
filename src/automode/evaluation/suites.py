"""Which files a run reads, and which of their cases it decides, in which order."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from automode.evaluation.cases import ENDINGS, BadCases, Case, Corpus, holds_cases, load, suite_name

OWN = Path(__file__).parent / "corpus"
MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Suites:
    """`passed_over` are files of the folder that hold something else than cases."""

    corpora: tuple[Corpus, ...]
    passed_over: tuple[str, ...] = ()


def suites(folder: Path | None, names: Sequence[str] = ()) -> Suites:
    """The corpora of a folder, or the project's own; with `names` only those. Raises BadCases."""
    place = OWN if folder is None else folder
    files = _files(place)
    for name in names:
        if name not in files:
            known = ", ".join(list(files)[:MOST_NAMED])
            raise BadCases(f"no suite `{name}` in `{place.name}`", f"there are: {known}")
    if names:
        return Suites(tuple(load(files[name]) for name in dict.fromkeys(names)))
    chosen = [path for path in files.values() if holds_cases(path)]
    if not chosen:
        raise BadCases(
            f"no file of `{folder}` holds cases" if folder else "there is no corpus in the package",
            "name a folder with files of cases (.jsonl or .jsonl.gz) with --data",
        )
    passed_over = tuple(path.name for path in files.values() if path not in chosen)
    return Suites(tuple(load(path) for path in chosen), passed_over)


def _files(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise BadCases(f"no such folder: `{folder}`", "name an existing one with --data")
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if not path.name.endswith(ENDINGS) or not path.is_file():
            continue
        name = suite_name(path)
        if name in found:
            raise BadCases(
                f"`{found[name].name}` and `{path.name}` would be one suite", "rename one of them"
            )
        found[name] = path
    return found


@dataclass(frozen=True, slots=True)
class DrawnCase:
    """A case and the corpus it comes from: together they are its name."""

    corpus: str
    case: Case

    @property
    def key(self) -> tuple[str, str]:
        return self.corpus, self.case.id


def draw(corpora: Iterable[Corpus], sample: int | None, seed: int) -> list[DrawnCase]:
    """At most `sample` cases of each corpus; all of them with None."""
    chosen: list[tuple[bytes, DrawnCase]] = []
    for corpus in corpora:
        ranked = sorted(
            (
                (_rank(seed, corpus.name, case.id), DrawnCase(corpus.name, case))
                for case in corpus.cases
            ),
            key=lambda one: one[0],
        )
        chosen += ranked[:sample]
    return [one for _, one in sorted(chosen, key=lambda one: one[0])]


def _rank(seed: int, corpus: str, identity: str) -> bytes:
    """The parts are written with their lengths: no two names give one text."""
    text = f"{seed} {len(corpus)} {corpus} {identity}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
