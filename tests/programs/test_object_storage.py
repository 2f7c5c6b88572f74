"""rclone, s3cmd, mc and others."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.object_storage import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

WORKSPACE = Workspace(root="/p", cwd="/p", home="/home/u", files=Names("/p"))


def judged(line: str) -> Use:
    words = tuple(Word(text) for text in shlex.split(line))
    name = words[0].text
    command = Command(words=words, cwd="/p")
    return PROGRAMS[name](Invocation(name, words[1:], command, WORKSPACE))


READING = [
    "rclone ls remote:bucket",
    "rclone lsjson remote:bucket -R",
    "rclone size remote:bucket --json",
    "rclone about remote:",
    "rclone listremotes",
    "rclone version",
    "s3cmd ls s3://b",
    "s3cmd du s3://b",
    "mc ls play/b",
    "mc --json ls play/b",
    "mc admin user list play",
    "mc tag list play/b",
    "s5cmd ls s3://b",
    "mutagen sync list",
]

NOT_READING = [
    ("rclone sync a remote:b", Effect.REMOTE_WRITE),
    ("rclone sync a remote:b --dry-run", Effect.REMOTE_WRITE),
    ("rclone purge remote:b", Effect.REMOTE_WRITE),
    ("s3cmd del s3://b/o", Effect.REMOTE_WRITE),
    ("mc rb play/b", Effect.REMOTE_WRITE),
    ("mc --json rb play/b", Effect.REMOTE_WRITE),
    ("mc admin user add play u p", Effect.REMOTE_WRITE),
    ("s5cmd rm s3://b/o", Effect.REMOTE_WRITE),
    ("azcopy copy a b", Effect.REMOTE_WRITE),
    ("rclone config show", Effect.SECRETS),
    ("rclone config dump", Effect.SECRETS),
    ("mc alias list", Effect.SECRETS),
    ("mc share download play/b", Effect.SECRETS),
    ("rclone ls :http,url=https://x.test:", Effect.NETWORK),
    ("rclone lsd :s3:bucket", Effect.NETWORK),
    ("s3cmd get s3://b/o", Effect.WRITES),
    ("rclone mount remote: /mnt", Effect.RUNS),
    ("mc find play/b --exec 'rm {}'", Effect.RUNS),
    ("rclone ls remote: --config other.conf", Effect.UNKNOWN),
    ("rclone ls remote: --password-command x", Effect.UNKNOWN),
    ("s3cmd -c other.cfg ls", Effect.UNKNOWN),
    ("mutagen sync terminate x", Effect.UNKNOWN),
]


@pytest.mark.parametrize("line", READING)
def test_what_only_reads_is_judged_as_reading(line: str) -> None:
    assert not judged(line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "effect"), NOT_READING)
def test_what_does_more_is_judged_by_what_it_does(line: str, effect: Effect) -> None:
    assert effect in judged(line).effect
