"""Programs that keep secrets, tunnels, and HashiCorp's other clients."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.secret_stores import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

WORKSPACE = Workspace(root="/p", cwd="/p", home="/home/u", files=Names("/p"))


def judged(line: str) -> Use:
    words = tuple(Word(text) for text in shlex.split(line))
    name = words[0].text
    command = Command(words=words, cwd="/p")
    return PROGRAMS[name](Invocation(name, words[1:], command, WORKSPACE))


READING = [
    "vault status",
    "vault version",
    "vault secrets list -detailed",
    "vault kv list secret/",
    "consul members",
    "consul catalog services",
    "nomad status",
    "nomad job status web",
    "nomad alloc logs a1",
    "op whoami",
    "op vault list",
    "op item list --vault Private",
    "pass",
    "pass find web",
    "bw status",
    "doppler projects",
    "doppler --version",
    "sops --version",
    "ngrok version",
    "ngrok config check",
    "cloudflared tunnel list",
]

NOT_READING = [
    ("vault kv get secret/app", Effect.SECRETS),
    ("vault read secret/app", Effect.SECRETS),
    ("vault token lookup", Effect.SECRETS),
    ("vault print token", Effect.SECRETS),
    ("consul acl token list", Effect.SECRETS),
    ("nomad var get x", Effect.SECRETS),
    ("op read op://v/i/f", Effect.SECRETS),
    ("op item get x", Effect.SECRETS),
    ("op item create", Effect.SECRETS),
    ("op document get x", Effect.SECRETS),
    ("op vault list --reveal", Effect.SECRETS),
    ("pass show web", Effect.SECRETS),
    ("pass web", Effect.SECRETS),
    ("pass ls web", Effect.SECRETS),
    ("bw get password x", Effect.SECRETS),
    ("bw list items", Effect.SECRETS),
    ("doppler secrets", Effect.SECRETS),
    ("doppler run -- ls", Effect.SECRETS),
    ("sops -d secrets.yml", Effect.SECRETS),
    ("sops decrypt secrets.yml", Effect.SECRETS),
    ("vault kv put secret/app a=b", Effect.REMOTE_WRITE),
    ("vault kv metadata delete secret/app", Effect.REMOTE_WRITE),
    ("op vault delete x", Effect.REMOTE_WRITE),
    ("nomad job run a.nomad", Effect.REMOTE_WRITE),
    ("doppler projects delete x -y", Effect.REMOTE_WRITE),
    ("ngrok http 3000", Effect.NETWORK),
    ("cloudflared tunnel run x", Effect.NETWORK),
    ("vault -address=https://x.test status", Effect.UNKNOWN),
    ("vault status -address=https://x.test", Effect.UNKNOWN),
    ("doppler projects frobnicate", Effect.UNKNOWN),
]


@pytest.mark.parametrize("line", READING)
def test_what_only_reads_is_judged_as_reading(line: str) -> None:
    assert not judged(line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "effect"), NOT_READING)
def test_what_does_more_is_judged_by_what_it_does(line: str, effect: Effect) -> None:
    assert effect in judged(line).effect
