"""Which decisions a person wants to see, as the address of a page says."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from automode.core.decision import Verdict
from automode.core.errors import BadCall
from automode.core.record import Record, SessionKey, source_names
from automode.store.changes import RecordQuery, restore_text
from automode.store.database import Database
from automode.store.tables import Stored, newest_number, records

PAGE = 50
SEARCHED = 20_000
"""How many records one page searches through where no index helps; the next page goes on there."""
NAMES = ("agent", "project", "session", "verdict", "source", "text")
_VERDICTS = tuple(one.word for one in Verdict)
LONGEST = 500


@dataclass(frozen=True, slots=True)
class Filter:
    """Empty fields do not narrow."""

    agent: str = ""
    project: str = ""
    session: str = ""  # `host/id`
    verdict: str = ""  # one of the words, or `stopped`
    source: str = ""
    text: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "Filter":
        """Raises BadCall."""
        values = {name: given.get(name, "").strip()[:LONGEST] for name in NAMES}
        if values["verdict"] not in ("", "stopped", *_VERDICTS):
            raise BadCall(
                f"no such verdict: `{values['verdict'][:40]}`", f"it is one of {_VERDICTS}"
            )
        if values["session"] and "/" not in values["session"]:
            raise BadCall(f"no session: `{values['session'][:60]}`", "write it as `agent/id`")
        return cls(**values)

    @property
    def key(self) -> SessionKey | None:
        host, _, own = self.session.partition("/")
        return SessionKey(host, own) if self.session else None

    @property
    def verdicts(self) -> tuple[str, ...]:
        if self.verdict == "stopped":
            return tuple(word for word in _VERDICTS if word != Verdict.ALLOW.word)
        return (self.verdict,) if self.verdict else ()

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.text.casefold().split())

    @property
    def narrows(self) -> bool:
        return self != Filter()

    def query(self, **more: str | int) -> str:
        """As part of an address."""
        given = {name: getattr(self, name) for name in NAMES}
        set_ = {name: one for name, one in (given | more).items() if one not in ("", 0)}
        return urlencode(set_, errors="replace")

    def fits(self, record: Record) -> bool:
        """The same as the query of the store, for one record."""
        rooms = source_names(self.source)
        known = (
            self.agent in ("", record.session.host),
            self.project in ("", record.root),
            self.key in (None, record.session),
            not self.verdicts or record.verdict.word in self.verdicts,
            not self.source or any(_is_in(record.source, room) for room in rooms),
        )
        return all(known) and self.says(record)

    def says(self, record: Record) -> bool:
        """Whether every word stands somewhere in what people read of it."""
        if not self.words:
            return True
        told = (record.id, record.tool, record.action, record.source, record.reason)
        text = "\n".join((*told, str(record.session), record.cwd)).casefold()
        return all(word in text for word in self.words)

    def record_query(self, limit: int, before: int, after: int) -> RecordQuery:
        return RecordQuery(
            session=self.key,
            verdicts=self.verdicts,
            source=self.source,
            before=before,
            after=after,
            host=self.agent,
            root=self.project,
            # The store compares letters of ASCII alone; `says` looks again.
            words=tuple(word for word in self.words if word.isascii()),
            limit=limit,
        )


def _is_in(source: str, room: str) -> bool:
    return source == room or source.startswith(f"{room}.")


@dataclass(frozen=True, slots=True)
class Found:
    """The newest first. `older`: the number to go on before; 0 where nothing older is left.
    `searched_back`: the search stopped before it had enough."""

    rows: tuple[Stored, ...]
    older: int
    searched_back: bool = False


def browse(db: Database, wanted: Filter, before: int = 0, limit: int = PAGE) -> Found:
    """One page. Paging goes by the number of a record, so every page costs the same."""
    top = before or newest_number(db) + 1
    indexed = not (wanted.agent or wanted.project or wanted.source or wanted.text)
    floor = 0 if indexed else max(top - SEARCHED, 0)
    rows: list[Stored] = []
    for one in _matching(db, wanted, top, floor, limit + 1):
        rows.append(one)
        if len(rows) > limit:
            return Found(tuple(rows[:limit]), rows[limit - 1].number)
    return Found(tuple(rows), floor, searched_back=floor > 0)


def _matching(db: Database, wanted: Filter, top: int, floor: int, enough: int) -> Iterator[Stored]:
    while top > floor:
        found = records(db, wanted.record_query(enough, top, floor - 1))
        for one in found:
            if one.record is not None and wanted.says(one.record):
                yield one
        if len(found) < enough:
            return
        top = found[-1].number


def choices(db: Database) -> tuple[list[str], list[str]]:
    """The agents and the projects that are known, for the lists of a form."""
    found = db.rows("SELECT DISTINCT host, root FROM session ORDER BY host, root LIMIT 500")
    known = [(restore_text(str(host)), restore_text(str(root))) for host, root in found]
    return list(dict.fromkeys(host for host, _ in known)), sorted(
        {root for _, root in known if root}
    )
