"""What lies below a folder: any change of it is seen, and an approved call on it is another one."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.sessions.decision_service import DecisionService
from automode.sessions.retries import folder_stamp
from tests.sessions.service_setup import HOST, Judging, Setup, said, working

ROOM = 100
FILES = ("a", "b", "sub/c", "sub/deep/d", ".git/config", "node_modules/x/index.js")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path / "k")


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


def grown(path: Path) -> None:
    path.write_text("three")


def removed(path: Path) -> None:
    path.unlink()


def renamed(path: Path) -> None:
    path.rename(path.with_name("other"))


def joined(path: Path) -> None:
    path.with_name("id_rsa").touch()


def joined_by_a_folder(path: Path) -> None:
    path.with_name("more").mkdir()


def joined_by_a_link(path: Path) -> None:
    path.with_name("more").symlink_to("/")


def made_a_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/")


def allowed_to_run(path: Path) -> None:
    path.chmod(0o755)


CHANGES: tuple[Callable[[Path], None], ...] = (
    *(rewritten, replaced, grown, removed, renamed),
    *(joined, joined_by_a_folder, joined_by_a_link, made_a_link, allowed_to_run),
)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", FILES)
def test_every_change_below_a_folder_shows(
    folder: Path, name: str, change: Callable[[Path], None]
) -> None:
    before, same = stamp(folder), stamp(folder)
    change(folder / name)

    assert before == same
    assert None not in (before, stamp(folder))
    assert stamp(folder) != before


def test_what_a_link_leads_to_counts_as_a_file_and_is_not_walked_into(folder: Path) -> None:
    outside = filled(folder.parent / "outside")
    (folder / "values").symlink_to(outside / "a")
    (folder / "all").symlink_to(outside)
    (folder / "loop").symlink_to(".")
    (folder / "dangling").symlink_to("nowhere")
    seen = [stamp(folder)]
    joined(outside / "b")
    seen.append(stamp(folder))
    rewritten(outside / "a")
    seen.append(stamp(folder))

    assert None not in seen
    assert seen[0] == seen[1] != seen[2]


def test_what_was_there_for_a_moment_or_was_only_looked_at_is_no_change(folder: Path) -> None:
    """`git status` takes a lock in `.git` and gives it back, and editors do the like."""
    before = stamp(folder)
    lock = folder / ".git/index.lock"
    lock.touch()
    lock.unlink()
    for name in FILES:
        (folder / name).read_text()

    assert before is not None
    assert stamp(folder) == before


def test_a_folder_that_holds_too_much_or_cannot_be_read_has_no_stamp(folder: Path) -> None:
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


@given(st.sampled_from(NAMING), st.sampled_from(FILES), st.sampled_from(CHANGES))
def test_no_approval_holds_once_anything_below_a_named_folder_changed(
    tmp_path_factory: pytest.TempPathFactory,
    command: str,
    name: str,
    change: Callable[[Path], None],
) -> None:
    setup = Setup(tmp_path_factory.mktemp("setup"), layers=[Judging(denies="command")])
    folder = filled(setup.project / "k")
    event = setup.bash(command)

    async def work(service: DecisionService) -> None:
        ruling = await service.decide(event, HOST)
        assert ruling.record is not None
        await service.person.approve(ruling.record, session_long=True)
        unchanged = await service.decide(event, HOST)
        change(folder / name)
        changed = await service.decide(event, HOST)

        assert said(unchanged) == ("allow", "approval")
        assert said(changed) == ("deny", "classifier.deliberate")

    working(setup, work)


ORDINARY = (
    "git push origin main",
    "npm publish",
    "make deploy",
    "git commit -m done",
    "rm -rf build",
    "terraform apply",
)


@pytest.mark.parametrize("command", ORDINARY)
def test_work_elsewhere_in_the_project_takes_no_approval_away(setup: Setup, command: str) -> None:
    setup.layers = [Judging(denies="command")]
    event = setup.bash(command)
    filled(setup.project / "src")
    filled(setup.project / "build")

    async def work(service: DecisionService) -> None:
        ruling = await service.decide(event, HOST)
        assert ruling.record is not None
        await service.person.approve(ruling.record)
        grown(setup.project / "src/a")
        joined(setup.project / "src/a")

        assert said(await service.decide(event, HOST)) == ("allow", "approval")

    working(setup, work)
