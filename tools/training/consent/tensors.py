"""Files of weights in the safetensors format, with numpy alone."""

import json
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
_KINDS = {"F16": np.float16, "F32": np.float32}


def read(path: Path) -> dict[str, Array]:
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    body = memoryview(raw)[8 + size :]
    found: dict[str, Array] = {}
    for name, one in json.loads(raw[8 : 8 + size]).items():
        if name != "__metadata__" and one["dtype"] in _KINDS:
            start, end = one["data_offsets"]
            values = np.frombuffer(body[start:end], _KINDS[one["dtype"]])
            found[name] = values.reshape(one["shape"]).astype(np.float32)
    return found


def write(path: Path, arrays: Mapping[str, Array]) -> None:
    """As numbers of sixteen bits."""
    head: dict[str, object] = {}
    parts: list[bytes] = []
    start = 0
    for name, one in arrays.items():
        part = one.astype(np.float16).tobytes()
        place = [start, start + len(part)]
        head[name] = {"dtype": "F16", "shape": list(one.shape), "data_offsets": place}
        parts.append(part)
        start += len(part)
    text = json.dumps(head).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))
