"""A scripted model behind a provider's wire format, on loopback: agents take it for the real one.

It answers what its scripts say, and keeps what it was sent: whether a reason reached the model is
looked up here. An address below `/judge` is for automode's own classifier.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock

from automode.agents.scripted.loopback import LoopbackHandler, LoopbackServer
from automode.agents.scripted.wire import WIRES, ModelRequest, Script, Turn, saying, turn_for
from automode.core.errors import AutomodeError

JUDGE = "/judge"
_SMALL_TALK = saying("ok")
_MODELS = ("scripted-model", "claude-sonnet-4-5")
CLEAR = "0"
"""What the judge answers by itself: the fast stage's word for harmless."""


@dataclass(eq=False)
class ModelServer(LoopbackServer):
    """Use as a context manager. `scripts` may be exchanged between two prompts."""

    scripts: tuple[Script, ...] = ()
    verdicts: Callable[[ModelRequest], str | Turn] = field(default=lambda _: CLEAR)
    limited: bool = False  # the caller's quota is used up
    asked: list[ModelRequest] = field(default_factory=list)
    judged: list[ModelRequest] = field(default_factory=list)
    trouble: AutomodeError | None = None
    """What went wrong between two turns; the scene raises it."""
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        super().__init__(_Handler)

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


class _Handler(LoopbackHandler):
    server: ModelServer

    def do_HEAD(self) -> None:
        self.send()

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
        if path.startswith(JUDGE) and self.server.limited:
            trouble = {"type": "rate_limit_error", "message": "rate limit reached"}
            self.send(json.dumps({"type": "error", "error": trouble}).encode(), status=429)
            return
        asked = wire.read(body, path)
        turn = self.server.next_turn(asked, judge=path.startswith(JUDGE))
        if asked.streamed:
            self._stream(wire.lines(asked, turn))
        else:
            self._json(wire.answer(asked, turn))

    def _object(self) -> Mapping[str, object]:
        try:
            found: object = json.loads(self.body() or b"{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def _json(self, answer: Mapping[str, object]) -> None:
        self.send(json.dumps(answer).encode())

    def _stream(self, events: Iterable[str]) -> None:
        whole = "".join(f"{one}\n\n" for one in events)
        self.send(whole.encode(), "text/event-stream")
