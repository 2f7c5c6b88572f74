"""What requests used and cost, summed over a session and its sub-sessions."""

import json
import stat
import subprocess
import sys
import tempfile
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.llm.ledger import Ledger, Total, usage_file
from automode.llm.model import Usage

USED = Usage(10, 2, 80, 10)


def price(model: str, usage: Usage, at: datetime | None) -> Decimal | None:
    """A dollar per token, for the models of one provider."""
    return Decimal(usage.prompt + usage.output) if model.startswith("known/") else None


def note(ledger: Ledger, session: str, parent: str | None = None, model: str = "known/m") -> None:
    ledger.record(session, parent, "fast", model, USED, 5)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "automode" / "usage.jsonl"


def test_a_session_counts_with_its_sub_sessions() -> None:
    ledger = Ledger(price=price)
    note(ledger, "top")
    note(ledger, "child", "top")
    note(ledger, "grandchild", "child")
    note(ledger, "other")

    assert ledger.spent("top") == Total(3, USED + USED + USED, 15, Decimal(306))
    assert ledger.spent("child").requests == 2
    assert ledger.spent("nobody") == Total()
    assert (ledger.root("grandchild"), ledger.root("other")) == ("top", "other")


def test_links_that_go_round_end_and_count_once() -> None:
    ledger = Ledger(price=price)
    note(ledger, "a", "b")
    note(ledger, "b", "c")
    note(ledger, "c", "a")
    note(ledger, "self", "self")

    assert {ledger.spent(one).requests for one in "abc"} == {3}
    assert {ledger.root(one) for one in "abc"} == {"a"}
    assert ledger.family("self") == ("self",)


def test_a_session_keeps_the_first_parent_it_named() -> None:
    ledger = Ledger(price=price)
    note(ledger, "child", "top")
    note(ledger, "child", "thief")

    assert ledger.parent("child") == "top"
    assert ledger.spent("thief").requests == 0


def test_an_unknown_price_is_counted_apart_and_never_as_nothing() -> None:
    ledger = Ledger(price=price)
    note(ledger, "s")
    note(ledger, "s", model="mine/m")

    spent = ledger.spent("s")

    assert (spent.requests, spent.money, spent.unpriced) == (2, Decimal(102), 1)


def test_sums_stand_apart_by_stage_and_model() -> None:
    ledger = Ledger(price=price)
    note(ledger, "s")
    note(ledger, "s")
    ledger.record("s", None, "deliberate", "known/m", Usage(1), 7)
    note(ledger, "s", model="mine/m")

    found = {key: total.requests for key, total in ledger.lines(["s"]).items()}

    assert found == {("fast", "known/m"): 2, ("deliberate", "known/m"): 1, ("fast", "mine/m"): 1}


def test_the_share_of_the_cache_is_of_the_whole_prompt() -> None:
    assert Total(usage=USED).cache_share == 0.8
    assert Total().cache_share is None


def test_the_next_process_goes_on_where_this_one_ended(file: Path) -> None:
    first = Ledger(str(file), price)
    note(first, "s")
    note(first, "sub", "s", model="mine/m")

    second = Ledger.opened(str(file), price)
    note(second, "s")

    assert Ledger.opened(str(file), price).spent("s") == Total(
        3, USED + USED + USED, 15, Decimal(204), unpriced=1
    )
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_what_was_paid_then_does_not_change_with_the_table(file: Path) -> None:
    note(Ledger(str(file), price), "s")

    later = Ledger.opened(str(file), price=lambda *_: Decimal(7))

    assert later.spent("s").money == Decimal(102)


GOOD: dict[str, object] = {
    "at": 1.5,
    "session": "s",
    "parent": None,
    "stage": "fast",
    "model": "known/m",
    "input": 1,
    "output": 0,
    "cache_read": 0,
    "cache_write": 0,
    "millis": 3,
    "usd": "1",
}
BAD = {
    "no JSON": b"{",
    "no UTF-8": b'"\xff"',
    "a list": b"[]",
    "a number": b"7",
    "a count below zero": json.dumps(GOOD | {"input": -1}).encode(),
    "a count that is no number": json.dumps(GOOD | {"output": "1"}).encode(),
    "a missing field": json.dumps({"session": "s"}).encode(),
    "no time": json.dumps(GOOD | {"at": float("nan")}).encode(),
    "no money": json.dumps(GOOD | {"usd": "much"}).encode(),
    "endless money": json.dumps(GOOD | {"usd": "Infinity"}).encode(),
    "money back": json.dumps(GOOD | {"usd": "-1"}).encode(),
    "nesting": b"[" * 100_000,
}


@pytest.mark.parametrize("line", BAD.values(), ids=BAD.keys())
def test_an_unreadable_line_is_skipped_with_a_notice(file: Path, line: bytes) -> None:
    good = json.dumps(GOOD).encode()
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\n".join([good, line, b"", good, b""]))

    ledger = Ledger.opened(str(file), price)

    assert ledger.spent("s").requests == 2
    assert ledger.notices == [f"skipped 1 unreadable lines of `{file}`"]


def test_a_line_that_was_cut_off_does_not_swallow_the_next(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(json.dumps(GOOD).encode()[:40])
    note(Ledger(str(file), price), "s")

    assert Ledger.opened(str(file), price).spent("s").requests == 1


def test_failing_to_write_is_a_notice_and_the_count_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ledger = Ledger(str(tmp_path / "file" / "usage.jsonl"), price)
    note(ledger, "s")
    note(ledger, "s")

    assert ledger.spent("s").requests == 2
    assert len(ledger.notices) == 1
    assert "could not be written" in ledger.notices[0]


@pytest.mark.parametrize("trouble", [ImportError("gone"), ValueError("odd"), ArithmeticError()])
def test_failing_to_find_a_price_is_a_notice(trouble: Exception) -> None:
    def broken(model: str, usage: Usage, at: datetime | None) -> Decimal | None:
        raise trouble

    ledger = Ledger(price=broken)
    note(ledger, "s")

    assert ledger.spent("s").unpriced == 1
    assert "could not be looked up" in ledger.notices[0]


@given(session=st.text(), stage=st.text(), model=st.text())
def test_any_name_is_recorded_and_read_again(session: str, stage: str, model: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/usage.jsonl"
        Ledger(path, price).record(session, None, stage, model, USED, 1)

        assert Ledger.opened(path, price).lines([session]).keys() == {(stage, model)}


MANY = """
import sys
from automode.llm.ledger import Ledger
from automode.llm.model import Usage
ledger = Ledger(sys.argv[1])
for _ in range(200):
    ledger.record(sys.argv[2], None, "fast", "mine/m", Usage(1), 1)
"""


def test_processes_that_append_at_once_do_not_mix(file: Path) -> None:
    workers = [
        subprocess.Popen([sys.executable, "-c", MANY, str(file), f"s{number}"])
        for number in range(3)
    ]
    for worker in workers:
        worker.wait()

    ledger = Ledger.opened(str(file), price)

    assert [ledger.spent(f"s{number}").requests for number in range(3)] == [200, 200, 200]
    assert ledger.notices == []


def test_the_file_stands_in_the_state_folder() -> None:
    assert usage_file("/home/a", {}) == "/home/a/.local/state/automode/usage.jsonl"
    assert usage_file("/home/a", {"XDG_STATE_HOME": "/s"}) == "/s/automode/usage.jsonl"
    assert usage_file("/home/a", {"XDG_STATE_HOME": "s"}).startswith("/home/a/")
