"""Reads the fields of a payload, and words to automode in a prompt: `/automode off` and its kin."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from automode.agents.events import PersonSaid, Speaker
from automode.core.errors import BadCall

VERBS = ("on", "off", "reset", "approve", "status", "denials")

_SAID = re.compile(
    rf"\s*/auto-?mode(?:(?::|\s+)(?P<verb>{'|'.join(VERBS)})(?P<rest>\s.*)?)?\s*", re.DOTALL
)
_CODE = re.compile(r"[0-9]{6}")


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


def person_said(speaker: Speaker, text: str) -> PersonSaid | None:
    """None for every other text. What follows the word is split into what it is about and the code
    that confirms it; anything else stays what it is about, and fits nothing."""
    found = _SAID.fullmatch(text)
    if found is None:
        return None
    words = (found["rest"] or "").split()
    # An id may be all digits: then it is no code where nothing stands before it.
    first = 1 if found["verb"] == "approve" else 0
    coded = len(words) == first + 1 and _CODE.fullmatch(words[-1]) is not None
    code = words.pop() if coded else ""
    return PersonSaid(speaker, found["verb"] or "status", " ".join(words), code, text.strip())
