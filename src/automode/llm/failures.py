"""Every way a request can fail, as a sentence a person can act on, without key or prompt."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from json import dumps
from math import isfinite

from automode.llm.model import ModelError, ModelFault

_EXCERPT = 200
# As many equal characters in a row count as a quotation.
_QUOTED_PROMPT = 24
_QUOTED_KEY = 8
_LONGEST_WAIT = 3600.0

_BY_STATUS = {
    401: ModelFault.BAD_KEY,
    403: ModelFault.BAD_KEY,
    404: ModelFault.UNKNOWN_MODEL,
    408: ModelFault.TIMEOUT,
    413: ModelFault.TOO_LARGE,
    424: ModelFault.SERVER,
    429: ModelFault.RATE_LIMITED,
    503: ModelFault.OVERLOADED,
    504: ModelFault.TIMEOUT,
    529: ModelFault.OVERLOADED,
}
# What the body says is more exact than the status of a request that was turned down.
_BY_WORDS = (
    (ModelFault.BAD_KEY, ("api_key_invalid", "api key not valid", "invalid_api_key")),
    (
        ModelFault.TOO_LARGE,
        (
            "context_length",
            "context length",
            "context window",
            "context size",
            "prompt is too long",
            "input is too long",
            "exceeds the maximum number of tokens",
            "maximum context",
            "request_too_large",
        ),
    ),
    (ModelFault.OVERLOADED, ("overloaded_error",)),
    (
        ModelFault.UNKNOWN_MODEL,
        ("model_not_found", "model identifier is invalid", "does not exist", "unknown model"),
    ),
)
_OUT_OF_CREDIT = ("insufficient_quota", "credit balance", "billing_error", "insufficient credits")
_SENTENCES = {
    ModelFault.BAD_KEY: "refused the key for `{model}`: check it, and what it may use",
    ModelFault.UNKNOWN_MODEL: "does not know `{model}`: choose another with `automode model`",
    ModelFault.TIMEOUT: "took too long over `{model}`: try again, or choose a faster model",
    ModelFault.RATE_LIMITED: "limits the requests to `{model}`: wait, or raise your limit there",
    ModelFault.OVERLOADED: "is overloaded and did not run `{model}`: try again soon",
    ModelFault.SERVER: "failed while running `{model}`: try again, and see its status page",
    ModelFault.TOO_LARGE: "says this is too large for `{model}`: choose a model that reads more",
    ModelFault.REJECTED: "rejected the request to `{model}`: choose another model, or report this",
}


@dataclass(frozen=True, slots=True)
class Failures:
    """Writes the errors of one request to `model` at `provider`. `key` and `texts` are never
    quoted, also where the provider quotes them."""

    provider: str
    model: str
    key: str = field(default="", repr=False)
    texts: tuple[str, ...] = field(default=(), repr=False)

    def status(self, status: int, headers: Mapping[str, str], body: bytes) -> ModelError:
        if status < 400:
            redirects = "it redirects, which is not followed" if status >= 300 else "it is empty"
            return self.unreadable(f"{redirects} (HTTP {status})")
        words = body[:65536].decode("utf-8", "replace").casefold()
        if status == 402 or any(word in words for word in _OUT_OF_CREDIT):
            return self._error(ModelFault.REJECTED, "has no credit left for `{model}`: top it up")
        kind = _BY_STATUS.get(status)
        if kind is None and status < 500:
            kind = next((t for t, marks in _BY_WORDS if any(m in words for m in marks)), None)
        kind = kind or (ModelFault.SERVER if status >= 500 else ModelFault.REJECTED)
        return self._error(
            kind,
            _SENTENCES[kind],
            # What is said about a key may hold the key.
            "" if kind is ModelFault.BAD_KEY else self._excerpt(body),
            _wait(headers.get("retry-after")),
        )

    def inside(self, payload: Mapping[str, object], body: bytes) -> ModelError:
        """An error in a response that claims success; some routers answer so."""
        match payload.get("error"):
            case {"code": int(code)} if 400 <= code < 600:
                return self.status(code, {}, body)
        return self.status(400, {}, body)

    def unreadable(self, why: str) -> ModelError:
        sentence = "answered for `{model}` in a way it does not document"
        return self._error(ModelFault.UNREADABLE, f"{sentence}: {why}; check its address")

    def timeout(self, seconds: float) -> ModelError:
        sentence = f"did not finish `{{model}}`'s answer within {seconds:g} s"
        way_out = "choose a faster model, or raise `autoMode.classifierTimeoutMs`"
        return self._error(ModelFault.TIMEOUT, f"{sentence}: {way_out}")

    def unreachable(self, host: str, why: str) -> ModelError:
        sentence = f"could not be reached for `{{model}}` at {host} ({why})"
        return self._error(ModelFault.UNREACHABLE, f"{sentence}: check the network and the address")

    def too_large(self, limit: int) -> ModelError:
        return self.unreadable(f"it is longer than {limit} bytes")

    def own(self, kind: ModelFault, sentence: str, said: str, wait: float | None) -> ModelError:
        """`sentence` for what a program itself said of its failure."""
        excerpt = "" if kind is ModelFault.BAD_KEY else self._excerpt(said.encode())
        return self._error(kind, sentence, excerpt, None if wait is None else _limit_wait(wait))

    def cut_off(self, read: int) -> ModelError:
        sentence = f"gave `{{model}}` only {read} tokens of the request and dropped the rest"
        return self._error(ModelFault.TOO_LARGE, f"{sentence}: raise the server's context length")

    def _error(
        self, kind: ModelFault, sentence: str, said: str = "", wait: float | None = None
    ) -> ModelError:
        named = sentence.replace("{model}", printable(self.model, 80))
        text = f"{self.provider} {named}"
        return ModelError(kind, f"{text} (it says: {said})" if said else text, wait)

    def _excerpt(self, body: bytes) -> str:
        said = printable(body[:4096].decode("utf-8", "replace"), _EXCERPT)
        texts = [*self.texts, *(dumps(text)[1:-1] for text in self.texts)]
        private = _quotes(said, (self.key,), _QUOTED_KEY) or _quotes(said, texts, _QUOTED_PROMPT)
        return "" if private else said


def _quotes(said: str, texts: Iterable[str], length: int) -> bool:
    windows = {said[start : start + length] for start in range(len(said) - length + 1)}
    return any(window in text for text in texts for window in windows)


def printable(text: str, limit: int) -> str:
    """`text` on one line, without control characters, cut to `limit` characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _wait(header: str | None) -> float | None:
    """Seconds to wait, from a number or a date."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            moment = parsedate_to_datetime(header)
        except (TypeError, ValueError):
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (moment - datetime.now(UTC)).total_seconds()
    return _limit_wait(seconds)


def _limit_wait(seconds: float) -> float | None:
    return min(max(0.0, seconds), _LONGEST_WAIT) if isfinite(seconds) else None
