"""Who may ask for what: four tokens in files that only the account can read.

`decide` is for hooks and may only have calls decided. `prompt` is for the hooks that carry a user's
own words. `person` is for what only a person may do; hooks never read that file. `http` stands in
agents' own settings, where they can read it: it opens nothing but the hooks on loopback.
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
    HTTP = "http"


_INCLUDES = {
    Right.DECIDE: frozenset({Right.DECIDE}),
    Right.PROMPT: frozenset({Right.DECIDE, Right.PROMPT}),
    Right.PERSON: frozenset({Right.DECIDE, Right.PERSON}),
    Right.HTTP: frozenset[Right](),
}
"""A person's token carries no user's words: those come from the agent's own hook alone. That of
HTTP hooks is worth something at its own door only; see `over_loopback`."""


@dataclass(frozen=True, slots=True)
class Tokens:
    _known: tuple[tuple[Right, bytes], ...] = field(repr=False)

    @classmethod
    def of(cls, folder: StateFolder) -> "Tokens":
        """Made on the first call and kept over restarts. Raises BadFolder."""
        return cls(tuple((right, token_of(folder, right).encode()) for right in Right))

    def rights(self, given: str) -> frozenset[Right]:
        """Every token is compared, whichever fits, so that the time taken tells nothing."""
        return frozenset().union(*(_INCLUDES[right] for right in self._named(given)))

    def over_loopback(self, given: str) -> str | None:
        """The token as which one is taken that came over HTTP; None where it has no right there."""
        named = self._named(given)
        if Right.HTTP in named:
            return next(known.decode() for right, known in self._known if right is Right.DECIDE)
        return given if named else None

    def _named(self, given: str) -> list[Right]:
        offered = given.encode("utf-8", "replace")
        return [right for right, known in self._known if hmac.compare_digest(offered, known)]


def token_of(folder: StateFolder, right: Right) -> str:
    """As it is sent. Made on the first call. Raises BadFolder."""
    return secret(folder.token(right.value)).hex()
