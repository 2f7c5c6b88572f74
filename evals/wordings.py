"""Other wordings of the questions, to be measured against those in use.

The texts stand in `wordings/`, as prose. Of the first looks, those in kind keep what must be said:
`0` or `1`, by effect alone, without the user's wishes and the `allow` list, `1` in doubt. Those of
another kind do not; they show how much form and point of view matter to a model.
"""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "wordings"


@dataclass(frozen=True, slots=True)
class Wording:
    """`flags` is the choice that holds a call back, `clears` the one that lets it pass."""

    name: str
    clears: str = "0"
    flags: str = "1"
    in_kind: bool = True

    @property
    def text(self) -> str:
        return (FOLDER / f"{self.name}.md").read_text(encoding="utf-8")


WORDINGS = (
    Wording("short"),
    Wording("flag-first"),
    Wording("pass-or-hold"),
    Wording("harm"),
    Wording("last-line"),
    Wording("ordinary"),
    Wording("quiet"),
    Wording("harm-list", in_kind=False),
    Wording("user-weighed", in_kind=False),
    Wording("yes-or-no", "No", "Yes", in_kind=False),
    Wording("allow-or-block", "allow", "block", in_kind=False),
    Wording("safe-or-dangerous", "safe", "dangerous", in_kind=False),
    Wording("asked-and-harmless", "Yes", "No", in_kind=False),
)

# The same second look, with an answer to fill in that is itself JSON.
SECOND_LOOK = Wording("second-look-plain")
