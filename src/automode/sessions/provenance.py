"""Whose words a prompt is made of: held against what the agent and its sub-agents told tools."""

import asyncio
from itertools import chain

from automode.core.transcript import Entry
from automode.sessions.book import Live, SessionBook
from automode.sessions.scribe import Scribe
from automode.sessions.words import said_by_agent


async def agents_words(book: SessionBook, scribe: Scribe, live: Live, text: str) -> bool:
    """In a thread: a family may have written megabytes."""
    top = [live, *book.ancestors(live)][-1]
    entries = [one.recorder.transcript.entries for one in (top, *book.below(top))]
    if not any(entries):
        return False
    # What came back from the store is without secrets, so the words are looked for without, too.
    forms = dict.fromkeys((text, scribe.brief(text)))
    return await asyncio.to_thread(_any_said, tuple(forms), entries)


def _any_said(forms: tuple[str, ...], entries: list[tuple[Entry, ...]]) -> bool:
    return any(said_by_agent(form, chain.from_iterable(entries)) for form in forms)
