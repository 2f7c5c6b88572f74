"""The files that are known: what they are, and how their answers are read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from automode.llm.gguf.questions import Calibration

_PINNED = re.compile(r"(.+)#([0-9a-f]{64})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Weights:
    title: str
    calibration: Calibration


# Fitted by tools/training/gguf; what they clear of held-back calls:
# docs/reference/gguf-calibration.md.
KNOWN: Mapping[str, Weights] = MappingProxyType(
    {
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046": Weights(
            "Qwen2.5-Coder-1.5B-Instruct, Q4_K_M", Calibration(1.83, (3.56, 1.74), 0.06)
        ),
    }
)
# Nobody has measured these, so they have to be surer.
UNKNOWN = Weights("an unknown model", Calibration(0.0, (0.5, 0.5), 0.1))


@dataclass(frozen=True, slots=True)
class Named:
    """A file as the settings name it: `PATH`, or `PATH#SHA256` for one that is not known."""

    path: str
    sha256: str = ""


def named(model_id: str) -> Named:
    pinned = _PINNED.fullmatch(model_id)
    return Named(pinned[1], pinned[2]) if pinned else Named(model_id)
