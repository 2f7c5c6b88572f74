"""Facts about what a call aims at, on real repositories, processes and ports: where a push goes,
what a removal hits, whom a call stops, what speaks for a host."""

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Entry, Outcome, PriorCall, Transcript, UserMessage
from automode.core.workspace import Workspace
from automode.facts import listeners
from automode.facts.established import Established
from automode.facts.files import Disk, Names
from automode.facts.git import GitProcess, NotKnown
from tests.facts.test_established import PATIENT, git, place
from tests.reading import facts_of

linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are read from /proc")


def fact(
    name: str,
    command: str,
    workspace: Workspace,
    *before: Entry,
    ask: GitProcess = PATIENT,
    environment: tuple[str, ...] = (),
) -> str:
    session = Session("s", workspace, transcript=Transcript(before))
    call = facts_of(tool_call("bash", {"command": command}), session)
    found = {one.name: one.text for one in Established(ask, environment)(call, session)}
    return found.get(name, "")


def ran(command: str, outcome: Outcome = Outcome.OK) -> PriorCall:
    return PriorCall("bash", {"command": command}, outcome)


@pytest.fixture
def cloned(tmp_path: Path) -> Path:
    """A clone, on a branch of its own, of a repository whose default branch is `main`."""
    first = tmp_path / "first"
    first.mkdir()
    git(first, "init", "-b", "main")
    (first / ".gitignore").write_text("build/\n*.log\n")
    (first / "old.txt").write_text("1")
    git(first, "add", ".")
    git(first, "commit", "-m", "first")
    git(first, "branch", "shared")
    git(tmp_path, "clone", str(first), "work")
    work = tmp_path / "work"
    git(work, "checkout", "-b", "fix")
    return work


HERE = "branch `fix` is checked out; "


def told(name: str, *, had: bool, deed: str = "pushes to") -> str:
    which = "this very one" if name == "main" else "another one"
    return (
        f"it {deed} `{name}` of `origin`; the remote's default branch is `main`, {which};"
        f" when last fetched, the remote {'had' if had else 'did not have'} `{name}`"
    )


PUSHES = {
    "git push": told("fix", had=False),
    "git push -u origin HEAD": told("fix", had=False),
    "git push origin HEAD:main": told("main", had=True),
    "git push origin +fix:refs/heads/shared": told("shared", had=True),
    "git push origin --delete shared": told("shared", had=True, deed="deletes"),
    "git push origin :shared": told("shared", had=True, deed="deletes"),
    "git push origin refs/tags/v1": "`refs/tags/v1` is no branch",
    "git push --mirror": "every ref of `origin` may change",
    "git push --all origin": "all branches of `origin` may change",
    "git push -o ci.skip other x": "it pushes to `x` of `other`; which branch is the remote's"
    " default is not known; when last fetched, the remote did not have `x`",
}


def test_pushes_are_told_with_their_branch(cloned: Path) -> None:
    for command, text in PUSHES.items():
        assert fact("git-push", command, place(cloned)) == HERE + text, command


def test_refs_that_were_packed_are_found(cloned: Path) -> None:
    git(cloned, "pack-refs", "--all")

    assert "the remote had `shared`" in fact("git-push", "git push origin shared", place(cloned))


def test_a_branch_of_the_session_is_told_and_one_that_was_refused_is_not(cloned: Path) -> None:
    made = "a call of this session creates the local branch `fix`"

    for before in ("git checkout -b fix", "git switch -c fix main", "git branch fix && ls"):
        assert made in fact("git-push", "git push", place(cloned), ran(before)), before
    for other in (
        ran("git checkout -b fix", Outcome.DENIED),
        ran("git checkout -B fix"),
        ran("git branch -D fix"),
    ):
        assert made not in fact("git-push", "git push", place(cloned), other)
    recorded = Workspace("/r", "/r", "/home/u", Names("/r"))
    assert fact("git-push", "git checkout -b x && git push -u origin x", recorded) == (
        "a call of this session creates the local branch `x`"
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [("push.default", "matching"), ("remote.origin.push", "x"), ("include.path", "y")],
)
def test_what_only_the_configuration_says_is_not_guessed(
    cloned: Path, key: str, value: str
) -> None:
    git(cloned, "config", key, value)

    assert fact("git-push", "git push", place(cloned)) == (
        f"{HERE}which branch is pushed is not known: the configuration says in its own way what is"
        " pushed"
    )


def test_settings_of_the_person_count_and_an_upstream_of_another_name_is_told(
    cloned: Path,
) -> None:
    home = cloned.parent / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[push]\n\tdefault = upstream\n")
    git(cloned, "branch", "-u", "origin/main")

    assert "it pushes to `main` of `origin`" in fact("git-push", "git push", place(cloned))


def test_what_cannot_be_read_of_a_push_is_not_known(cloned: Path) -> None:
    assert fact("git-push", 'git push origin "$X"', place(cloned)).startswith("not known: a word")
    git(cloned, "checkout", "--detach")
    assert "which branch is pushed is not known" in fact("git-push", "git push", place(cloned))
    (cloned / ".git" / "HEAD").unlink()
    assert fact("git-push", "git push", place(cloned)) in (
        "",
        "not known: the branch that is checked out cannot be read",
    )


REMOVALS = {
    "old.txt": "a file, tracked by git, committed as it is",
    "src": "a folder, 2 files in it tracked by git, with changes that are in no commit, with files"
    " git does not have",
    "src/a": "a file, tracked by git, with changes that are in no commit",
    "src/new": "a file, untracked, not ignored",
    "notes": "a folder, untracked, not ignored",
    "notes/x": "a file, untracked, not ignored",
    "build": "a folder, ignored by git, or empty",
    "run.log": "a file, ignored by git, or empty",
    "gone": "not there",
    ".git/config": "a file, a part of git's own folder",
    "inner": "a folder, a repository of its own, untracked, not ignored",
}


def test_a_removal_is_told_with_what_git_has_of_it(cloned: Path) -> None:
    for name in ("src/a", "src/b"):
        (cloned / name).parent.mkdir(exist_ok=True)
        (cloned / name).write_text("1")
    git(cloned, "add", "src")
    git(cloned, "commit", "-m", "second")
    for name in ("src/a", "src/new", "notes/x", "build/out", "run.log", "inner/y"):
        (cloned / name).parent.mkdir(exist_ok=True)
        (cloned / name).write_text("2")
    git(cloned / "inner", "init")
    bare = Workspace(str(cloned), str(cloned), str(cloned.parent), Disk(), temporary=())

    for name, expected in REMOVALS.items():
        text = fact("removes", f"rm -rf {name}", bare)
        assert text.partition(": ")[2] == expected, name


def test_a_temporary_folder_is_told_and_not_taken_for_its_contents(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    there = Workspace("/r", "/r", "/home/u", Disk(), temporary=(str(tmp_path),))

    assert fact("removes", f"rm {tmp_path}/x", there).endswith(": a file, in a temporary folder")
    assert fact("removes", f"rm -r {tmp_path}", there).endswith(": a folder")
    assert fact("removes", 'rm -r "$X"', there) == ""


def test_where_git_gives_no_answer_nothing_is_claimed(cloned: Path) -> None:
    asked: list[str] = []

    def silent(folder: str, home: str) -> str:
        asked.append(folder)
        raise NotKnown("git took too long")

    session = Session("s", place(cloned))
    call = facts_of(tool_call("bash", {"command": "rm old.txt .gitignore"}), session)
    found = {one.name: one.text for one in Established(silent)(call, session)}

    assert found["removes"].count("whether it holds what is in no commit is not known") == 2
    assert len(asked) == 1
    (cloned / ".git" / "index").write_bytes(b"nonsense")
    assert "whether git tracks it is not known" in fact("removes", "rm old.txt", place(cloned))


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(listeners, "_SECONDS", PATIENT.seconds)
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield int(server.getsockname()[1])


@linux
def test_who_listens_on_a_port_is_told(port: int, tmp_path: Path) -> None:
    me, here = f"(process {os.getpid()})", place(Path.cwd())
    elsewhere = place(tmp_path)

    for command in (
        f"lsof -ti :{port} | xargs kill -9",
        f"kill $(lsof -ti:{port})",
        f"fuser -k {port}/tcp",
        f"npx kill-port {port}",
    ):
        text = fact("stops", command, here)
        assert text.startswith(f"port {port}: there listens `"), command
        assert f"{me}, which works in this project, started by `" in text
        assert f"which works in `{Path.cwd()}`" in fact("stops", command, elsewhere)
    assert f"process {os.getpid()} is `" in fact("stops", f"kill -9 {os.getpid()}", here)
    assert fact("stops", f"lsof -ti :{port}", here) == ""


@linux
def test_a_port_that_nobody_holds_and_one_the_session_named(port: int, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        free = server.getsockname()[1]
    kill = f"fuser -k {free}/tcp"

    assert fact("stops", kill, place(tmp_path)) == f"port {free}: no program listens there"
    named = fact("stops", kill, place(tmp_path), ran(f"npm run dev -- --port {free}"))
    refused = fact("stops", kill, place(tmp_path), ran(f"x {free}", Outcome.REJECTED))
    assert (
        named == f"port {free}: no program listens there, an earlier call of this session names it"
    )
    assert refused == f"port {free}: no program listens there"
    assert fact("stops", "kill 999999999", place(tmp_path)).endswith("not there, or cannot be seen")


def test_where_ports_cannot_be_seen_nothing_is_claimed(
    port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("automode.facts.listeners._TABLES", (str(tmp_path / "none"),))

    text = fact("stops", f"fuser -k {port}/tcp", place(tmp_path))

    assert text == f"port {port}: who listens there is not known"


SAID = "stands in the user's words, which may also forbid it"
WORDS = UserMessage("restart api on build-7 in the namespace web, then look at shop.example")


@pytest.fixture
def served(cloned: Path) -> Path:
    git(cloned, "remote", "set-url", "origin", "ssh://git@code.example:22/a/b.git")
    (cloned.parent / "home" / ".ssh").mkdir(parents=True)
    config = "Host build-7 Staging\n  HostName 10.0.0.7\nHost *.example !x\n"
    (cloned.parent / "home" / ".ssh" / "config").write_text(config)
    return cloned


REACHED = {
    "ssh -p 22 me@build-7 uptime": f"`build-7` is written in the user's ssh configuration, {SAID}",
    "scp a staging:/srv": "`staging` is written in the user's ssh configuration",
    "ssh git@code.example": "`code.example` is the host of the project's remote `origin`",
    "curl https://shop.example/x": f"`shop.example` {SAID}",
    "rsync -a . other.example:/x": "",
    "kubectl -n web get pods": f"`web` {SAID}",
    "kubectl --namespace=web get pods": f"`web` {SAID}",
    "kubectl --context prod -n db get pods": "",
    "systemctl restart api.service": f"`api` {SAID}",
    "psql -h db.example": "`db.example` stands in the `environment` of the user's settings",
    'ssh "$H" uptime': "",
}


def test_what_speaks_for_a_place_is_told(served: Path) -> None:
    for command, expected in REACHED.items():
        text = fact(
            "reaches",
            command,
            place(served),
            WORDS,
            environment=("db.example is our test database",),
        )
        assert text == expected, command


def test_what_the_agent_brought_about_speaks_for_nothing(served: Path) -> None:
    for command, before in (
        ("ssh git@code.example", "git remote set-url origin ssh://git@code.example/a"),
        ("scp a staging:/srv", "cat >> ~/.ssh/config"),
        ("ssh evil.example", "ssh evil.example uptime"),
    ):
        assert fact("reaches", command, place(served), ran(before)) == "", command
