"""What travels over the wire: one request out, one answer back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from automode.llm.endpoints import Endpoint
from automode.llm.failures import Failures


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes


@dataclass(frozen=True, slots=True)
class Parcel:
    """One request: it goes to `endpoint`, with its key, and nowhere else."""

    endpoint: Endpoint
    path: str
    body: str
    timeout_seconds: float  # over the whole exchange


class Carrier(Protocol):
    async def post(self, parcel: Parcel, failures: Failures) -> Answer: ...

    async def close(self) -> None: ...
