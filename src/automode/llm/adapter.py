"""The seam between one wire format and everything around it."""

from collections.abc import Mapping
from typing import Protocol

from automode.llm.known_models import Traits
from automode.llm.model import Ask, Prompt, Reply


class UnknownShape(Exception):
    """The response is not what the provider documents; `str()` says what is missing."""


class Adapter(Protocol):
    """Pure: writes a request and reads a response; a module with these functions is one."""

    def path(self, model_id: str) -> str: ...

    def body(self, model_id: str, prompt: Prompt, ask: Ask, traits: Traits) -> dict[str, object]:
        """The request, of JSON values only."""
        ...

    def reply(self, payload: Mapping[str, object], ask: Ask) -> Reply:
        """Reads a successful response, or raises UnknownShape."""
        ...
