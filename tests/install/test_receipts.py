"""A receipt comes back as it was kept, and a broken one counts as none."""

from pathlib import Path

import pytest

from automode.install.plan import Receipt, Scope, Transport
from automode.install.receipts import Receipts

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
