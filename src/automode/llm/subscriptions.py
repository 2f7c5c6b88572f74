"""Agents that are installed and signed in, as models: a subscription answers in headless mode.

Each is started with no tools, no hooks, no plug-ins, no MCP servers and no memory, in an empty
folder, with our system prompt and only the variables that signing in needs.
"""

import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from importlib.resources import files
from math import isfinite
from time import time

from automode.llm.failures import Failures
from automode.llm.keys import replace_private
from automode.llm.model import Ask, ModelError, ModelFault, Prompt, Reply, Usage
from automode.llm.payload import at, count_at
from automode.llm.program import Output, Programs, Start

NOTHING = Usage()
SYSTEM_FILE = "system.md"
DEFAULT = "default"
"""As the id of a model: whatever the program takes by itself."""
_PERSON = ("HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR")
_NETWORK = (
    *("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"),
)


@dataclass(frozen=True, slots=True)
class ProgramReply:
    """What a program said: `error` is its own words where it failed."""

    text: str = ""
    usage: Usage = NOTHING
    usd: Decimal | None = None
    error: str = ""
    wait: float | None = None  # seconds until it is worth asking again, where it says so
    used_tools: bool = False


@dataclass(frozen=True, slots=True)
class Protocol:
    """What a program is asked and how its output is read. `objection` says why its own files, in
    the folder of the account, would steer the judge."""

    question: Callable[[Prompt], str]
    read: Callable[[bytes], ProgramReply]
    objection: Callable[[str], str] = lambda _account: ""


@dataclass(frozen=True, slots=True)
class Subscription:
    """One agent as a model, a row of `subscriptions.toml`. `moved` are variables that lead to
    another account, server or key: they count in a trusted environment only."""

    name: str
    protocol: Protocol
    title: str
    program: str
    sign_in: str  # what a person types to sign in
    recommended: str  # the id of a model that is quick enough to judge
    company: str  # who is sent what is judged
    account: tuple[str, str, str]  # a variable, else a folder below home; the file of the sign-in
    moved: tuple[str, ...]
    arguments: tuple[str, ...]
    variables: Mapping[str, str]
    files: Mapping[str, str] = field(default_factory=dict)  # by name, beside `SYSTEM_FILE`
    auth: tuple[
        str, ...
    ] = ()  # a variable, the way to sign in where it is set, and where it is not
    server: tuple[str, ...] = ()  # a variable with an address, and the arguments for it
    links: tuple[str, ...] = ()  # files of the account that the program must find in its folder
    waits: bool = True  # started early, it waits for the question
    status: tuple[str, ...] = ()  # words with which it says itself whether it is signed in

    def environment(
        self, given: Mapping[str, str], command: str, *, home: str, trusted: bool
    ) -> dict[str, str]:
        names = (*_PERSON, *((*self.moved, *_NETWORK) if trusted else ()))
        places = (os.path.dirname(command), "/usr/local/bin", "/opt/homebrew/bin", os.defpath)
        kept = {name: given[name] for name in names if name in given}
        return {**kept, "HOME": home, "PATH": os.pathsep.join(places)}

    def words(self, model_id: str, folder: str, kept: Mapping[str, str]) -> tuple[str, ...]:
        """The arguments; `kept` is the environment."""
        variable, *moved = self.server or ("",)
        address = json.dumps(kept.get(variable))
        several = {
            "{model}": () if model_id == DEFAULT else ("--model", model_id),
            "{server}": [one.replace("{address}", address) for one in moved if variable in kept],
        }
        return tuple(
            word
            for one in self.arguments
            for word in several.get(one, (_fill_folder(one, folder),))
        )

    def files_in(self, folder: str, kept: Mapping[str, str]) -> dict[str, str]:
        variable, with_key, without = self.auth or ("", "", "")
        auth = with_key if variable in kept else without
        return {
            name: _fill_folder(text, folder).replace("{auth}", auth)
            for name, text in self.files.items()
        }

    def variables_in(self, folder: str) -> dict[str, str]:
        return {name: _fill_folder(text, folder) for name, text in self.variables.items()}

    def account_folder(self, given: Mapping[str, str], *, home: str, trusted: bool) -> str:
        variable, below, _ = self.account
        return (trusted and given.get(variable)) or os.path.join(home, below)

    def signed_in(self, account: str) -> bool:
        """Whether the file of a sign-in is there. No program is started, no network asked."""
        return os.path.exists(os.path.join(account, self.account[2]))


@dataclass(frozen=True, slots=True)
class SubscriptionModel:
    """A `Model`."""

    agent: Subscription
    model_id: str
    command: str  # the whole path of the program, as the person chose it
    environment: Mapping[str, str]
    home: str
    trusted: bool
    programs: Programs
    reasons: bool = True
    context_tokens: int = 0

    @property
    def name(self) -> str:
        return f"{self.agent.name}/{self.model_id}"

    async def complete(self, prompt: Prompt, ask: Ask) -> Reply:
        failures = Failures(self.agent.title, self.model_id, "", prompt.parts)
        agent = self.agent
        account = agent.account_folder(self.environment, home=self.home, trusted=self.trusted)
        keyed = self.trusted and any(name in self.environment for name in agent.moved)
        if agent.links and not keyed and not agent.signed_in(account):
            sentence = _SENTENCES[ModelFault.BAD_KEY].format(sign_in=agent.sign_in)
            raise failures.own(ModelFault.BAD_KEY, sentence, "", None)
        objection = agent.protocol.objection(account)
        if objection:
            raise failures.own(ModelFault.REJECTED, f"is not asked: {objection}", "", None)
        question = agent.protocol.question(prompt).encode()
        try:
            output = await self.programs.ask(
                self._start(prompt.system, account), question, ask.timeout_seconds
            )
        except TimeoutError:
            raise failures.timeout(ask.timeout_seconds) from None
        except OSError as error:
            why = f"`{self.command}` did not start ({error.strerror or type(error).__name__})"
            raise ModelError(
                ModelFault.UNKNOWN_MODEL,
                f"{why}: choose it again with `automode model {self.name}`",
            ) from None
        return self._reply(output, failures)

    def _start(self, system: str, account: str) -> Start:
        agent = self.agent
        kept = agent.environment(
            self.environment, self.command, home=self.home, trusted=self.trusted
        )
        before: dict[str, bytes] = {}

        def words(folder: str) -> tuple[str, ...]:
            return (self.command, *agent.words(self.model_id, folder, kept))

        def prepare(folder: str) -> None:
            os.mkdir(os.path.join(folder, ".git"))  # no program looks further up for its files
            for name, text in {SYSTEM_FILE: system, **agent.files_in(folder, kept)}.items():
                _write(os.path.join(folder, name), text)
            for name in agent.links:
                real, link = os.path.join(account, os.path.basename(name)), f"{folder}/{name}"
                os.makedirs(os.path.dirname(link), exist_ok=True)
                if os.path.exists(real):
                    before[name] = file_bytes(real)
                    os.symlink(real, link)

        def put_back(folder: str) -> None:
            """A sign-in that was renewed into the folder instead of through the link."""
            for name, old in before.items():
                real, renewed = os.path.join(account, os.path.basename(name)), f"{folder}/{name}"
                if os.path.isfile(renewed) and not os.path.islink(renewed):
                    _renew(real, old, file_bytes(renewed))

        return Start(
            key=(self.command, self.model_id, system, account, *sorted(kept.items())),
            words=words,
            prepare=prepare,
            finish=put_back,
            environment=lambda folder: {**kept, **agent.variables_in(folder)},
            waits=agent.waits,
        )

    def _reply(self, output: Output, failures: Failures) -> Reply:
        if output.cut:
            raise failures.too_large(len(output.stdout))
        reply = self.agent.protocol.read(output.stdout)
        if reply.used_tools:
            raise failures.unreadable("it called a tool, although it has none")
        if reply.text and not reply.error and output.status != 0:
            raise failures.unreadable("it answered, but did not end well")
        if reply.text and not reply.error:
            return Reply(reply.text, complete=True, usage=reply.usage, stop="end", usd=reply.usd)
        words = reply.error or output.stderr.decode("utf-8", "replace")
        found = _known_failure(words, self.agent)
        if found is None:  # no outage that is known: the text of the call may have caused it
            raise failures.unreadable("it gave no answer")
        kind, sentence = found
        if reply.wait is not None:
            sentence = f"{sentence}: try again in {max(1, round(reply.wait / 60))} min"
        raise failures.own(kind, sentence, words, reply.wait)


def _fill_folder(text: str, folder: str) -> str:
    system = os.path.join(folder, SYSTEM_FILE)
    return text.replace("{folder}", folder).replace("{system}", system)


def file_bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _renew(real: str, old: bytes, new: bytes) -> None:
    """Only a whole one, and only where nobody else renewed it meanwhile."""
    try:
        whole = isinstance(json.loads(new), dict)
    except ValueError:
        whole = False
    if whole and file_bytes(real) == old:
        replace_private(real, new)


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


_BY_WORDS: tuple[tuple[ModelFault, tuple[str, ...]], ...] = (
    (
        ModelFault.BAD_KEY,
        (
            *("not logged in", "/login", "log in", "sign in", "signed out", "unauthorized", "401"),
            *("invalid api key", "authentication", "auth method", "refresh token"),
        ),
    ),
    (
        ModelFault.QUOTA,
        (
            *("usage limit", "hit your limit", "limit reached", "quota", "rate limit", "429"),
            *("too many requests", "resource_exhausted", "credit"),
        ),
    ),
    (ModelFault.OVERLOADED, ("overloaded", "529", "503")),
    (ModelFault.TOO_LARGE, ("prompt is too long", "context length", "context window")),
    (
        ModelFault.UNREACHABLE,
        ("network", "connection", "lookup address", "enotfound", "econnrefused"),
    ),
    (
        ModelFault.UNKNOWN_MODEL,
        ("model not found", "unknown model", "selected model", "model is not", "not_found_error"),
    ),
)
_SENTENCES = {
    ModelFault.BAD_KEY: "is not signed in: {sign_in}",
    ModelFault.QUOTA: "has reached the limit of its subscription",
    ModelFault.OVERLOADED: "is overloaded and did not run `{{model}}`: try again soon",
    ModelFault.TOO_LARGE: "says this is too large for `{{model}}`: choose a model that reads more",
    ModelFault.UNREACHABLE: "could not reach its server for `{{model}}`: check the network",
    ModelFault.UNKNOWN_MODEL: "could not run `{{model}}`: choose another with `automode model`",
}


def _known_failure(words: str, agent: Subscription) -> tuple[ModelFault, str] | None:
    folded = words.casefold()
    found = next((t for t, marks in _BY_WORDS if any(one in folded for one in marks)), None)
    return None if found is None else (found, _SENTENCES[found].format(sign_in=agent.sign_in))


def _lines(data: bytes) -> Iterator[Mapping[str, object]]:
    for line in data.splitlines():
        try:
            found: object = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _claude_objection(account: str) -> str:
    """Variables in its state file count whatever its options say, and can move the server."""
    usual = os.path.basename(account) == ".claude"
    path = os.path.join(os.path.dirname(account) if usual else account, ".claude.json")
    try:
        found: object = json.loads(file_bytes(path))
    except FileNotFoundError:
        return ""
    except (OSError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return f"`{path}` cannot be read, so it might steer the judge; mend or remove it"
    return f"`env` in `{path}` would steer the judge; remove it" if found.get("env") else ""


def _claude_question(prompt: Prompt) -> str:
    parts = [{"type": "text", "text": text} for text in (prompt.context, prompt.question)]
    said = {"type": "user", "message": {"role": "user", "content": parts}}
    return json.dumps(said, ensure_ascii=False) + "\n"


def _read_claude(data: bytes) -> ProgramReply:
    reply, tools, wait, ended = ProgramReply(error="it said nothing"), False, None, False
    for line in _lines(data):
        match line:
            case {"type": "assistant", "message": {"content": list(parts)}}:
                kinds = (_text(at(part, "type")) for part in parts)
                tools = tools or any(kind.endswith("tool_use") for kind in kinds)
            case {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", **rest}}:
                resets = rest.get("resetsAt")
                if isinstance(resets, int | float) and isfinite(resets):
                    wait = max(0.0, resets - time())
            case {"type": "result"} if ended:
                return ProgramReply(error="it gave several answers")
            case {"type": "result", "subtype": "success", "is_error": False}:
                ended = True
                reply = ProgramReply(_text(line.get("result")), _claude_usage(line), _usd(line))
            case {"type": "result"}:
                ended = True
                error = _text(line.get("result")) or _text(line.get("subtype")) or "it failed"
                reply = ProgramReply(error=error)
            case _:
                pass
    return ProgramReply(reply.text, reply.usage, reply.usd, reply.error, wait, tools)


def _claude_usage(line: Mapping[str, object]) -> Usage:
    return Usage(
        input=count_at(line, "usage", "input_tokens"),
        output=count_at(line, "usage", "output_tokens"),
        cache_read=count_at(line, "usage", "cache_read_input_tokens"),
        cache_write=count_at(line, "usage", "cache_creation_input_tokens"),
    )


def _usd(line: Mapping[str, object]) -> Decimal | None:
    try:
        found = Decimal(str(line.get("total_cost_usd")))
    except InvalidOperation:
        return None
    return found if found.is_finite() and found >= 0 else None


_CODEX_HARMLESS_ITEMS = ("agent_message", "reasoning", "error")


def _read_codex(data: bytes) -> ProgramReply:
    text, error, tools = "", "", False
    for line in _lines(data):
        match line:
            case {"type": "item.completed", "item": {"type": "agent_message", "text": str(said)}}:
                if text:
                    return ProgramReply(error="it gave several answers")
                text = said
            case {"type": str(what), "item": {"type": str(kind)}} if what.startswith("item."):
                tools = tools or kind not in _CODEX_HARMLESS_ITEMS
            case {"type": "turn.completed"}:
                cached = count_at(line, "usage", "cached_input_tokens")
                given = count_at(line, "usage", "input_tokens")
                made = count_at(line, "usage", "output_tokens")
                usage = Usage(max(0, given - cached), made, cache_read=cached)
                return ProgramReply(text, usage, used_tools=tools)
            case {"type": "turn.failed", "error": {"message": str(said)}}:
                return ProgramReply(error=said, used_tools=tools)
            case {"type": "error", "message": str(said)}:
                error = said
            case _:
                pass
    return ProgramReply(error=error or "it did not end its turn", used_tools=tools)


def _read_gemini(data: bytes) -> ProgramReply:
    try:
        found: object = json.loads(data[data.find(b"{") :] or b"null")
    except (ValueError, RecursionError):
        return ProgramReply(error="it answered no JSON")
    tools = count_at(found, "stats", "tools", "totalCalls") > 0
    if at(found, "error") is not None:
        return ProgramReply(
            error=_text(at(found, "error", "message")) or "it failed", used_tools=tools
        )
    models = at(found, "stats", "models")
    usage = Usage()
    for one in models.values() if isinstance(models, dict) else ():
        cached, given = count_at(one, "tokens", "cached"), count_at(one, "tokens", "prompt")
        made = count_at(one, "tokens", "candidates") + count_at(one, "tokens", "thoughts")
        usage += Usage(max(0, given - cached), made, cache_read=cached)
    text = _text(at(found, "response"))
    return ProgramReply(text, usage, error="" if text else "it said nothing", used_tools=tools)


def _plain_question(prompt: Prompt) -> str:
    return f"{prompt.context}\n\n{prompt.question}\n"


_PROTOCOLS: Mapping[str, Protocol] = {
    "claude-cli": Protocol(_claude_question, _read_claude, _claude_objection),
    "codex-cli": Protocol(_plain_question, _read_codex),
    "gemini-cli": Protocol(_plain_question, _read_gemini),
}


def _subscriptions() -> dict[str, Subscription]:
    table = tomllib.loads(files("automode.llm").joinpath("subscriptions.toml").read_text("utf-8"))
    for row in table.values():
        row.update((key, tuple(one)) for key, one in row.items() if isinstance(one, list))
    return {name: Subscription(name, _PROTOCOLS[name], **row) for name, row in table.items()}


SUBSCRIPTIONS: Mapping[str, Subscription] = _subscriptions()
NOT_OFFERED: Mapping[str, str] = {
    "copilot-cli": "Copilot CLI cannot be the judge: its own system prompt cannot be replaced, and"
    " its hooks cannot be switched off without its sign-in",
    "qwen-cli": "Qwen Code has no subscription any more, only keys: use the key itself, under"
    " `autoMode.providers`",
}
