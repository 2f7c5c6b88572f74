"""A receipt comes back as it was kept, and a broken one counts as none."""

from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.installing.plan import Receipt, Receipts, Scope, Transport, digest

PATH = "/home/ann/.claude/settings.json"


def receipt(without: bytes | None) -> Receipt:
    return Receipt(
        agent="claude-code",
        scope=Scope.MANAGED,
        path=PATH,
        version="0.1.0",
        transport=Transport.HTTP,
        without=without,
        written="ab",
        pieces=("\n  x,", "ß"),
        made=frozenset({"hooks", "hooks.Stop"}),
        folders=("/a", "/a/b"),
        named="/home/ann/link.json",
        replaced="cd",
    )


@pytest.mark.parametrize("without", [None, b"", b"\xff{}"])
def test_a_receipt_comes_back_as_it_was_kept(receipts: Receipts, without: bytes | None) -> None:
    receipts.keep(receipt(b"earlier"))
    receipts.keep(receipt(without))

    assert receipts.find("claude-code", PATH) == receipt(without)
    assert receipts.find("pi", PATH) is None
    assert receipts.find("claude-code", "/elsewhere") is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"path": "/other"}', f'{{"path": "{PATH}", "scope": "user"}}']
)
def test_a_broken_receipt_counts_as_none(receipts: Receipts, text: str) -> None:
    receipts.keep(receipt(b"{}"))
    for file in Path(receipts.folder).glob("*.json"):
        file.write_text(text)

    assert receipts.find("claude-code", PATH) is None


def test_a_receipt_whose_bytes_are_gone_counts_as_none(receipts: Receipts) -> None:
    receipts.keep(receipt(b"{}"))
    for file in Path(receipts.folder).glob("*.before"):
        file.unlink()

    assert receipts.find("claude-code", PATH) is None


def test_a_dropped_receipt_leaves_nothing(receipts: Receipts) -> None:
    receipts.keep(receipt(b"{}"))
    receipts.drop("claude-code", PATH)
    receipts.drop("claude-code", PATH)

    assert list(Path(receipts.folder).iterdir()) == []


def test_what_a_killed_process_left_half_written_goes_with_the_next(receipts: Receipts) -> None:
    folder = Path(receipts.folder)
    folder.mkdir(parents=True)
    (folder / ".new-abc").write_bytes(b"{")

    with receipts.locked():
        assert [path.name for path in folder.iterdir()] == ["lock"]


def test_the_bytes_before_and_behind_a_change_are_both_known() -> None:
    known = replace(receipt(b"{}"), written=digest(b"after"), replaced=digest(b"before"))

    assert known.knows(b"after")
    assert known.knows(b"before")
    assert not known.knows(b"other")
    assert not replace(known, replaced=digest(None)).knows(b"")
