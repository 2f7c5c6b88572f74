"""Changes are carried out all together or not at all; a receipt comes back as it was kept."""

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.installing.plan import (
    CannotInstall,
    Change,
    Plan,
    Receipt,
    Receipts,
    Scope,
    apply,
    digest,
    present,
)
from tests.rows import each_row

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="ONLY ROOT CAN GIVE FILES AWAY")


def plan(*changes: Change) -> Plan:
    return Plan("claude-code", Scope.USER, changes)


def receipt(path: Path, without: bytes | None) -> Receipt:
    return Receipt("claude-code", str(path), without, "sha")


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_a_file_keeps_its_mode_nothing_is_left_beside_it_and_the_replaced_bytes_are_kept(
    tmp_path: Path, receipts: Receipts
) -> None:
    file = tmp_path / "home" / "settings.json"
    file.parent.mkdir()
    file.write_bytes(b"old")
    file.chmod(0o640)

    apply(plan(Change(str(file), b"old", b"new")), receipts)

    assert files(file.parent) == {"settings.json": b"new"}
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert b"old" in files(Path(receipts.folder)).values()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in Path(receipts.folder).iterdir()}
    assert modes == {0o600}


@AS_ROOT
def test_a_file_keeps_its_group(tmp_path: Path, receipts: Receipts) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b"old")
    os.chown(file, 0, 12345)

    apply(plan(Change(str(file), b"old", b"new")), receipts)

    assert (file.stat().st_uid, file.stat().st_gid) == (0, 12345)


def test_a_link_stays_a_link_and_its_file_is_changed(tmp_path: Path, receipts: Receipts) -> None:
    real, link = tmp_path / "dotfiles.json", tmp_path / "settings.json"
    real.write_bytes(b"old")
    link.symlink_to(real)
    path, before = present(str(link))

    apply(plan(Change(path, before, b"new")), receipts)

    assert link.is_symlink()
    assert real.read_bytes() == b"new"


def test_a_new_file_is_for_its_owner_alone_and_its_folders_go_with_it(
    tmp_path: Path, receipts: Receipts
) -> None:
    file = tmp_path / "a" / "b" / "settings.json"
    apply(plan(Change(str(file), None, b"new", receipt(file, None))), receipts)
    made = stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)

    apply(plan(Change(str(file), b"new", None)), receipts)

    assert made == (0o600, 0o700)
    assert not (tmp_path / "a").exists()
    assert receipts.find("claude-code", str(file)) is None


def test_a_folder_that_somebody_uses_meanwhile_stays(tmp_path: Path, receipts: Receipts) -> None:
    file = tmp_path / "a" / "b" / "settings.json"
    apply(plan(Change(str(file), None, b"new", receipt(file, None))), receipts)
    (tmp_path / "a" / "theirs").write_bytes(b"")

    apply(plan(Change(str(file), b"new", None)), receipts)

    assert sorted(os.listdir(tmp_path / "a")) == ["theirs"]


def test_when_the_second_change_fails_the_first_is_taken_back(
    tmp_path: Path, receipts: Receipts
) -> None:
    first, gone = tmp_path / "first", tmp_path / "gone"
    first.write_bytes(b"old")
    first.chmod(0o604)
    gone.write_bytes(b"stays")
    file, below = tmp_path / "x", tmp_path / "x" / "y"
    known = receipt(first, b"older")
    receipts.keep(known)
    impossible = plan(
        Change(str(first), b"old", b"new", receipt(first, b"old")),
        Change(str(gone), b"stays", None),
        # Nothing can be a file and a folder.
        Change(str(file), None, b"1", receipt(file, None)),
        Change(str(below), None, b"2"),
    )

    with pytest.raises(CannotInstall, match="nothing was changed"):
        apply(impossible, receipts)

    found = files(tmp_path)
    assert {name: data for name, data in found.items() if not name.startswith("state")} == {
        "first": b"old",
        "gone": b"stays",
    }
    assert not file.exists()
    assert stat.S_IMODE(first.stat().st_mode) == 0o604
    assert receipts.find("claude-code", str(first)) == known
    assert receipts.find("claude-code", str(file)) is None


def test_a_file_that_changed_since_it_was_shown_is_left_alone(
    tmp_path: Path, receipts: Receipts
) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b"theirs")

    with pytest.raises(CannotInstall, match="changed in the meantime"):
        apply(plan(Change(str(file), b"old", b"new")), receipts)

    assert file.read_bytes() == b"theirs"


def test_one_installation_at_a_time(tmp_path: Path, receipts: Receipts) -> None:
    file = tmp_path / "settings.json"

    with receipts.locked(), pytest.raises(CannotInstall, match="another installation"):
        apply(plan(Change(str(file), None, b"new")), receipts)

    assert not file.exists()


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    for name in ("pipe", "folder", "link", "loop"):
        with pytest.raises(CannotInstall, match=f"{name}` was left alone") as refused:
            present(str(tmp_path / name))
        assert refused.value.hint


@AS_ROOT
def test_what_belongs_to_another_account_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b"{}")
    os.chown(file, 12345, 12345)

    with pytest.raises(CannotInstall, match="another account"):
        present(str(file))


PATH = "/home/ann/.claude/settings.json"


def whole_receipt(without: bytes | None) -> Receipt:
    return Receipt(
        agent="claude-code",
        path=PATH,
        without=without,
        written="ab",
        replaced="cd",
        pieces=("\n  x,", "ß"),
        made=("hooks", "hooks.Stop"),
        folders=("/a", "/a/b"),
        named="/home/ann/link.json",
    )


@pytest.mark.parametrize("without", [None, b"", b"\xff{}"])
def test_a_receipt_comes_back_as_it_was_kept(receipts: Receipts, without: bytes | None) -> None:
    receipts.keep(whole_receipt(b"earlier"))
    receipts.keep(whole_receipt(without))

    assert receipts.find("claude-code", PATH) == whole_receipt(without)
    assert receipts.find("pi", PATH) is None
    assert receipts.find("claude-code", "/elsewhere") is None


@each_row(
    "text",
    [None, "", "{", "[]", "{}", '{"path": "/other"}', f'{{"path": "{PATH}", "scope": "user"}}'],
)
def test_a_broken_receipt_and_one_whose_bytes_are_gone_count_as_none(
    receipts: Receipts, text: str | None
) -> None:
    receipts.keep(whole_receipt(b"{}"))
    for file in Path(receipts.folder).glob("*.before" if text is None else "*.json"):
        file.unlink() if text is None else file.write_text(text)

    assert receipts.find("claude-code", PATH) is None


def test_the_bytes_before_and_behind_a_change_are_both_known() -> None:
    known = replace(whole_receipt(b"{}"), written=digest(b"after"), replaced=digest(b"before"))

    assert known.knows(b"after")
    assert known.knows(b"before")
    assert not known.knows(b"other")
    assert not replace(known, replaced=digest(None)).knows(b"")
