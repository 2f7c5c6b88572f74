"""The fields of an agent's payload, with an error for everything that does not fit."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from automode.core.errors import BadCall


@dataclass(frozen=True, slots=True)
class Fields:
    """Reads payloads of one agent. The words are for errors: a field is missing in what was `said`,
    one of `whose` is odd, and `hint` is the way out."""

    said: str
    whose: str
    hint: str

    def text(self, payload: Mapping[str, object], field: str) -> str:
        text = self.optional(payload, field)
        if not text:
            raise BadCall(f"no `{field}` in {self.said}", self.hint)
        return text

    def optional(self, payload: Mapping[str, object], field: str, *, odd: bool = False) -> str:
        """Empty without it. `odd`: what a tool printed may hold anything."""
        found = payload.get(field)
        if found is None:
            return ""
        if isinstance(found, str) and (odd or "\0" not in found):
            return found
        raise BadCall(f"`{field}` of {self.whose} is not plain text", self.hint)

    def given(
        self, payload: Mapping[str, object], field: str, *, written: bool = False
    ) -> Mapping[str, object]:
        """An object, such as a tool's input. `written`: it may come as a text in JSON."""
        given = payload.get(field)
        if written and isinstance(given, str):
            try:
                given = json.loads(given)
            except ValueError as error:
                raise BadCall(f"`{field}` of {self.whose} is no JSON", self.hint) from error
        if not isinstance(given, Mapping):
            raise BadCall(f"`{field}` of {self.whose} is no object", self.hint)
        return given

    def folder(self, payload: Mapping[str, object]) -> str:
        """A relative one would be looked up from wherever the daemon happens to stand."""
        folder = self.text(payload, "cwd")
        if not folder.startswith("/"):
            raise BadCall(f"`cwd` in {self.said} is not an absolute path", self.hint)
        return folder
