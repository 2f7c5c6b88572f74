"""Servers to ask: they replay what a test hands them. One with a real model is a folder above."""

import asyncio
import json
import ssl
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from threading import Event
from typing import TypeVar

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from automode.agents.scripted.loopback import LoopbackHandler, LoopbackServer
from automode.llm.endpoints import Endpoint
from automode.llm.hosted import HostedModel, Wire
from automode.llm.model import Ask, Model, ModelError, Prompt
from automode.llm.providers import PROVIDERS

KEY = "sk-of-the-provider-0123456789"
PROMPT = Prompt("You judge actions.", "The user said: tidy up the branch.", "Answer 0 or 1.")
ASK = Ask(max_tokens=16, timeout_seconds=20)
MODELS = {
    "anthropic": "claude-haiku-4-5",
    "openai": "gpt-4o",
    "google": "gemini-2.5-flash",
    "bedrock": "us.anthropic.claude-haiku-4-5-20251001-v1:0",
}
T = TypeVar("T")


@dataclass(frozen=True)
class Play:
    """One answer: `declared` is a Content-Length that is not true, `hangs` waits in the middle."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    declared: int | None = None
    hangs: bool = False


@dataclass(frozen=True)
class Got:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> object:
        return json.loads(self.body)


class Replay(LoopbackServer):
    """A server on loopback that plays its answers in order, the last one for ever."""

    def __init__(self) -> None:
        self.got: list[Got] = []
        self.plays: list[Play] = []
        self.released = Event()
        self.connections: set[object] = set()
        super().__init__(_Handler)

    def play(self, status: int = 200, body: object = None, **headers: str) -> None:
        written = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.plays.append(Play(status, written, named))

    def next(self) -> Play:
        return self.plays.pop(0) if len(self.plays) > 1 else self.plays[0]

    def __exit__(self, *trouble: object) -> None:
        self.released.set()
        super().__exit__(*trouble)


class _Handler(LoopbackHandler):
    server: Replay

    def do_POST(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.got.append(Got(self.path, headers, self.body()))
        self.server.connections.add(self.client_address)
        self.answer(self.server.next())

    def answer(self, play: Play) -> None:
        self.send_response(play.status)
        self.send_header("content-length", str(play.declared or len(play.body)))
        for name, value in {"content-type": "application/json", **play.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(play.body)
            self.wfile.flush()
        except OSError:  # the client had enough
            self.close_connection = True
        if play.hangs:
            self.server.released.wait(60)
        if play.declared is not None:
            self.close_connection = True


@pytest.fixture
def replay() -> Iterator[Replay]:
    with Replay() as server:
        yield server


def run(work: Coroutine[object, object, T]) -> T:
    return asyncio.run(work)


def at(url: str, provider: str, model_id: str = "", *, key: str | None = KEY) -> HostedModel:
    """The provider's model, as if the provider lived at `url`."""
    base_url = url + ("/v1" if provider == "openai" else "")
    found = Endpoint(PROVIDERS[provider], base_url, key)
    return HostedModel(found, model_id or MODELS[provider], Wire())


def failure(model: Model, ask: Ask = ASK, prompt: Prompt = PROMPT) -> ModelError:
    with pytest.raises(ModelError) as raised:
        run(model.complete(prompt, ask))
    return raised.value


@pytest.fixture
def self_signed(tmp_path: Path) -> Iterator[str]:
    """The address of a server whose certificate nobody has signed but itself."""
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    _sign(certificate, key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = Replay()
    server.plays.append(Play())
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with server:
        yield server.url.replace("http:", "https:")


def _sign(certificate: Path, key: Path) -> None:
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(private, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    certificate.write_bytes(signed.public_bytes(pem))
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    key.write_bytes(private.private_bytes(pem, form, plain))
