"""What Gemini CLI's own record of a session says: which prompts a person typed otherwise.

Its hook is given what a command (`/name`) of a project, of an extension or of a server makes of a
person's words. The record keeps beside it what they typed, and has it before the first call.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from automode.agents.shared.dialects import read_text, typed_text
from automode.facts.record_file import LONGEST_TAIL, Row, record_rows

_PLACE = re.compile(r"/.+/\.gemini/tmp/[^/]+/chats/(?:[^/]+/)?[^/]+\.jsonl", re.DOTALL)


def made_by_commands(
    path: str, texts: Iterable[str], *, tail: int = LONGEST_TAIL
) -> dict[str, bool] | None:
    """True for those of the prompts that the person typed as something else; without those that
    the record does not know. None where there is no record that may be believed."""
    rows = record_rows(path, _PLACE, tail)
    if rows is None:
        return None
    wanted = {text: _plain(text) for text in texts}
    made: dict[str, bool] = {}
    for row in _messages(rows):
        content, shown = _words(row.get("content")), _words(row.get("displayContent"))
        made[content] = made.get(content, False) or shown not in ("", content)
    return {text: made[plain] for text, plain in wanted.items() if plain in made}


def _messages(rows: Iterable[Row]) -> Iterator[Mapping[str, object]]:
    """One to a row, or several where it writes its messages anew."""
    for row in rows:
        match row:
            case {"$set": {"messages": [*several]}}:
                yield from (one for one in several if _is_users(one))
            case _ if _is_users(row):
                yield row
            case _:
                pass


def _is_users(row: object) -> bool:
    return isinstance(row, Mapping) and row.get("type") == "user"


def _words(content: object) -> str:
    """As the adapter tells them: without context of hooks, and without files that were named."""
    return _plain(typed_text(read_text({"llmContent": content})))


def _plain(text: str) -> str:
    return " ".join(text.split())
