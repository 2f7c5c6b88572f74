"""Clients of further services."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.cloud_services import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

WORKSPACE = Workspace(root="/p", cwd="/p", home="/home/u", files=Names("/p"))


def judged(line: str) -> Use:
    words = tuple(Word(text) for text in shlex.split(line))
    name = words[0].text
    command = Command(words=words, cwd="/p")
    return PROGRAMS[name](Invocation(name, words[1:], command, WORKSPACE))


READING = [
    "auth0 apps list",
    "auth0 logs tail",
    "auth0 logs streams list",
    "auth0 protection bfp show",
    "auth0 tenants list",
    "auth0 --tenant t apps list",
    "auth0 users roles show u",
    "auth0 api get users",
    "stripe customers list --limit 3",
    "stripe balance retrieve",
    "sentry-cli projects list",
    "circleci context list",
    "circleci version",
    "doctl compute droplet list",
    "doctl apps logs a",
    "doctl account get",
    "linode-cli linodes list",
    "hcloud server list -o json",
    "pscale database list",
    "neonctl projects list",
    "atlas clusters list",
    "confluent kafka topic list",
    "newrelic entity search",
    "fastly service list",
]

NOT_READING = [
    ("auth0 test token", Effect.SECRETS),
    ("auth0 apps show x --reveal-secrets", Effect.SECRETS),
    ("doctl databases connection get x", Effect.SECRETS),
    ("doctl databases get x", Effect.SECRETS),
    ("doctl kubernetes cluster kubeconfig show x", Effect.SECRETS),
    ("neonctl connection-string", Effect.SECRETS),
    ("confluent api-key list", Effect.SECRETS),
    ("linode-cli lke kubeconfig-view 1", Effect.SECRETS),
    ("stripe trigger x", Effect.REMOTE_WRITE),
    ("sentry-cli send-event -m x", Effect.REMOTE_WRITE),
    ("stripe customers list --api-key x", Effect.NETWORK),
    ("doctl compute droplet list --access-token x", Effect.NETWORK),
    ("hcloud server ssh x", Effect.RUNS),
    ("auth0 apps create", Effect.UNKNOWN),
    ("auth0 api patch clients/1", Effect.UNKNOWN),
    ("auth0 api get clients", Effect.UNKNOWN),
    ("auth0 orgs rm x", Effect.UNKNOWN),
    ("auth0 qs download", Effect.UNKNOWN),
    ("auth0 apps show x -r", Effect.UNKNOWN),
    ("atlas clusters delete list", Effect.UNKNOWN),
    ("doctl compute droplet delete list", Effect.UNKNOWN),
    ("doctl compute droplet --x list delete 5", Effect.UNKNOWN),
    ("hcloud server delete x", Effect.UNKNOWN),
]


@pytest.mark.parametrize("line", READING)
def test_what_only_reads_is_judged_as_reading(line: str) -> None:
    assert not judged(line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "effect"), NOT_READING)
def test_what_does_more_is_judged_by_what_it_does(line: str, effect: Effect) -> None:
    assert effect in judged(line).effect
