"""Clients of hosting platforms."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.platforms import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

WORKSPACE = Workspace(root="/p", cwd="/p", home="/home/u", files=Names("/p"))


def judged(line: str) -> Use:
    words = tuple(Word(text) for text in shlex.split(line))
    name = words[0].text
    command = Command(words=words, cwd="/p")
    return PROGRAMS[name](Invocation(name, words[1:], command, WORKSPACE))


READING = [
    "heroku apps",
    "heroku ps -a web",
    "heroku logs --tail -a web",
    "heroku apps:info",
    "vercel ls",
    "vercel inspect x",
    "vercel whoami",
    "netlify status",
    "netlify sites:list",
    "fly status -a web",
    "fly apps list",
    "flyctl logs -a web",
    "fly volumes list",
    "railway status",
    "railway -e production status",
    "railway logs",
    "wrangler whoami",
    "wrangler deployments list",
    "wrangler kv namespace list",
    "wrangler r2 bucket list",
    "supabase projects list",
    "firebase projects:list",
    "render services list",
]

NOT_READING = [
    ("heroku config", Effect.SECRETS),
    ("heroku config:get KEY -a web", Effect.SECRETS),
    ("heroku auth:token", Effect.SECRETS),
    ("vercel env ls", Effect.SECRETS),
    ("netlify env:list", Effect.SECRETS),
    ("fly auth token", Effect.SECRETS),
    ("railway variables", Effect.SECRETS),
    ("supabase status", Effect.SECRETS),
    ("supabase projects api-keys", Effect.SECRETS),
    ("firebase functions:config:get", Effect.SECRETS),
    ("vercel", Effect.REMOTE_WRITE),
    ("wrangler deploy", Effect.REMOTE_WRITE),
    ("wrangler kv key delete x", Effect.REMOTE_WRITE),
    ("netlify deploy", Effect.REMOTE_WRITE),
    ("railway up", Effect.REMOTE_WRITE),
    ("heroku run bash", Effect.RUNS),
    ("fly ssh console", Effect.RUNS),
    ("firebase emulators:start", Effect.RUNS),
    ("vercel ls --token x", Effect.NETWORK),
    ("fly apps list --access-token x", Effect.NETWORK),
    ("vercel --cwd x ls", Effect.UNKNOWN),
    ("fly apps destroy x", Effect.UNKNOWN),
    ("fly -t logs destroy web", Effect.UNKNOWN),
    ("fly apps -t list destroy web", Effect.UNKNOWN),
    ("heroku apps:destroy x", Effect.UNKNOWN),
    ("heroku access:remove x", Effect.UNKNOWN),
    ("vercel project rm x", Effect.UNKNOWN),
    ("fly volumes destroy x", Effect.UNKNOWN),
    ("fly version upgrade", Effect.UNKNOWN),
    ("supabase frobnicate", Effect.UNKNOWN),
]


@pytest.mark.parametrize("line", READING)
def test_what_only_reads_is_judged_as_reading(line: str) -> None:
    assert not judged(line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "effect"), NOT_READING)
def test_what_does_more_is_judged_by_what_it_does(line: str, effect: Effect) -> None:
    assert effect in judged(line).effect
