"""Programs that transfer files: which files they touch."""

import shlex

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.call_facts import CommandFacts
from automode.shell.script import Command, Word
from tests.rows import each_row

ROOT = "/home/ada/project"


def touched(line: str) -> set[tuple[str, str]]:
    command = Command(tuple(map(Word, shlex.split(line))), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    found = CommandFacts(command, workspace).touches
    return {(str(touch.kind), touch.word.text) for touch in found}


@each_row(
    "line, files",
    [
        ("curl -o a https://x.test", "writes:a"),
        ("curl -sLo a --output-dir d https://x.test", "writes:d/a writes:d"),
        ("curl -O https://x.test/a?b=c", "writes:a"),
        ("curl -c jar -D head https://x.test", "writes:jar writes:head"),
        ("curl -d @a https://x.test", "reads:a"),
        ("curl --data-urlencode n@a https://x.test", "reads:a"),
        ("curl --data-raw @a https://x.test", ""),
        ("curl -F 'f=@a;type=text/plain' -F t=<b https://x.test", "reads:a reads:b"),
        ("curl -T a --cert c https://x.test", "reads:a reads:c"),
        ("curl -K a", "lists:a"),
        ("wget https://x.test/a", "writes:a"),
        ("wget -P d https://x.test/", "writes:d writes:d/index.html"),
        ("wget -nv -O a -o log https://x.test/b", "writes:a writes:log"),
        ("wget --post-file=a -O- https://x.test", "reads:a writes:-"),
        ("rsync -a src dest", "tree:src writes:dest writes:dest/src"),
        ("rsync -a src/ x.test:dest", "tree:src/"),
        ("scp -i key a b x.test:c", "reads:key tree:a tree:b"),
        ("scp x.test:/a/b .", "writes:. writes:./b"),
        ("aria2c -d d -o a https://x.test", "writes:d writes:a"),
    ],
)
def test_a_transfer_names_the_files_it_reads_and_writes(line: str, files: str) -> None:
    wanted = {(kind, name) for kind, _, name in (one.partition(":") for one in files.split())}

    assert touched(line) == wanted
