"""Audit: search, check, take along, and a report of a week to print."""

import os
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from automode.store.audit import chain_lines, csv_lines, verify_store, write_parquet
from automode.store.changes import RecordQuery
from automode.store.tables import newest_number, records
from automode.store.trends import trends
from automode.ui.filters import choices
from automode.ui.window import Entry, Window

ENTRY = Entry("/audit", "Audit")
REPORT_DAYS = 7
MOST_STOPPED = 200  # rows of a report
_STOPPED = ("ask", "deny", "halt")


def routes(window: Window) -> list[BaseRoute]:
    def page(request: Request) -> Response:
        with window.reading() as db:
            agents, projects = choices(db)
            count = newest_number(db)
        return window.page(request, "audit.html", agents=agents, projects=projects, count=count)

    def check(request: Request) -> Response:
        return window.page(
            request, "verified.html", chains=verify_store(window.state, window.store, seals=True)
        )

    def jsonl(request: Request) -> Response:
        return _download(chain_lines(window.state, window.store), "jsonl", "application/x-ndjson")

    def table(request: Request) -> Response:
        return _download(csv_lines(window.state, window.store), "csv", "text/csv")

    def parquet(request: Request) -> Response:
        descriptor, file = tempfile.mkstemp(prefix="automode-", suffix=".parquet")
        try:
            write_parquet(window.state, window.store, descriptor)
        except BaseException:
            os.unlink(file)
            raise
        name, gone = "automode-decisions.parquet", BackgroundTask(os.unlink, file)
        return FileResponse(file, filename=name, background=gone)

    def report(request: Request) -> Response:
        now = time.time()
        since = now - REPORT_DAYS * 24 * 3600
        with window.reading() as db:
            found = trends(db, datetime.fromtimestamp(now).date(), REPORT_DAYS)
            query = RecordQuery(verdicts=_STOPPED, since=since, limit=MOST_STOPPED + 1)
            stopped = [one.record for one in records(db, query) if one.record is not None]
        return window.page(
            request,
            "report.html",
            found=found,
            stopped=stopped[:MOST_STOPPED],
            more=len(stopped) > MOST_STOPPED,
            since=since,
            now=now,
            days=REPORT_DAYS,
        )

    return [
        Route("/audit", page),
        Route("/audit/check", check),
        Route("/audit/decisions.jsonl", jsonl),
        Route("/audit/decisions.csv", table),
        Route("/audit/decisions.parquet", parquet),
        Route("/audit/report", report),
    ]


def _download(lines: Iterator[str], ending: str, kind: str) -> Response:
    first = next(lines, "")  # what is wrong is said on a page, not in the middle of a file
    name = f'attachment; filename="automode-decisions.{ending}"'

    def text() -> Iterator[str]:
        yield f"{first}\n" if first else ""
        for line in lines:
            yield f"{line}\n"

    return StreamingResponse(text(), media_type=kind, headers={"content-disposition": name})
