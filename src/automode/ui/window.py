"""What every page needs: the store, the daemon, templates, and who looks."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from urllib.parse import parse_qsl, quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from automode.config.load import Loaded
from automode.config.settings import visible
from automode.core.decision import Verdict
from automode.core.errors import AutomodeError
from automode.daemon.client import SECONDS
from automode.daemon.client import request as ask_daemon
from automode.daemon.frames import Right
from automode.guards.own_files import OwnFolders
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.ui.access import Access, TurnedAway, Visitor, same_token
from automode.ui.checks import Checks

LONGEST_TEXT = 100_000  # characters of any one value on a page
LONGEST_FORM = 1_000_000  # bytes
PERSON_SECONDS = 60.0
_KEPT = ("\n", "\t")
Fields = Mapping[str, str]


def clean(text: str) -> str:
    """`text` as a page may show it: what could hide or turn text around (control characters, escape
    sequences, marks of direction) is spelled out. HTML is escaped by the templates."""
    cut = text[:LONGEST_TEXT]
    if cut.isascii() and cut.isprintable():
        return cut if len(cut) == len(text) else f"{cut}…"
    shown = "".join(
        one if visible(one) or one in _KEPT else one.encode("unicode_escape").decode("ascii")
        for one in cut
    )
    return shown if len(cut) == len(text) else f"{shown}…"


def _shown(value: object) -> object:
    """What templates do with every value: nothing from an agent or a file gets past `clean`."""
    match value:
        case Markup():
            return value
        case None:
            return ""
        case _:
            return clean(str(value))


def one_line(text: str, most: int = 300) -> str:
    line = clean(text[: most * 4]).replace("\n", "⏎ ").replace("\t", " ")
    return f"{line[: most - 1]}…" if len(line) > most else line


def marked(text: str) -> Markup:
    """Our own sentences put names and values in backticks."""
    parts = clean(text).split("`")
    if len(parts) % 2 == 0:
        return escape(clean(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(one) if number % 2 else escape(one)
        for number, one in enumerate(parts)
    )


def in_address(text: str) -> str:
    """As a part of an address; what is no Unicode is replaced, and leads nowhere."""
    return quote(text, safe="", errors="replace")


def clock_time(at: float, now: float | None = None) -> str:
    """In the time zone of this machine; with the day where it is not today."""
    try:
        then = datetime.fromtimestamp(at).astimezone()
    except (OverflowError, OSError, ValueError):
        return f"{at:.0f} s"
    today = datetime.fromtimestamp(time.time() if now is None else now).astimezone().date()
    return f"{then:%H:%M:%S}" if then.date() == today else f"{then:%d %b %H:%M}"


def full_time(at: float) -> str:
    try:
        return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M:%S %Z}"
    except (OverflowError, OSError, ValueError):
        return f"{at:.0f} s"


def money(usd: str | Decimal | None) -> str:
    return "not known" if usd is None else f"${Decimal(usd):.4f}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the navigation."""

    path: str
    title: str


@dataclass(slots=True)
class Window:
    """`load` reads the settings of a project; `folders` are automode's own, for the floor."""

    state: StateFolder
    store: str
    access: Access
    load: Callable[[str | None], Loaded]
    folders: OwnFolders = field(default_factory=OwnFolders)
    read_only: bool = False
    checks: Checks | None = None
    navigation: tuple[Entry, ...] = ()
    templates: Environment = field(init=False)

    def __post_init__(self) -> None:
        self.templates = Environment(
            loader=PackageLoader("automode.ui"),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_shown,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.templates.filters.update(
            urlencode=in_address,
            one_line=one_line,
            marked=marked,
            clock=clock_time,
            full_time=full_time,
            money=money,
        )
        self.templates.globals.update(
            base=self.access.base,
            read_only=self.read_only,
            verdicts=tuple(one.word for one in Verdict),
        )

    def reading(self) -> AbstractContextManager[Database]:
        return reading(self.state, self.store)

    def ask(
        self, verb: str, data: Mapping[str, object] | None = None, *, seconds: float = SECONDS
    ) -> dict[str, object]:
        """What anybody may ask of the daemon. Raises AutomodeError."""
        return ask_daemon(self.state, verb, data, seconds=seconds)

    def ask_as_person(self, verb: str, data: Mapping[str, object]) -> dict[str, object]:
        """What only a person may: the daemon refuses it where an agent started this process, as it
        does on the command line. Raises AutomodeError."""
        return ask_daemon(self.state, verb, data, token=Right.PERSON, seconds=PERSON_SECONDS)

    def fragment(self, template: str, **values: object) -> str:
        return self.templates.get_template(template).render(**values)

    def page(
        self, request: Request, template: str, *, status: int = 200, **values: object
    ) -> HTMLResponse:
        """A whole page, or a part of one, for a visitor who is signed in."""
        visitor = visitor_of(request)
        text = self.fragment(
            template,
            csrf=visitor.csrf,
            here=request.url.path.removeprefix(self.access.base),
            navigation=self.navigation,
            **values,
        )
        return HTMLResponse(text, status)

    def back_to(self, path: str) -> Response:
        return RedirectResponse(f"{self.access.base}{path}", 303)

    def change(self, path: str, work: Callable[[Request, Fields], Response]) -> Route:
        """A route by which a person changes something: refused where only reading is granted, and
        without the token that our own forms carry."""
        return self._posting(path, work, changes=True)

    def trial(self, path: str, work: Callable[[Request, Fields], Response]) -> Route:
        """A form that changes nothing and is too long for an address."""
        return self._posting(path, work, changes=False)

    def _posting(
        self, path: str, work: Callable[[Request, Fields], Response], *, changes: bool
    ) -> Route:
        from starlette.concurrency import run_in_threadpool

        async def endpoint(request: Request) -> Response:
            if changes and self.read_only:
                raise TurnedAway(
                    403,
                    "this window may only look",
                    "start `automode ui` without --read-only to answer and change",
                )
            given = await _form(request)
            if not same_token(given.get("csrf", ""), visitor_of(request).csrf):
                raise TurnedAway(403, "the form is not from this window", "load the page again")
            return await run_in_threadpool(work, request, given)

        return Route(path, endpoint, methods=["POST"])


def visitor_of(request: Request) -> Visitor:
    """Set before any route is asked: see `app`."""
    found: object = request.scope.get("automode.visitor")
    if not isinstance(found, Visitor):
        raise TurnedAway(401, "nobody is signed in")
    return found


async def _form(request: Request) -> dict[str, str]:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_FORM:
            raise TurnedAway(413, f"the form holds more than {LONGEST_FORM} bytes")
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=200)
    except ValueError as error:
        raise TurnedAway(400, "the form cannot be read") from error
    return dict(pairs)


def sentence(error: AutomodeError) -> tuple[str, str]:
    return str(error), error.hint
