"""A scripted model behind a provider's wire format, on loopback: agents take it for the real one.

It answers what its scripts say, and keeps what it was sent: whether a reason reached the model is
looked up here. An address below `/judge` is for automode's own classifier.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import TracebackType
from typing import Self

from automode.agents.scripted.wire import WIRES, ModelRequest, Script, Turn, saying, turn_for
from automode.core.errors import AutomodeError

LOOPBACK = "127.0.0.1"
JUDGE = "/judge"
LARGEST_BYTES = 64 * 1024 * 1024
_SMALL_TALK = saying("ok")
_MODELS = ("scripted-model", "claude-sonnet-4-5")
CLEAR = "0"
"""What the judge answers by itself: the fast stage's word for harmless."""


@dataclass(slots=True)
class ModelServer:
    """Use as a context manager. `scripts` may be exchanged between two prompts."""

    scripts: tuple[Script, ...] = ()
    verdicts: Callable[[ModelRequest], str | Turn] = field(default=lambda _: CLEAR)
    limited: bool = False  # the caller's quota is used up
    asked: list[ModelRequest] = field(default_factory=list)
    judged: list[ModelRequest] = field(default_factory=list)
    trouble: AutomodeError | None = None
    """What went wrong between two turns; the scene raises it."""
    _lock: Lock = field(default_factory=Lock)
    _server: "_Listening" = field(init=False)

    def __post_init__(self) -> None:
        self._server = _Listening(self)

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def port(self) -> int:
        return self._server.server_port

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def plays(self, *turns: Turn) -> None:
        """One script for whatever conversation comes."""
        self.scripts = (Script(turns),)

    def results(self) -> list[str]:
        """Results of calls in the order in which the model first read them."""
        with self._lock:
            seen = [text for asked in self.asked for text in asked.results]
        return list(dict.fromkeys(seen))

    def was_told(self, words: str) -> bool:
        with self._lock:
            return any(words in _read(asked.whole) for asked in self.asked)

    def judge_was_told(self, words: str) -> bool:
        with self._lock:
            return any(words in _read(asked.whole) for asked in self.judged)

    def next_turn(self, asked: ModelRequest, *, judge: bool) -> Turn:
        """A request without tools is small talk: a title, a summary, a greeting."""
        with self._lock:
            (self.judged if judge else self.asked).append(asked)
        if judge:
            said = self.verdicts(asked)
            return saying(said) if isinstance(said, str) else said
        if not asked.tools:
            return _SMALL_TALK
        turn = turn_for(self.scripts, asked.opening, asked.answered)
        if turn.before is not None:
            try:
                turn.before()
            except AutomodeError as error:  # raised in a thread, where no caller sees it
                self.trouble = error
                return saying("the scene cannot go on")
        missing = {use.tool for use in turn.uses} - asked.tools
        if missing and turn.offered:
            return saying(f"the script calls {sorted(missing)}, which this agent does not offer")
        return turn


def _read(written: str) -> str:
    """The text as a model reads it: without the escapes that JSON needs."""
    return written.replace('\\"', '"').replace("\\n", "\n")


class _Listening(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: ModelServer) -> None:
        super().__init__((LOOPBACK, 0), _Handler)
        self.model = model


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _model(self) -> ModelServer:
        if not isinstance(self.server, _Listening):
            raise TypeError("this request handler belongs to another kind of server")
        return self.server.model

    def do_HEAD(self) -> None:
        self._send(b"")

    def do_GET(self) -> None:
        rows = [{"id": name, "object": "model", "type": "model"} for name in _MODELS]
        listed = {"object": "list", "data": rows, "has_more": False}
        self._json(listed if "/models" in self.path else {})

    def do_POST(self) -> None:
        path = self.path.partition("?")[0]
        body = self._object()
        wire = next((one for one in WIRES if one.address in path), None)
        if wire is None or path.endswith("/count_tokens"):
            self._json({"input_tokens": 10} if path.endswith("/count_tokens") else {})
            return
        if path.startswith(JUDGE) and self._model().limited:
            trouble = {"type": "rate_limit_error", "message": "rate limit reached"}
            self._send(json.dumps({"type": "error", "error": trouble}).encode(), status=429)
            return
        asked = wire.read(body, path)
        turn = self._model().next_turn(asked, judge=path.startswith(JUDGE))
        if asked.streamed:
            self._stream(wire.lines(asked, turn))
        else:
            self._json(wire.answer(asked, turn))

    def _object(self) -> Mapping[str, object]:
        length = min(int(self.headers.get("content-length") or 0), LARGEST_BYTES)
        try:
            found: object = json.loads(self.rfile.read(length) or b"{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def _json(self, answer: Mapping[str, object]) -> None:
        self._send(json.dumps(answer).encode())

    def _stream(self, events: Iterable[str]) -> None:
        whole = "".join(f"{one}\n\n" for one in events)
        self._send(whole.encode(), "text/event-stream")

    def _send(self, body: bytes, kind: str = "application/json", status: int = 200) -> None:
        try:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:  # an agent that was stopped does not wait for the end
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        pass
