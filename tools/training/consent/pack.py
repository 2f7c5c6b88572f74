"""Packs a trained model: `python -m tools.training.consent.pack TRAINED VOCABULARY [OUT]`.

Weights become whole numbers of eight bits. The same input gives the same bytes.
"""

import argparse
import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from automode.judge.consent_model import FILE, SCALE, SUMS
from tools.training.consent import tensors

WEIGHTS = Path(__file__).parents[3] / "src/automode/judge/weights"
TABLES = ("word", "place", "kind")  # looked up by row; the others are multiplied by
PLACES = 384  # more pieces than any call has
HEADS = 12
EPOCH = (1980, 1, 1, 0, 0, 0)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trained", type=Path)
    parser.add_argument("vocabulary", type=Path)
    parser.add_argument("out", type=Path, nargs="?", default=WEIGHTS)
    parser.add_argument("--clears-from", type=float, required=True)
    parser.add_argument("--version", default=date.today().isoformat())
    chosen = parser.parse_args(words)
    arrays = small(tensors.read(chosen.trained))
    layers = 1 + max(int(name.split(".")[1]) for name in arrays if name.startswith("layers."))
    about = {
        "version": chosen.version,
        "layers": layers,
        "heads": HEADS,
        "clears_from": chosen.clears_from,
    }
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    arrays["vocabulary"] = np.frombuffer(chosen.vocabulary.read_bytes(), np.uint8)
    packed = archive(arrays)
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / FILE).write_bytes(packed)
    digest = hashlib.sha256(packed).hexdigest()
    (chosen.out / SUMS).write_text(f"{digest}  {FILE}\n", encoding="ascii")
    print(f"{len(packed)} bytes, SHA-256 {digest}")


def small(given: Mapping[str, tensors.Array]) -> "dict[str, NDArray[np.generic]]":
    found: dict[str, NDArray[np.generic]] = {}
    for name, one in given.items():
        key = name.removesuffix(".weight")
        if one.ndim == 1:
            found[name] = one.astype(np.float16)
            continue
        table = key in TABLES
        values = one[:PLACES] if key == "place" else one if table else one.T
        largest = np.abs(values).max(1 if table else 0, keepdims=True)
        scale = np.where(largest > 0, largest / 127, 1).astype(np.float32)
        key = key if table else name
        found[key] = np.round(values / scale).astype(np.int8)
        found[f"{key}{SCALE}"] = scale
    return found


def archive(arrays: "Mapping[str, NDArray[np.generic]]") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name in sorted(arrays):
            part = io.BytesIO()
            np.lib.format.write_array(part, np.ascontiguousarray(arrays[name]), allow_pickle=False)
            file.writestr(
                zipfile.ZipInfo(f"{name}.npy", EPOCH), part.getvalue(), zipfile.ZIP_DEFLATED, 9
            )
    return buffer.getvalue()


if __name__ == "__main__":
    main()
