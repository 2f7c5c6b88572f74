"""The web application: its pages, and what every request has to pass before one is asked."""

from collections.abc import Mapping
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from automode.core.errors import AutomodeError
from automode.ui import audit, decision, inbox, now, policy, sessions, stream, trends
from automode.ui.access import COOKIE, SAFE_METHODS, NotSignedIn, TurnedAway
from automode.ui.window import Window, sentence

PAGES = (now, inbox, sessions, trends, policy, audit)
"""In the order of the navigation. Each has an `ENTRY` and its `routes`."""

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    # The address holds a secret word. With `no-referrer` browsers would not name the origin of a
    # form either.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def build_app(window: Window) -> "GuardedApp":
    window.navigation = tuple(page.ENTRY for page in PAGES)

    async def enter(request: Request) -> Response:
        keys = parse_qs(request.url.query).get("key", [""])
        value = window.access.enter(keys[0])
        # A page that leads on, not a redirection: a browser that came from another site would not
        # send a strict cookie along with that.
        response = HTMLResponse(
            window.fragment("entered.html"), headers={"refresh": f"0; url={window.access.base}/now"}
        )
        response.set_cookie(
            COOKIE, value, path=f"{window.access.base}/", httponly=True, samesite="strict"
        )
        return response

    async def first(request: Request) -> Response:
        return RedirectResponse(f"{window.access.base}/now", 303)

    def failed(request: Request, error: Exception) -> Response:
        """Every error that we know is a sentence on a page."""
        assert isinstance(error, AutomodeError)  # noqa: S101 - what Starlette was told to bring
        message, hint = sentence(error)
        status = error.status if isinstance(error, TurnedAway) else 400
        text = window.fragment(
            "failed.html", message=message, hint=hint, part=bool(request.headers.get("hx-request"))
        )
        return HTMLResponse(text, status)

    def broken(request: Request, error: Exception) -> Response:
        """A fault of ours: its text may hold parts of a call, so only its kind is told."""
        kind, part = type(error).__name__, bool(request.headers.get("hx-request"))
        text = window.fragment(
            "failed.html",
            message=f"automode failed inside: `{kind}`",
            hint="please report it",
            part=part,
        )
        return HTMLResponse(text, 500)

    app = Starlette(
        routes=[
            Mount(
                window.access.base,
                routes=[
                    Route("/enter", enter),
                    Route("/", first),
                    Mount("/static", StaticFiles(packages=[("automode.ui", "static")])),
                    *(route for page in PAGES for route in page.routes(window)),
                    *decision.routes(window),
                    *stream.routes(window),
                ],
            )
        ],
        exception_handlers={AutomodeError: failed, Exception: broken},
    )
    return GuardedApp(app, window)


class GuardedApp:
    """Checks where a request comes from and who sends it, and says with every answer what a
    browser may do with it."""

    def __init__(self, app: Starlette, window: Window) -> None:
        self._app, self._window = app, window
        self.routes = app.routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if self._is_static(scope):
                    headers["cache-control"] = "private, max-age=3600"
            await send(message)

        refused = self._refusal(scope)
        app: ASGIApp = self._app if refused is None else refused
        await app(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that no page gets to see."""
        try:
            self._admit(scope)
        except TurnedAway as error:
            message, hint = sentence(error)
            if not isinstance(error, NotSignedIn):
                return PlainTextResponse(f"{message}\n{hint}\n", error.status)
            part = bool(Headers(scope=scope).get("hx-request"))
            text = self._window.fragment("failed.html", message=message, hint=hint, part=part)
            return HTMLResponse(text, error.status)
        return None

    def _admit(self, scope: Scope) -> None:
        access, headers, path = self._window.access, Headers(scope=scope), str(scope["path"])
        below = path.removeprefix(access.base)
        access.check_origin(scope["method"], headers, entering=below == "/enter")
        if below == path or not below.startswith("/"):
            raise TurnedAway(404, "nothing is here", "open the link that `automode ui` printed")
        if below != "/enter" and not self._is_static(scope):
            scope["automode.visitor"] = access.visitor(headers)
        elif scope["method"] not in SAFE_METHODS:
            raise TurnedAway(405, "nothing can be changed here")

    def _is_static(self, scope: Scope) -> bool:
        return str(scope["path"]).startswith(f"{self._window.access.base}/static/")
