"""Writes what a GPU needs to learn consent.

    python -m tools.training.consent.prepare DATA BASE OUT

DATA is a folder of labelled calls, BASE one with `vocab.txt` and `model.safetensors` of
all-MiniLM-L6-v2. OUT gets the rows as numbers, the pieces of words in use, and the weights to start
from, without those of other pieces.
"""

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from automode.classifier.transcript import transcript_of_row
from automode.core.call import ToolCall
from automode.core.errors import BadCall
from automode.core.tools import tool_call
from automode.core.transcript import PriorCall
from automode.judge.asked import Asked
from automode.judge.consent_text import MARKS, Vocabulary, pieces
from automode.judge.embedded import read_features
from automode.judge.hearing import call_text
from automode.judge.requests import users_words
from tools.training.consent import tensors
from tools.training.consent.rows import LEARN, Row, every_row
from tools.training.judge.rows import CALLS, facts_of, session_of

ROWS, VOCABULARY, START = "rows.jsonl.gz", "vocabulary.txt", "start.safetensors"
WORDS = "embeddings.word_embeddings.weight"
FEW = 2  # a piece that fewer rows of others have is split further
LONGEST = 1500  # signs of a text that count for the pieces


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("out", type=Path)
    chosen = parser.parse_args(words)
    chosen.out.mkdir(parents=True, exist_ok=True)
    rows = [(row, call) for row in every_row(chosen.data) if (call := call_of(row)) is not None]
    full = (chosen.base / "vocab.txt").read_text("utf-8").removesuffix("\n").split("\n")
    kept = kept_pieces(full, rows)
    listed = [full[number] for number in kept]
    (chosen.out / VOCABULARY).write_text("\n".join(listed), "utf-8")
    base = tensors.read(chosen.base / "model.safetensors")
    tensors.write(chosen.out / START, {**base, WORDS: base[WORDS][kept]})
    vocabulary = Vocabulary(listed)
    counts: Counter[tuple[str, bool]] = Counter()
    with gzip.open(chosen.out / ROWS, "wt", compresslevel=6) as file:
        for row, call in rows:
            counts[row.part, row.covered] += 1
            file.write(json.dumps(_written(row, call, vocabulary)) + "\n")
    print(f"{len(kept)} pieces, rows {dict(counts)}")


def call_of(row: Row) -> ToolCall | None:
    try:
        return tool_call(row.tool, row.input)
    except BadCall:
        return None  # the gate denies it before any judge


def kept_pieces(full: Sequence[str], rows: Iterable[tuple[Row, ToolCall]]) -> list[int]:
    """Every single sign and mark, and what the rows to learn from have."""
    vocabulary = Vocabulary(full)
    own: Counter[int] = Counter()
    for row, call in rows:
        if row.part == LEARN or row.part == "held":
            texts = (*(one[:LONGEST] for one in row.words), call_text(call)[:LONGEST])
            seen = {one.number for text in texts for one in vocabulary.pieces(text)}
            own.update(seen)
    return [
        number
        for number, piece in enumerate(full)
        if piece in MARKS or len(piece.removeprefix("##")) == 1 or own[number] >= FEW
    ]


def _written(row: Row, call: ToolCall, vocabulary: Vocabulary) -> dict[str, object]:
    messages, states = words_and_states(row, call)
    found = pieces(vocabulary, messages, call_text(call), states)
    return {
        "id": row.id,
        "group": row.group,
        "part": row.part,
        "covered": row.covered,
        "weight": row.weight,
        "ids": found.ids,
        "kinds": "".join(map(str, found.kinds)),
    }


def words_and_states(row: Row, call: ToolCall) -> tuple[tuple[str, ...], dict[str, Asked]]:
    """The user's words as the judge takes them, and what its rules say of each deed."""
    said = [{"role": "user", "content": one} for one in row.words]
    before = [{"outcome": None, **one} for one in row.before]
    session = session_of(row.folder, transcript_of_row(said, before))
    seen = read_features(CALLS, facts_of(call, session), session, (), ())
    told = [one for one in session.transcript.entries if not isinstance(one, PriorCall)]
    return users_words(told).messages, dict(seen.deeds)


if __name__ == "__main__":
    main()
