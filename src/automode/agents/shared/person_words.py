"""Words to automode that a person types into an agent's prompt: `/automode off` and its kin."""

import re

from automode.agents.events import PersonSaid, Speaker

VERBS = ("on", "off", "reset", "approve", "status", "denials")

_SAID = re.compile(
    rf"\s*/auto-?mode(?:(?::|\s+)(?P<verb>{'|'.join(VERBS)})(?P<rest>\s.*)?)?\s*", re.DOTALL
)
_CODE = re.compile(r"[0-9]{6}")


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
