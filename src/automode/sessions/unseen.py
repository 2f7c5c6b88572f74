"""A reset of all sessions, after the store has lost some: it is for those as well that return."""

from automode.sessions.book import SessionBook
from automode.sessions.deeds import Deeds, Place
from automode.sessions.lost_past import EVERY_SESSION, lately_resumed
from automode.sessions.person import NotKept


async def reset_unseen(book: SessionBook, deeds: Deeds, now: float) -> None:
    """Writes it down where it means anything: see `lost_past`."""
    if not await book.reading.run(lambda db: lately_resumed(db, now)):
        return
    told = "let every session begin anew, also those that the store has lost"
    kept = await book.keeper.append([deeds.done("reset", told, Place(EVERY_SESSION), ["--all"])])
    if kept.reason:
        raise NotKept(f"it could not be written down: {kept.reason}", "see `automode status`")
