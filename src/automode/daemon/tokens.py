"""Who may ask for what: three tokens in files that only the account can read.

`decide` is for hooks and may only have calls decided. `prompt` is for the hooks that carry a user's
own words. `person` is for what only a person may do; hooks never read that file.
"""

import hmac
from dataclasses import dataclass, field
from enum import StrEnum

from automode.store.folder import StateFolder, secret


class Right(StrEnum):
    """Also the name of the token's file."""

    DECIDE = "decide"
    PROMPT = "prompt"
    PERSON = "person"


_INCLUDES = {
    Right.DECIDE: frozenset({Right.DECIDE}),
    Right.PROMPT: frozenset({Right.DECIDE, Right.PROMPT}),
    Right.PERSON: frozenset({Right.DECIDE, Right.PERSON}),
}
"""A person's token carries no user's words: those come from the agent's own hook alone."""


@dataclass(frozen=True, slots=True)
class Tokens:
    _known: tuple[tuple[Right, bytes], ...] = field(repr=False)

    @classmethod
    def of(cls, folder: StateFolder) -> "Tokens":
        """Made on the first call and kept over restarts. Raises BadFolder."""
        return cls(tuple((right, token_of(folder, right).encode()) for right in Right))

    def rights(self, given: str) -> frozenset[Right]:
        """Every token is compared, whichever fits, so that the time taken tells nothing."""
        found: frozenset[Right] = frozenset()
        offered = given.encode("utf-8", "replace")
        for right, known in self._known:
            if hmac.compare_digest(offered, known):
                found |= _INCLUDES[right]
        return found


def token_of(folder: StateFolder, right: Right) -> str:
    """As it is sent. Made on the first call. Raises BadFolder."""
    return secret(folder.token(right.value)).hex()
