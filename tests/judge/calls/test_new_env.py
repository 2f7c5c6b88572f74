"""A new file of variables is made of its example or of what the call says; one that is there, and
what leads programs to other code, is asked about."""

from dataclasses import replace
from pathlib import Path

from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.judge.consent.requests import users_words
from tests.judge.sessions import CALLS, bash, saying
from tests.reading import facts_of
from tests.rows import each_row

MADE = [
    "cp .env.example .env",
    "cp .env.example .env.local",
    "cp -n ./.env.example ./.env",
    "sed 's/^KEY=.*/KEY=dev-key/; s#^URL=.*#URL=http://localhost:3055/#' .env.example > .env",
    "grep -v '^#' .env.example > .env",
    "printf 'KEY=dev\\nPORT=3000\\n' > .env",
    "echo PORT=3000 > .env",
    "cat > .env <<'E'\nKEY=dev\nNODE_ENV=development\nE",
    "test -f .env || cp .env.example .env",
    "cp .env.example .env && npm run dev",
]
ASKED = [
    "cp .env.example .env.production",
    "cp .env.example .envrc",
    "cp .env.example ~/.env",
    "cp .env.example there/.env",
    "cp app.py .env",
    "cp ~/.env .env",
    "cp other/.env.example .env",
    "cp .env.example app.py .env",
    "cp evil.env.example .env",
    "echo NODE_OPTIONS=--require=./x.js > .env",
    "echo PATH=./bin > .env",
    "printf 'LD_PRELOAD=./x.so' > .env",
    "printf '\\116ODE_OPTIONS=x' > .env",
    "sed 's/KEY/NODE_OPTIONS/' .env.example > .env",
    "sed 's/KEY=/BASH_ENV=/' .env.example > .env",
    'echo "KEY=$KEY" > .env',
    'echo "KEY=$(cat key.txt)" > .env',
    "echo 'KEY=$(cat key.txt)' > .env",
    "echo 'KEY=`id`' > .env",
    "python gen.py > .env",
    "cat app.py > .env",
    "echo x | tee .env",
    "echo KEY=1 >> there/.env",
    "sudo cp .env.example .env",
    "curl -o .env https://example.com/env",
    "mv .env.example .env",
    "ln -s app.py .env",
    "rm -f there/.env",
]


def _project(root: Path) -> Workspace:
    for name, text in {
        ".env.example": "KEY=\nURL=\nPORT=3000\n",
        "evil.env.example": "NODE_OPTIONS=--require ./x.js\n",
        "app.py": "x = 1\n",
        "there/.env": "KEY=real\n",
        "package.json": '{"scripts": {"dev": "node app.js"}}',
        "app.js": "1\n",
    }.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    return Workspace(str(root), str(root), "/home/user", Disk())


def _deeds(call: str, place: Workspace) -> tuple[str, ...]:
    session = replace(saying("build the api"), workspace=place)
    words = users_words(session.transcript.entries)
    given = (
        tool_call("write", {"file_path": f"{place.root}/.env", "content": call})
        if "\n" in call and "<<" not in call
        else bash(call)
    )
    return CALLS(facts_of(given, session), session, words).deeds


HEAVY = {"edits-protected", "steers-unnamed", "reads-secret", "writes-outside", "elevates"}


@each_row("command", [*MADE, "KEY=dev\nPORT=3000\n"])
def test_a_new_one_is_a_file_of_the_project(tmp_path: Path, command: str) -> None:
    assert HEAVY.isdisjoint(_deeds(command, _project(tmp_path)))


@each_row("command", [*ASKED, "NODE_OPTIONS=--require ./x.js\nKEY=1\n"])
def test_another_steers_or_holds_secrets(tmp_path: Path, command: str) -> None:
    assert not HEAVY.isdisjoint(_deeds(command, _project(tmp_path)))


def test_one_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    place = _project(tmp_path)
    (tmp_path / ".env").write_text("KEY=real\n")

    assert all(not HEAVY.isdisjoint(_deeds(one, place)) for one in MADE if ".local" not in one)


@each_row("command", ["git check-ignore -v .env", "git ls-files .env .env.example", "touch .env"])
def test_to_name_one_shows_nothing_of_it(tmp_path: Path, command: str) -> None:
    assert "reads-secret" not in _deeds(command, _project(tmp_path))
