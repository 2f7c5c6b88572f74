"""Which lists of hosts keep a proxy away from the daemon, and which of them are ours."""

import pytest

from automode.agents.installing.json_files import (
    OURS,
    extended,
    is_our_value,
    spares_loopback,
    usual_hosts,
    whole_value,
)
from tests.rows import each_row

SPARING: dict[object, bool] = {
    "127.0.0.1": True,
    "a.example, 127.0.0.1": True,
    "*": True,
    OURS: True,
    "": False,
    "localhost": False,
    "127.0.0.10,.127.0.0.1": False,
    None: False,
    1: False,
}


@each_row("value, spared", SPARING.items())
def test_only_a_list_that_names_the_daemons_address_spares_it(value: object, spared: bool) -> None:
    assert spares_loopback(value) is spared


@pytest.mark.parametrize("value", [value for value in SPARING if isinstance(value, str)])
def test_a_list_that_is_extended_spares_it_and_begins_as_it_was(value: str) -> None:
    assert spares_loopback(extended(value))
    assert extended(value).startswith(value)


def test_our_own_list_is_known_again_and_holds_each_host_once() -> None:
    assert whole_value("localhost, a.example b.example") == f"{OURS},a.example,b.example"
    assert is_our_value(whole_value(""))
    assert is_our_value(whole_value("a"))
    for value in ("127.0.0.1,localhost", f"a,{OURS}", f"{OURS}.example", None):
        assert not is_our_value(value)


def test_the_name_that_programs_prefer_counts_first() -> None:
    assert usual_hosts({"NO_PROXY": "a", "no_proxy": "b"}) == "b"
    assert usual_hosts({"NO_PROXY": "a", "no_proxy": ""}) == "a"
    assert usual_hosts({}) == ""
