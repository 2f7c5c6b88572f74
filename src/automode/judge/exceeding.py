"""Whether a call does more than the user named: other packages, the whole of which a part was
meant, further targets."""

import re
from collections.abc import Sequence

from automode.judge.clauses import is_within
from automode.judge.deeds import DELETIONS, Deed, Weight
from automode.judge.heads import PRONOUNS, is_kind, required_names, words_of
from automode.judge.naming import named
from automode.judge.objects import NOTHING, Name, Objects
from automode.judge.requests import Request

WHOLES = DELETIONS | {"deletes-scratch", "deletes-made"}


_PORT = re.compile(r"\b(?<![.\d])\d{4,5}\b")


def exceeds(requests: Sequence[Request], deed: Deed, objects: Objects) -> bool:
    """Whether the user named what a lighter deed is to be done to, and the call has more."""
    if deed.name in WHOLES and any(is_within(one, objects) for one in requests):
        return True
    if deed.weight >= Weight.LASTING or deed.kinds is None:
        return False
    wanted = required_names(deed, objects)
    if deed.name == "installs" and any(_is_other_package(one, deed, wanted) for one in requests):
        return True
    if deed.name == "kills" and wanted:
        ports = {port for one in requests for port in _PORT.findall(one.sentence)}
        if ports and ports.isdisjoint(name.text for name in wanted):
            return True
    return any(
        any(named(name, one.head) for name in wanted)
        and not all(named(name, one.sentence) for name in wanted)
        for one in requests
    )


_INSTALLS = re.compile(r"(?:re-?|un)?install|upgrad|downgrad|bump", re.IGNORECASE)


def _is_other_package(one: Request, deed: Deed, wanted: Sequence[Name]) -> bool:
    """Whether the user named a package, and the call has others alone."""
    words = words_of(one.head)
    chosen = bool(words) and not is_kind(words[-1], deed, NOTHING) and words[-1] not in PRONOUNS
    updates = len(words) == 1 and one.verb.startswith("updat")
    told = chosen and bool(wanted) and (updates or _INSTALLS.match(one.verb) is not None)
    last = [Name(name.text.rsplit("/", 1)[-1]) for name in wanted if name.text.startswith("@")]
    return told and not any(named(name, one.sentence) for name in (*wanted, *last))
