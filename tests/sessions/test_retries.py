"""What makes a retry exact: another state of any file that a call names is another call."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.assemble import READER
from automode.core.call import ToolCall
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.facts.files import OneLook
from automode.facts.place import live_workspace
from automode.programs.call_facts import CallFacts
from automode.sessions.decision_service import DecisionService
from automode.sessions.retries import (
    LARGEST_READ,
    MOST_BELOW,
    MOST_READ,
    Retries,
    Stamps,
    TooManyNames,
    canonical_json,
    folder_stamp,
)
from automode.sessions.waiting import AnswerKind, PersonsAnswer, Via
from tests.rows import each_row
from tests.sessions.service_setup import HOST, Judging, Setup, records, said, working

SECRET_KEY = b"k" * 32
ROOM = 100
FILES = ("a", "b", "sub/c", "sub/deep/d", ".git/config", "node_modules/x/index.js")


def project(folder: Path) -> Session:
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    (folder / "run.sh").write_text("echo 1")
    return Session("plain/s", replace(live_workspace(str(folder)), files=OneLook()), host="plain")


@pytest.fixture
def place(tmp_path: Path) -> Session:
    return project(tmp_path)


def digest(call: ToolCall, session: Session, key: bytes = SECRET_KEY) -> str:
    anew = replace(session, workspace=replace(session.workspace, files=OneLook()))
    facts = CallFacts(call, anew.workspace, READER)
    return Retries(key).exact(facts, anew, canonical_json(call.input))


def bash(command: str, **more: object) -> ToolCall:
    return tool_call("bash", {"command": command, **more})


OTHERS: dict[str, Callable[[Session], tuple[ToolCall, Session]]] = {
    "another input": lambda s: (bash("bash run.sh -x"), s),
    "another field": lambda s: (bash("bash run.sh", timeout=5), s),
    "another tool": lambda s: (tool_call("Bash", {"command": "bash run.sh"}), s),
    "another session": lambda s: (bash("bash run.sh"), replace(s, id="plain/t")),
    "another folder": lambda s: (
        bash("bash run.sh"),
        replace(s, workspace=replace(s.workspace, cwd="/")),
    ),
}


@each_row("other", OTHERS.values())
def test_anything_else_is_no_exact_retry(
    place: Session, other: Callable[[Session], tuple[ToolCall, Session]]
) -> None:
    own = digest(bash("bash run.sh"), place)

    assert digest(*other(place)) != own
    assert digest(bash("bash run.sh"), place) == own
    assert digest(bash("bash run.sh"), place, b"another key" * 3) != own


# A file that a command reads, or may read by itself: its content counts. With "": where the name
# is made up only while the script runs, no retry need be exact.
NAMED = {
    **dict.fromkeys(("bash run.sh", "bash ./run.sh", "X=1; sh run.sh $X"), "run.sh"),
    **dict.fromkeys(("python -c pass && sh run.sh", "word " * 300 + "run.sh"), "run.sh"),
    **dict.fromkeys(
        ("cd sub && bash y.sh", "(cd sub; ./y.sh)", "pushd sub; bash y.sh"), "sub/y.sh"
    ),
    **dict.fromkeys(("env -C sub bash y.sh", "bash -c 'cd sub && ./y.sh'"), "sub/y.sh"),
    **dict.fromkeys(("bash 'a b.sh'", r"bash a\ b.sh"), "a b.sh"),
    **dict.fromkeys(("bash x'.'sh", "bash $PWD/x.sh", "bash x.s?", "bash x*"), "x.sh"),
    **dict.fromkeys(("cat x.sh | sh", "sh <x.sh", 'F=x.sh; bash "$F"', "bash $F"), "x.sh"),
    **dict.fromkeys(("bash <<< 'source x.sh'", "PYTHONSTARTUP=x.sh python3"), "x.sh"),
    **dict.fromkeys(("make -C sub all", "make -Csub all"), "sub/Makefile"),
    "make": "Makefile",
    "python3 -m mod": "mod.py",
    "python3 -m pkg": "pkg/__main__.py",
    "pytest -q": "conftest.py",
}
KNOWN = ("bash run.sh", "cd sub && bash y.sh", "bash 'a b.sh'", "make -C sub all", "make")


@each_row("command, name", NAMED.items())
def test_a_file_that_the_shell_would_read_makes_it_another_call_when_it_changes(
    tmp_path_factory: pytest.TempPathFactory, command: str, name: str
) -> None:
    place = project(tmp_path_factory.mktemp("p"))
    script = Path(place.workspace.cwd) / name
    script.parent.mkdir(exist_ok=True)
    script.write_text("one")
    before = digest(bash(command), place)

    script.write_text("two")
    changed = digest(bash(command), place)
    script.write_text("one")

    assert before != "" or command not in KNOWN
    assert before == "" or changed != before
    assert name != "run.sh" or digest(bash(command), place) == before


@each_row(
    "command", ["rm -rf build/*", "rm -rf build", "cp -r data build/", "rsync -a data/ build/"]
)
def test_a_folder_that_became_a_link_makes_it_another_call(
    tmp_path_factory: pytest.TempPathFactory, command: str
) -> None:
    place = project(folder := tmp_path_factory.mktemp("p"))
    (folder / "build").mkdir()
    (folder / "other").mkdir()
    before = digest(bash(command), place)

    (folder / "build").rmdir()
    (folder / "build").symlink_to("other")

    assert before == "" or digest(bash(command), place) != before


GREP = tool_call("grep", {"pattern": "x", "path": "work"})
COPY = tool_call("powershell", {"command": "Copy-Item work other"})
OF_NO_ACCOUNT = (
    *("cd work && git push", "cd $PWD/work; git push", "git -C work push", "git -Cwork push"),
    *("make -C work", "rm -rf work", "curl x.test | jq .", "gh api x -q .", "echo work"),
)
WORKS_ON_IT = (
    *("cd work && docker build .", "git -C work add .", "scp -C work host:"),
    *("rm -rf work/x; cp -r work other", "env -C work rsync -a . host:"),
)


@pytest.mark.parametrize("more", [1, MOST_BELOW + 1])
def test_what_lies_in_a_folder_counts_where_any_command_works_on_it(
    place: Session, more: int
) -> None:
    folder = Path(place.workspace.cwd, "work")
    folder.mkdir()
    idle = [*map(bash, OF_NO_ACCOUNT), GREP]
    busy = [*map(bash, WORKS_ON_IT), COPY]
    before = {
        counts: [digest(call, place) for call in calls] for counts, calls in ((0, idle), (1, busy))
    }
    for number in range(more):
        (folder / str(number)).touch()

    assert "" not in (*before[0], *before[1])
    assert [digest(call, place) for call in idle] == before[0]
    after = [digest(call, place) for call in busy]
    assert not set(after) & set(before[1])
    assert (set(after) == {""}) is (more > MOST_BELOW)


def test_files_that_appear_vanish_or_grow_large_count(place: Session) -> None:
    script, call = Path(place.workspace.cwd) / "big.bin", bash("sh big.bin")
    seen = [digest(call, place)]
    script.write_bytes(b"x" * (LARGEST_READ + 1))
    seen.append(digest(call, place))
    script.write_bytes(b"y" * (LARGEST_READ + 2))
    seen.append(digest(call, place))
    script.unlink()

    assert digest(call, place) == seen[0]
    assert len(set(seen)) == 3


def test_a_file_tool_names_its_file_and_not_every_word_of_its_content(place: Session) -> None:
    call = tool_call("write", {"file_path": "run.sh", "content": "many words " * 5000})
    before = digest(call, place)

    (Path(place.workspace.cwd) / "run.sh").write_text("echo 2")

    assert before != ""
    assert digest(call, place) != before


def test_a_pipe_is_not_read_and_too_many_names_make_no_retry_exact(place: Session) -> None:
    os.mkfifo(Path(place.workspace.cwd) / "pipe")

    assert "" not in (digest(bash("sh pipe"), place), digest(bash("ls ."), place))
    assert digest(bash("sh " + "word " * 20_000), place) == ""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "file").write_text("one")
    return tmp_path


def stamps(folder: Path) -> Stamps:
    return Stamps(replace(live_workspace(str(folder)), files=OneLook()))


def found(folder: Path, text: str, *, below: bool = True) -> dict[str, str]:
    seen = stamps(folder)
    seen.text(text, str(folder), below=below)
    return seen.found


def test_more_than_can_be_read_has_no_stamp_be_it_one_file_or_all_of_them(folder: Path) -> None:
    for name, size in {"large": MOST_READ + 1, "half": MOST_READ // 2 + 1}.items():
        with (folder / name).open("wb") as file:
            file.truncate(size)
    os.link(folder / "half", folder / "other half")
    seen = stamps(folder)

    with pytest.raises(TooManyNames):
        stamps(folder).looked(str(folder / "large"))
    assert seen.looked(str(folder / "half")) != ""
    with pytest.raises(TooManyNames):
        seen.looked(str(folder / "other half"))


def test_what_git_keeps_by_its_content_does_not_count(folder: Path) -> None:
    (folder / ".git/objects").mkdir(parents=True)
    before = found(folder, ".")
    for number in range(MOST_BELOW + 1):
        (folder / ".git/objects" / str(number)).touch()
    after = found(folder, ".")
    (folder / ".git/config").touch()

    assert before == after
    assert found(folder, ".") != after


MENTIONED = ("a / b", "see many and sub", r'"\(.owner)/\(.name)"', "f('many')")
ARGUMENTS = ("/", "many", "--from=many", "type=bind,source=many", "two many")


@pytest.mark.parametrize("text", MENTIONED + ARGUMENTS)
def test_a_folder_that_holds_too_much_may_be_mentioned_but_not_be_an_argument(
    folder: Path, text: str
) -> None:
    for name in ("many/deep", "two many/deep"):
        (folder / name).mkdir(parents=True)
    seen = stamps(folder)
    seen.entries_left = 0
    if text in ARGUMENTS:
        with pytest.raises(TooManyNames):
            seen.text(text, str(folder))
    else:
        seen.text(text, str(folder))
        assert not any(path.endswith("/") and path != "/" for path in seen.found)


def filled(folder: Path) -> Path:
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("one")
    (folder / "link").symlink_to("a")
    return folder


def stamp(folder: Path, room: int = ROOM) -> str | None:
    found = folder_stamp(str(folder), room)
    return None if found is None else found.text


def rewritten(path: Path) -> None:
    """In place, with the same size, and its time set back."""
    kept = path.stat()
    while path.stat().st_ctime_ns == kept.st_ctime_ns:  # the disk's clock may be a coarse one
        path.write_text("two")
        os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))


def replaced(path: Path) -> None:
    """By another file with the same name, size and time."""
    kept = path.stat()
    other = path.with_name("other")
    other.write_text("two")
    os.utime(other, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    other.rename(path)


def make_a_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/")


CHANGES: dict[str, Callable[[Path], object]] = {
    "rewritten": rewritten,
    "replaced": replaced,
    "grown": lambda path: path.write_text("three"),
    "removed": lambda path: path.unlink(),
    "renamed": lambda path: path.rename(path.with_name("other")),
    "joined by a file": lambda path: path.with_name("id_rsa").touch(),
    "joined by a folder": lambda path: path.with_name("more").mkdir(),
    "joined by a link": lambda path: path.with_name("more").symlink_to("/"),
    "made a link": make_a_link,
    "allowed to run": lambda path: path.chmod(0o755),
}


def test_what_a_link_leads_to_counts_as_a_file_and_is_not_walked_into(tmp_path: Path) -> None:
    folder, outside = filled(tmp_path / "k"), filled(tmp_path / "outside")
    (folder / "values").symlink_to(outside / "a")
    (folder / "all").symlink_to(outside)
    (folder / "loop").symlink_to(".")
    (folder / "dangling").symlink_to("nowhere")
    seen = [stamp(folder)]
    (outside / "id_rsa").touch()
    seen.append(stamp(folder))
    rewritten(outside / "a")
    seen.append(stamp(folder))

    assert None not in seen
    assert seen[0] == seen[1] != seen[2]


def test_what_was_there_for_a_moment_or_was_only_looked_at_is_no_change(tmp_path: Path) -> None:
    """`git status` takes a lock in `.git` and gives it back, and editors do the like."""
    folder = filled(tmp_path / "k")
    before = stamp(folder)
    lock = folder / ".git/index.lock"
    lock.touch()
    lock.unlink()
    for name in FILES:
        (folder / name).read_text()

    assert before is not None
    assert stamp(folder) == before


def test_a_folder_that_holds_too_much_or_cannot_be_read_has_no_stamp(tmp_path: Path) -> None:
    folder = filled(tmp_path / "k")
    held = sum(1 for _ in folder.rglob("*"))
    found = folder_stamp(str(folder), held)

    assert found is not None
    assert found.entries == held
    assert stamp(folder, held - 1) is None
    assert stamp(folder / "nothing") is None
    assert stamp(folder / "a") is None


NAMING = (
    "kubectl apply -f k/",
    "kubectl apply --filename=k",
    "kubectl apply -fk/",
    "rsync -a k/ host:",
    "scp -r ./k host:",
    "docker build .",
    "docker build -t image k",
    "tar cz k | ssh host tar xz",
    "cp -r k elsewhere",
    "env -C k docker build .",
    "cd k && docker build .",
    "python3 -m http.server --directory k",
    "mv k elsewhere",
    "docker run -v ./k:/data image",
    "docker run --mount type=bind,source=./k,target=/data image",
)


@given(st.sampled_from(NAMING), st.sampled_from(FILES), st.sampled_from(list(CHANGES)))
def test_no_approval_holds_once_anything_below_a_named_folder_changed(
    tmp_path_factory: pytest.TempPathFactory,
    command: str,
    name: str,
    change: str,
) -> None:
    setup = Setup(tmp_path_factory.mktemp("setup"), layers=[Judging(denies="command")])
    folder = filled(setup.project / "k")
    event = setup.bash(command)

    async def work(service: DecisionService) -> None:
        ruling = await service.decide(event, HOST)
        assert ruling.record is not None
        await service.person.approve(ruling.record, session_long=True)
        unchanged = await service.decide(event, HOST)
        CHANGES[change](folder / name)
        changed = await service.decide(event, HOST)

        assert said(unchanged) == ("allow", "approval")
        assert said(changed) == ("deny", "classifier.deliberate")

    working(setup, work)


# What publishes or deploys the project is about these files: see OF_PROJECT.
ORDINARY = ("git push origin main", "git commit -m done", "rm -rf build", "make test")


@pytest.mark.parametrize("command", ORDINARY)
async def test_work_elsewhere_in_the_project_takes_no_approval_away(
    setup: Setup, command: str
) -> None:
    setup.layers = [Judging(denies="command")]
    event = setup.bash(command)
    filled(setup.project / "src")
    filled(setup.project / "build")
    async with setup.open() as service:
        ruling = await service.decide(event, HOST)
        assert ruling.record is not None
        await service.person.approve(ruling.record)
        (setup.project / "src/a").write_text("three")
        (setup.project / "src/id_rsa").touch()

        assert said(await service.decide(event, HOST)) == ("allow", "approval")


# A file of the repository, what it holds before and after: a yes to a push is to these commits.
IN_REPOSITORY = [
    ("refs/heads/main", "1", "2"),
    ("refs/heads/side/deep", None, "2"),
    ("refs/tags/v1", None, "1"),
    ("packed-refs", "1", "2"),
    ("reftable/tables.list", "1", "2"),
    ("hooks/pre-push", None, "curl"),
    ("hooks/pre-push", "true", "curl"),
    ("HEAD", "ref: refs/heads/main", "ref: refs/heads/side"),
    ("config.worktree", None, "[core]"),
    ("../own-hooks/pre-push", None, "curl"),
    ("../own-hooks/pre-push", "true", "curl"),
]
PUSHES = ["git push", "git push origin main", "git -C . push --tags", "gh pr create --fill"]


@each_row("command", PUSHES)
@each_row("name, before, now", IN_REPOSITORY)
def test_a_yes_to_a_push_is_to_the_commits_and_hooks_of_then(
    tmp_path_factory: pytest.TempPathFactory, command: str, name: str, before: str | None, now: str
) -> None:
    place = project(tmp_path_factory.mktemp("p"))
    repository = Path(place.workspace.cwd) / ".git"
    (repository / "config").write_text("[core]\nhooksPath = own-hooks\n")
    (repository / "refs/heads").mkdir(parents=True)
    changed = repository / name
    changed.parent.mkdir(parents=True, exist_ok=True)
    if before is not None:
        changed.write_text(before)
    first = digest(bash(command), place)
    assert first
    assert digest(bash(command), place) == first

    changed.write_text(now)

    assert digest(bash(command), place) != first


def test_a_configuration_that_git_cannot_read_makes_no_push_an_exact_retry(place: Session) -> None:
    (Path(place.workspace.cwd) / ".git/config").write_text("[core")

    assert digest(bash("git push"), place) == ""
    assert digest(bash("bash run.sh"), place)


# What sends or runs the project without naming its files.
OF_PROJECT = [
    *("npm publish", "cargo publish", "terraform apply -auto-approve", "make deploy"),
    *("pulumi up", "cd sub && npm publish", "bash -c 'npm publish'", "poetry publish --build"),
]


@each_row("command", OF_PROJECT)
@each_row("name, before", [("index.js", "1"), ("src/deep/main.rs", "1"), ("main.tf", None)])
def test_a_yes_to_publishing_a_project_is_to_its_files_of_then(
    tmp_path_factory: pytest.TempPathFactory, command: str, name: str, before: str | None
) -> None:
    place = project(tmp_path_factory.mktemp("p"))
    folder = Path(place.workspace.cwd)
    (folder / "src/deep").mkdir(parents=True)
    (folder / "sub").mkdir()
    if before is not None:
        (folder / name).write_text(before)
    first = digest(bash(command), place)
    assert first
    (folder / ".git/index").write_text("of git status")
    assert digest(bash(command), place) == first
    other = digest(bash("echo 1"), place)

    (folder / name).write_text("2")

    assert digest(bash(command), place) != first
    assert digest(bash("echo 1"), place) == other


def test_of_a_folder_with_too_many_files_what_sessions_wrote_counts(place: Session) -> None:
    folder = Path(place.workspace.cwd)
    (folder / "many").mkdir()
    for number in range(MOST_BELOW + 1):
        (folder / f"many/{number}").touch()
    path = str(folder / "many/1")
    wrote = replace(place, written_around={path.casefold(): path})
    first, other = (digest(bash("npm publish"), one) for one in (wrote, place))
    assert first
    assert first != other  # a file that was not written before

    Path(path).write_text("changed")

    assert digest(bash("npm publish"), wrote) != first
    assert digest(bash("npm publish"), place) == other


async def test_a_call_that_waited_is_asked_again_where_the_project_changed_meanwhile(
    setup: Setup,
) -> None:
    setup.layers, setup.holds = [Judging()], True
    setup.settings = {
        "autoMode": {"asks": {"hold": 600}},
        "permissions": {"ask": ["bash(npm publish)"]},
    }
    async with setup.open() as service:
        (setup.project / "index.js").write_text("good")
        deciding = asyncio.ensure_future(service.decide(setup.bash("npm publish"), HOST))
        for content in ("evil", None):
            while not (waits := service.waiting.list()):
                await service.waiting.changed(service.waiting.revision, 1)
            if content is not None:
                (setup.project / "index.js").write_text(content)
            yes = PersonsAnswer(AnswerKind.SESSION, Via.WINDOW)
            await service.waiting.answer(waits[0].record.id, yes)

        assert said(await deciding) == ("allow", "approval")
        asked = await records(service)
        assert [one.verdict.word for one in asked if one.source == "rules.ask"] == ["ask", "ask"]
