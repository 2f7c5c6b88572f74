"""Agents that are installed and signed in, as models: a subscription answers in headless mode.

Each is started with no tools, no hooks, no plug-ins, no MCP servers and no memory, in an empty
folder, with our system prompt and only the variables that signing in needs.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from automode.llm.failures import Failures
from automode.llm.keys import replace_private
from automode.llm.model import Ask, ModelError, Prompt, Reply, Trouble, Usage
from automode.llm.program import Output, Programs, Start

NOTHING = Usage()
SYSTEM_FILE = "system.md"
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
    files: Callable[[str, Mapping[str, str]], Mapping[str, str]]  # by name, beside `SYSTEM_FILE`
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
            for name, text in {SYSTEM_FILE: system, **agent.files(folder, kept)}.items():
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
