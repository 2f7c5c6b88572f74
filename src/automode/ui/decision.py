"""One decision: what was asked, who decided and why, what would change it."""

import json
from decimal import Decimal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from automode.core.errors import BadCall
from automode.core.record import Record, clearance
from automode.evaluation.recorded_calls import words_before
from automode.store.changes import Approved
from automode.store.tables import approvals, record
from automode.ui.recorded import RecordedCall, edited, rules_text
from automode.ui.window import Fields, Window


def routes(window: Window) -> list[BaseRoute]:
    def page(request: Request) -> Response:
        found, given = _found(window, request)
        part = bool(request.headers.get("hx-request"))
        return window.page(
            request,
            "decision.html",
            record=found,
            given=given,
            clearance=clearance(found),
            input=_pretty(found.input),
            cost=_cost(found),
            part=part,
        )

    def again(request: Request) -> Response:
        found, _ = _found(window, request)
        call = RecordedCall.of(found)
        settings = window.load(call.workspace.root).settings
        with window.reading() as db:
            said = words_before(db, found)
        return window.page(
            request,
            "again.html",
            record=found,
            again=call.again(settings, window.folders),
            prompt=call.prompt(settings, found, said),
            rules=rules_text(settings),
        )

    def what_if(request: Request, given: Fields) -> Response:
        found, _ = _found(window, request)
        call = RecordedCall.of(found)
        settings = window.load(call.workspace.root).settings
        return window.page(
            request,
            "what_if.html",
            before=call.decide(settings, window.folders),
            after=call.decide(edited(settings, given), window.folders),
        )

    def approve(request: Request, given: Fields) -> Response:
        found, _ = _found(window, request)
        long = given.get("how") == "session"
        window.ask_as_person("approve", {"record": found.id, "session_long": long})
        return window.back_to(f"/decision/{found.id}")

    return [
        Route("/decision/{id}", page),
        Route("/decision/{id}/again", again),
        window.trial("/decision/{id}/what-if", what_if),
        window.change("/decision/{id}/approve", approve),
    ]


def _found(window: Window, request: Request) -> tuple[Record, Approved | None]:
    """The record, and the newest approval that a person gave to it."""
    with window.reading() as db:
        stored = record(db, str(request.path_params["id"]))
        if stored.record is None:
            raise BadCall(
                f"the content of record `{stored.id}` was purged", "nothing is left of it"
            )
        given = [one for one in approvals(db, stored.session) if one.record == stored.id]
    return stored.record, (given[0] if given else None)


def _pretty(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _cost(found: Record) -> Decimal:
    return sum((Decimal(one.usd or 0) for one in found.stages), Decimal(0))
