"""One machine has one name, however it is written."""

from automode.judge.network import host_of, is_here
from tests.judge.sessions import TABLES
from tests.rows import each_row


@each_row("address, host", TABLES["hosts"])
def test_an_address_names_one_machine(address: str, host: str) -> None:
    assert host_of(address) == host


def test_this_machine_is_known_and_no_other_is_this_one() -> None:
    here = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "app.localhost")
    others = ("", "localhost.evil.example", "1.2.3.4", "10.0.0.1", "intranet")

    assert [host for host in (*here, *others) if is_here(host)] == [*here]
