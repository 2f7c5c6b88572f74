"""Which words are kin: clusters of the vectors that a sentence encoder gives to single words.

Run once, and only where other families of words are wanted: `train.py` takes the families of the
shipped weights. The words are the encoder's own and those of our grammar, none of anybody's data.
"""

import argparse
import json
from importlib import import_module
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from automode.probe.model import tokens
from tools.training.probe.grammar import Grammar

Floats = NDArray[np.float32]
FAMILIES = 300
_DIMENSIONS = 64
_BATCH = 256
_ROUNDS = 12
_SAMPLED = 8000


def words(encoder: Path) -> list[str]:
    """The encoder's whole words, and what our grammar says."""
    known = (encoder / "vocab.txt").read_text(encoding="utf-8").split()
    found = {word for word in known if word.isalpha() and word.isascii() and len(word) > 1}
    grammar = Grammar(Random(3))
    for number in range(_SAMPLED):
        goal = grammar.goals[number % len(grammar.goals)]
        said = (grammar.planted(goal) if number % 2 else grammar.ordinary()).text.lower()
        found |= {word for word, _, _ in tokens(said, 0, len(said)) if word.isalpha()}
    return sorted(found)


def families(vectors: Floats, count: int = FAMILIES) -> NDArray[np.int64]:
    """K-means by direction, the same each time."""
    centred = vectors - vectors.mean(0)
    _, _, axes = np.linalg.svd(centred[::3], full_matrices=False)
    points = centred @ axes[:_DIMENSIONS].T
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    centres = points[np.random.RandomState(0).choice(len(points), count, replace=False)]
    nearest = np.zeros(len(points), dtype=np.int64)
    for _ in range(_ROUNDS):
        nearest = (points @ centres.T).argmax(1)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, points)
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(length > 0, sums / np.maximum(length, 1e-9), centres)
    return nearest


def encoded(encoder: Path, said: list[str]) -> Floats:
    """One vector for each word, from `model.onnx` and `tokenizer.json` in a folder."""
    # Neither is there where only training is wanted, and neither publishes all of its types.
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(encoder / "tokenizer.json"))
    tokenizer.no_padding()
    session = import_module("onnxruntime").InferenceSession(str(encoder / "model.onnx"))
    pieces = [tokenizer.encode(word).ids for word in said]
    order = sorted(range(len(said)), key=lambda at: len(pieces[at]))
    found = np.zeros((len(said), 384), dtype=np.float32)
    for at in range(0, len(order), _BATCH):
        chosen = order[at : at + _BATCH]
        longest = max(len(pieces[one]) for one in chosen)
        ids = np.zeros((len(chosen), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, one in enumerate(chosen):
            ids[row, : len(pieces[one])] = pieces[one]
            mask[row, : len(pieces[one])] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = session.run(None, inputs)[0]
        found[chosen] = (states * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("encoder", type=Path, help="folder with all-MiniLM-L6-v2 as ONNX")
    parser.add_argument("out", type=Path, help="JSON file: word to number of its family")
    given = parser.parse_args()
    said = words(given.encoder)
    numbers = families(encoded(given.encoder, said))
    kin = {word: int(number) + 1 for word, number in zip(said, numbers, strict=True)}
    given.out.write_text(json.dumps(kin))


if __name__ == "__main__":
    main()
