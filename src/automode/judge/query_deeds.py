"""Which deeds a query is that a tool is given."""

import re
from collections.abc import Iterator, Mapping

from automode.core.input_paths import input_texts
from automode.programs import sql
from automode.programs.deeds import Said, deeds_in

_STATEMENT = re.compile(
    r"(?i)\b(?:drop|truncate|delete|insert|update|alter|create|grant|revoke)\s+"
    r"(?:table|database|schema|from|into|index|view|user|role|column|\w+\s+set)\b"
)
_QUERY = re.compile(r"\s*(?:select|with|explain|show|values)\s", re.IGNORECASE)


def database_deeds(text: str, given: Mapping[str, object]) -> Iterator[str]:
    """A query is what its text says, whatever the tool is called."""
    if _STATEMENT.search(text):
        yield from deeds_in((("like", "databases database-shells"),), Said((text,), ()))
    for one in input_texts(given):
        if _QUERY.match(one) and sql.judge(one, "postgres").effect:
            yield "changes-database"
