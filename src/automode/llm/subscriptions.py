"""Agents that are installed and signed in, as models: a subscription answers in headless mode.

Each is started with no tools, no hooks, no plug-ins, no MCP servers and no memory, in an empty
folder, with our system prompt and only the variables that signing in needs.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from math import isfinite
from time import time

from automode.llm.failures import Failures
from automode.llm.model import Ask, ModelError, Prompt, Reply, Trouble, Usage
from automode.llm.payload import at, count_at
from automode.llm.program import Output, Programs, Start

DEFAULT = "default"
"""As the model's id: whatever the program takes by itself."""
NOTHING = Usage()
_SYSTEM = "system.md"
_PERSON = ("HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR")
_NETWORK = (
    *("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"),
)


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a program said: `error` is its own words where it failed."""

    text: str = ""
    usage: Usage = NOTHING
    usd: Decimal | None = None
    error: str = ""
    wait: float | None = None  # seconds until it is worth asking again, where it says so
    used_tools: bool = False


@dataclass(frozen=True, slots=True)
class Subscription:
    """One agent as a model. `moved` are variables that lead to another account, server or key:
    they count in a trusted environment only."""

    name: str
    title: str
    program: str
    sign_in: str  # what a person types to sign in
    recommended: str  # the id of a model that is quick enough to judge
    company: str  # who is sent what is judged
    account: tuple[str, str, str]  # a variable, else a folder below home; the file of the sign-in
    moved: tuple[str, ...]
    arguments: Callable[[str, str, Mapping[str, str]], tuple[str, ...]]  # model, folder, variables
    files: Callable[[str, Mapping[str, str]], Mapping[str, str]]  # by name; the first is `_SYSTEM`
    variables: Callable[[str], Mapping[str, str]]  # of the folder
    question: Callable[[Prompt], str]
    read: Callable[[bytes], Spoken]
    objection: Callable[[str], str] = lambda _account: ""  # why its own files would steer the judge
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
        failures = Failures(
            self.agent.title, self.model_id, "", (prompt.system, prompt.context, prompt.question)
        )
        agent = self.agent
        account = agent.account_folder(self.environment, home=self.home, trusted=self.trusted)
        keyed = self.trusted and any(name in self.environment for name in agent.moved)
        if agent.links and not keyed and not agent.signed_in(account):
            sentence = _SENTENCES[Trouble.BAD_KEY].format(sign_in=agent.sign_in)
            raise failures.own(Trouble.BAD_KEY, sentence, "", None)
        objection = agent.objection(account)
        if objection:
            raise failures.own(Trouble.REJECTED, f"is not asked: {objection}", "", None)
        question = self.agent.question(prompt).encode()
        try:
            output = await self.programs.ask(
                self._start(prompt.system, account), question, ask.timeout_seconds
            )
        except TimeoutError:
            raise failures.timeout(ask.timeout_seconds) from None
        except OSError as error:
            why = f"`{self.command}` did not start ({error.strerror or type(error).__name__})"
            raise ModelError(
                Trouble.UNKNOWN_MODEL, f"{why}: choose it again with `automode model {self.name}`"
            ) from None
        return self._reply(output, failures)

    def _start(self, system: str, account: str) -> Start:
        agent = self.agent
        kept = agent.environment(
            self.environment, self.command, home=self.home, trusted=self.trusted
        )
        before: dict[str, bytes] = {}

        def words(folder: str) -> tuple[str, ...]:
            return (self.command, *agent.arguments(self.model_id, folder, kept))

        def prepare(folder: str) -> None:
            os.mkdir(os.path.join(folder, ".git"))  # no program looks further up for its files
            for name, text in {_SYSTEM: system, **agent.files(folder, kept)}.items():
                _write(os.path.join(folder, name), text)
            for name in agent.links:
                real, link = os.path.join(account, os.path.basename(name)), f"{folder}/{name}"
                os.makedirs(os.path.dirname(link), exist_ok=True)
                if os.path.exists(real):
                    before[name] = _bytes(real)
                    os.symlink(real, link)

        def put_back(folder: str) -> None:
            """A sign-in that was renewed into the folder instead of through the link."""
            for name, old in before.items():
                real, renewed = os.path.join(account, os.path.basename(name)), f"{folder}/{name}"
                if os.path.isfile(renewed) and not os.path.islink(renewed):
                    _renew(real, old, _bytes(renewed))

        return Start(
            key=(self.command, self.model_id, system, account, *sorted(kept.items())),
            words=words,
            prepare=prepare,
            finish=put_back,
            environment=lambda folder: {**kept, **agent.variables(folder)},
            waits=agent.waits,
        )

    def _reply(self, output: Output, failures: Failures) -> Reply:
        if output.cut:
            raise failures.oversized(len(output.stdout))
        spoken = self.agent.read(output.stdout)
        if spoken.used_tools:
            raise failures.unreadable("it called a tool, although it has none")
        if spoken.text and not spoken.error:
            return Reply(spoken.text, complete=True, usage=spoken.usage, stop="end", usd=spoken.usd)
        words = spoken.error or output.stderr.decode("utf-8", "replace")
        found = _trouble(words, self.agent)
        if found is None:  # no outage that is known: the text of the call may have caused it
            raise failures.unreadable("it gave no answer")
        trouble, sentence = found
        if spoken.wait is not None:
            sentence = f"{sentence}: try again in {max(1, round(spoken.wait / 60))} min"
        raise failures.own(trouble, sentence, words, spoken.wait)


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _renew(real: str, old: bytes, new: bytes) -> None:
    """Only a whole one, and only where nobody else renewed it meanwhile."""
    try:
        whole = isinstance(json.loads(new), dict)
    except ValueError:
        whole = False
    if not whole or _bytes(real) != old:
        return
    number, path = tempfile.mkstemp(dir=os.path.dirname(real))
    with os.fdopen(number, "wb") as file:
        file.write(new)
    os.replace(path, real)


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


_BY_WORDS: tuple[tuple[Trouble, tuple[str, ...]], ...] = (
    (
        Trouble.BAD_KEY,
        (
            *("not logged in", "/login", "log in", "sign in", "signed out", "unauthorized", "401"),
            *("invalid api key", "authentication", "auth method", "refresh token"),
        ),
    ),
    (
        Trouble.QUOTA,
        (
            *("usage limit", "hit your limit", "limit reached", "quota", "rate limit", "429"),
            *("too many requests", "resource_exhausted", "credit"),
        ),
    ),
    (Trouble.OVERLOADED, ("overloaded", "529", "503")),
    (Trouble.TOO_LARGE, ("prompt is too long", "context length", "context window")),
    (Trouble.UNREACHABLE, ("network", "connection", "lookup address", "enotfound", "econnrefused")),
    (
        Trouble.UNKNOWN_MODEL,
        ("model not found", "unknown model", "selected model", "model is not", "not_found_error"),
    ),
)
_SENTENCES = {
    Trouble.BAD_KEY: "is not signed in: {sign_in}",
    Trouble.QUOTA: "has reached the limit of its subscription",
    Trouble.OVERLOADED: "is overloaded and did not run `{{model}}`: try again soon",
    Trouble.TOO_LARGE: "says this is too large for `{{model}}`: choose a model that reads more",
    Trouble.UNREACHABLE: "could not reach its server for `{{model}}`: check the network",
    Trouble.UNKNOWN_MODEL: "could not run `{{model}}`: choose another with `automode model`",
}


def _trouble(words: str, agent: Subscription) -> tuple[Trouble, str] | None:
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


def _claude_arguments(model: str, folder: str, _: Mapping[str, str]) -> tuple[str, ...]:
    chosen = () if model == DEFAULT else ("--model", model)
    return (
        *("-p", "--safe-mode", "--tools", "", "--strict-mcp-config", "--setting-sources", ""),
        *("--disable-slash-commands", "--no-chrome", "--no-session-persistence"),
        *("--system-prompt-file", os.path.join(folder, _SYSTEM), "--max-turns", "1"),
        *("--input-format", "stream-json", "--output-format", "stream-json", "--verbose"),
        *chosen,
    )


def _claude_objection(account: str) -> str:
    """Variables in its state file count whatever its options say, and can move the server."""
    usual = os.path.basename(account) == ".claude"
    path = os.path.join(os.path.dirname(account) if usual else account, ".claude.json")
    try:
        found: object = json.loads(_bytes(path))
    except (OSError, ValueError, RecursionError):
        return ""
    steers = isinstance(found, dict) and bool(found.get("env"))
    return f"`env` in `{path}` would steer the judge; remove it" if steers else ""


def _claude_question(prompt: Prompt) -> str:
    parts = [{"type": "text", "text": text} for text in (prompt.context, prompt.question)]
    said = {"type": "user", "message": {"role": "user", "content": parts}}
    return json.dumps(said, ensure_ascii=False) + "\n"


def _claude_spoken(data: bytes) -> Spoken:
    spoken, tools, wait, ended = Spoken(error="it said nothing"), False, None, False
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
                return Spoken(error="it gave several answers")
            case {"type": "result", "subtype": "success", "is_error": False}:
                ended = True
                spoken = Spoken(_text(line.get("result")), _claude_usage(line), _usd(line))
            case {"type": "result"}:
                ended = True
                error = _text(line.get("result")) or _text(line.get("subtype")) or "it failed"
                spoken = Spoken(error=error)
            case _:
                pass
    return Spoken(spoken.text, spoken.usage, spoken.usd, spoken.error, wait, tools)


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


_CODEX_OFF = (
    *("hooks", "shell_tool", "unified_exec", "goals", "multi_agent", "view_image", "plugins"),
    *("apps", "skill_search", "sleep_tool", "tool_suggest", "image_generation", "browser_use"),
    *("computer_use", "memories"),
)
_CODEX_SETTINGS = (
    *("project_doc_max_bytes=0", "web_search=disabled", "skills.include_instructions=false"),
    *("include_environment_context=false", "include_permissions_instructions=false"),
    *("include_apps_instructions=false", "include_collaboration_mode_instructions=false"),
)
_CODEX_HARMLESS_ITEMS = ("agent_message", "reasoning", "error")


def _codex_arguments(model: str, folder: str, kept: Mapping[str, str]) -> tuple[str, ...]:
    chosen = () if model == DEFAULT else ("--model", model)
    settings = [*_CODEX_SETTINGS, f"model_instructions_file={os.path.join(folder, _SYSTEM)}"]
    if "OPENAI_BASE_URL" in kept:
        moved = 'name = "moved", env_key = "CODEX_API_KEY", wire_api = "responses"'
        address = json.dumps(kept["OPENAI_BASE_URL"])
        server = f"model_providers.moved={{{moved}, base_url = {address}}}"
        settings += ["model_provider=moved", server]
    return (
        *("exec", "--ephemeral", "--ignore-user-config", "--ignore-rules"),
        *("--sandbox", "read-only", "--skip-git-repo-check", "--json", "--color", "never"),
        *(word for one in settings for word in ("-c", one)),
        *(word for one in _CODEX_OFF for word in ("--disable", one)),
        *chosen,
        "-",
    )


def _codex_spoken(data: bytes) -> Spoken:
    text, error, usage, tools = "", "", Usage(), False
    for line in _lines(data):
        match line:
            case {"type": "item.completed", "item": {"type": "agent_message", "text": str(said)}}:
                if text:
                    return Spoken(error="it gave several answers")
                text = said
            case {"type": str(what), "item": {"type": str(kind)}} if what.startswith("item."):
                tools = tools or kind not in _CODEX_HARMLESS_ITEMS
            case {"type": "turn.completed"}:
                cached = count_at(line, "usage", "cached_input_tokens")
                given = count_at(line, "usage", "input_tokens")
                made = count_at(line, "usage", "output_tokens")
                usage, error = Usage(max(0, given - cached), made, cache_read=cached), ""
                return Spoken(text, usage, None, error, None, tools)
            case {"type": "turn.failed", "error": {"message": str(said)}}:
                return Spoken(error=said, used_tools=tools)
            case {"type": "error", "message": str(said)}:
                error = said
            case _:
                pass
    return Spoken(error=error or "it did not end its turn", used_tools=tools)


_GEMINI_FOLDER = ".gemini"


def _gemini_files(folder: str, kept: Mapping[str, str]) -> Mapping[str, str]:
    """A home of its own: the person's hooks, servers, extensions and memory lie in the other."""
    way = "gemini-api-key" if "GEMINI_API_KEY" in kept else "oauth-personal"
    settings = {
        "security": {"auth": {"selectedType": way}, "folderTrust": {"enabled": False}},
        "tools": {"core": ["no_tool_at_all"]},
        "hooksConfig": {"enabled": False},
        "skills": {"enabled": False},
        "experimental": {"enableAgents": False},
        "telemetry": {"enabled": False},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False, "sessionRetention": {"enabled": False}},
    }
    policy = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'
    return {
        f"{_GEMINI_FOLDER}/settings.json": json.dumps(settings),
        f"{_GEMINI_FOLDER}/.env": "",  # the first that it finds is the only one that it reads
        "no-tools.toml": policy,
    }


def _gemini_arguments(model: str, folder: str, _: Mapping[str, str]) -> tuple[str, ...]:
    chosen = () if model == DEFAULT else ("--model", model)
    return (
        *("--skip-trust", "--extensions", "none", "--allowed-mcp-server-names", "none"),
        *("--approval-mode", "default", "--policy", os.path.join(folder, "no-tools.toml")),
        *("--output-format", "json"),
        *chosen,
    )


def _gemini_spoken(data: bytes) -> Spoken:
    try:
        found: object = json.loads(data[data.find(b"{") :] or b"null")
    except (ValueError, RecursionError):
        return Spoken(error="it answered no JSON")
    tools = count_at(found, "stats", "tools", "totalCalls") > 0
    if at(found, "error") is not None:
        return Spoken(error=_text(at(found, "error", "message")) or "it failed", used_tools=tools)
    models = at(found, "stats", "models")
    usage = Usage()
    for one in models.values() if isinstance(models, dict) else ():
        cached, given = count_at(one, "tokens", "cached"), count_at(one, "tokens", "prompt")
        made = count_at(one, "tokens", "candidates") + count_at(one, "tokens", "thoughts")
        usage += Usage(max(0, given - cached), made, cache_read=cached)
    text = _text(at(found, "response"))
    return Spoken(text, usage, error="" if text else "it said nothing", used_tools=tools)


def _plain_question(prompt: Prompt) -> str:
    return f"{prompt.context}\n\n{prompt.question}\n"


CLAUDE = Subscription(
    name="claude-cli",
    title="Claude Code",
    program="claude",
    sign_in="run `claude` and type `/login`",
    recommended="haiku",
    company="Anthropic",
    status=("auth", "status"),
    account=("CLAUDE_CONFIG_DIR", ".claude", ".credentials.json"),
    moved=(
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_API_KEY",
    ),
    arguments=_claude_arguments,
    files=lambda _folder, _kept: {},
    variables=lambda _folder: {
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",  # `@/path` in a call stays text
    },
    objection=_claude_objection,
    question=_claude_question,
    read=_claude_spoken,
)
CODEX = Subscription(
    name="codex-cli",
    title="Codex",
    program="codex",
    sign_in="run `codex login`",
    recommended=DEFAULT,
    company="OpenAI",
    account=("CODEX_HOME", ".codex", "auth.json"),
    moved=("CODEX_HOME", "OPENAI_BASE_URL", "CODEX_API_KEY"),
    arguments=_codex_arguments,
    files=lambda _folder, _kept: {},
    variables=lambda folder: {"CODEX_HOME": os.path.join(folder, "codex")},
    question=_plain_question,
    read=_codex_spoken,
    links=("codex/auth.json",),
)
GEMINI = Subscription(
    name="gemini-cli",
    title="Gemini CLI",
    program="gemini",
    sign_in="run `gemini` and choose a way to sign in",
    recommended=DEFAULT,
    company="Google",
    account=("", _GEMINI_FOLDER, "oauth_creds.json"),
    moved=("GOOGLE_CLOUD_PROJECT", "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"),
    arguments=_gemini_arguments,
    files=_gemini_files,
    variables=lambda folder: {
        "GEMINI_CLI_HOME": folder,
        "GEMINI_SYSTEM_MD": os.path.join(folder, _SYSTEM),
        "NO_COLOR": "1",
    },
    question=_plain_question,
    read=_gemini_spoken,
    links=(f"{_GEMINI_FOLDER}/oauth_creds.json", f"{_GEMINI_FOLDER}/google_accounts.json"),
    waits=False,  # it reads its input at once, or not at all
)
SUBSCRIPTIONS: Mapping[str, Subscription] = {one.name: one for one in (CLAUDE, CODEX, GEMINI)}
NOT_OFFERED: Mapping[str, str] = {
    "copilot-cli": "Copilot CLI cannot be the judge: its own system prompt cannot be replaced, and"
    " its hooks cannot be switched off without its sign-in",
    "qwen-cli": "Qwen Code has no subscription any more, only keys: use the key itself, under"
    " `autoMode.providers`",
}
