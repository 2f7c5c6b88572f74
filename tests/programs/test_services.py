"""The shape of service clients with hundreds of commands."""

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.clients import CHANGES, SECRET, options
from automode.programs.services import Service, command_words, others, paths, worst
from automode.programs.use import Effect, Invocation
from automode.shell.script import HOLE, Command, Origin, Word

CLIENT = Service(
    reads=paths("apps list|show\nlogs\nget-*"),
    alone=paths("config"),
    uses=others({"apps": CHANGES, "apps show secret": SECRET}),
    spec=options("-o= --output= --json"),
    leading=options("--account="),
)


def judged(*words: Word) -> Effect:
    command = Command((Word("client"), *words), cwd="/p")
    workspace = Workspace("/p", "/p", "/home/u", Names("/p"))
    return CLIENT(Invocation("client", words, command, workspace)).effect


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("apps list", Effect.REMOTE_READ),
        ("apps show web --json -o x", Effect.REMOTE_READ),
        ("--account me apps list", Effect.REMOTE_READ),
        ("get-thing --max 3", Effect.REMOTE_READ),
        ("config --json", Effect.REMOTE_READ),
        ("apps destroy --help", Effect.NONE),
        ("--version", Effect.NONE),
        ("apps destroy", Effect.REMOTE_WRITE),
        ("apps show secret", Effect.SECRETS),
        ("apps --x list destroy", Effect.REMOTE_WRITE),
        ("--x apps list", Effect.UNKNOWN),
        ("apps list -x", Effect.UNKNOWN),
        ("config set a", Effect.UNKNOWN),
        ("config --json set", Effect.UNKNOWN),
        ("frobnicate --help", Effect.UNKNOWN),
        ("apps list --api-token x", Effect.NETWORK),
        ("apps list --output-file x", Effect.WRITES),
        ("apps list --show-secrets", Effect.SECRETS),
        ("apps list --web", Effect.RUNS),
    ],
)
def test_only_listed_commands_with_plain_options_read(line: str, effect: Effect) -> None:
    assert judged(*(Word(text) for text in line.split())) & ~Effect.REMOTE_READ == (
        effect & ~Effect.REMOTE_READ
    )


def test_what_is_sent_to_a_service_must_be_what_was_typed() -> None:
    assert judged(Word("logs"), Word(f"web-{HOLE}", Origin.DERIVED)) is Effect.UNKNOWN


def test_an_option_of_its_own_ends_the_words_of_the_command() -> None:
    args = [Word(text) for text in ("apps", "--x", "list", "destroy")]
    assert command_words(args, options("--x="))[0] == ("apps",)
    assert command_words(args, options("--x="), between=True)[0] == ("apps", "destroy")


def test_an_abbreviated_option_counts_as_what_it_may_stand_for() -> None:
    assert worst(["--endp"], {"--endpoint": SECRET}, options("")).effect is Effect.SECRETS
    assert worst(["--out"], {"--outfile": SECRET}, options("--out")).effect is Effect.NONE
