"""One machine has one name, however it is written."""

import pytest

from automode.judge.network import UNKNOWN, host_of, is_here
from tests.rows import each_row

HOSTS: list[tuple[str, str]] = [
    ("readme.md/c?d=1", "readme.md"),
    ("16909060/x", "1.2.3.4"),
    ("http://0x01020304/x", "1.2.3.4"),
    ("http://01.02.03.04/", "1.2.3.4"),
    ("127.1:80", "127.0.0.1"),
    ("017700000001", "127.0.0.1"),
    ("http://[2606:4700::1111]/x", "2606:4700::1111"),
    ("[::1]:3000", "::1"),
    ("https://github.com@evil.example/x", "evil.example"),
    ("localhost:3000@evil.example/x", "evil.example"),
    ("https://evil.example#@github.com", "evil.example"),
    ("HTTPS://GitHub.COM./x", "github.com"),
    ("http://a%2eb.example/", "a.b.example"),
    ("https://exämple.com", "xn--exmple-cua.com"),
    ("git@github.com:a/b.git", "github.com"),
    ("ssh://git@h:22/x", "h"),
    ("http://localhost:\0/x", "localhost"),
    ("http://\0/x", UNKNOWN),
    ("http://github.com\\@evil.example/", UNKNOWN),
    ("", UNKNOWN),
]


@each_row("address, host", HOSTS)
def test_an_address_names_one_machine(address: str, host: str) -> None:
    assert host_of(address) == host


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1", "0.0.0.0", "app.localhost"])
def test_this_machine_is_known(host: str) -> None:
    assert is_here(host)


@pytest.mark.parametrize("host", ["", "localhost.evil.example", "1.2.3.4", "10.0.0.1", "intranet"])
def test_no_other_machine_is_this_one(host: str) -> None:
    assert not is_here(host)
