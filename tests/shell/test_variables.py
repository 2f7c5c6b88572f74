"""Which variables are known to change nothing but how programs present things."""

import pytest

from automode.shell.script import HOLE, Assignment, Origin, Word
from automode.shell.variables import PRESENTATION, only_presents, own_name

PRESENTS = [
    *("NO_COLOR=1", "FORCE_COLOR=0", "CLICOLOR_FORCE=always", "TERM=dumb", "TERM=xterm-256color"),
    *("COLUMNS=200", "LANG=C", "LC_ALL=C.UTF-8", "LC_ALL=en_US.UTF-8", "LANGUAGE=en_GB:en"),
    *(
        "TZ=UTC",
        "TZ=Europe/Berlin",
        "TZ=EST5EDT",
        "CI=true",
        "NODE_ENV=test",
        "PAGER=cat",
        "PAGER=",
    ),
    *("PYTHONUNBUFFERED=1", "RUST_BACKTRACE=full", "RUST_LOG=debug", "GIT_OPTIONAL_LOCKS=0"),
]
MAY_STEER = [
    *("GREP=rm -rf src", "RUSTUP_TOOLCHAIN=/x", "PIP_LOG=~/.profile", "TAPE=host:x", "PATH=."),
    *("TZ=:/etc/shadow", "TZ=/etc/shadow", "TZ=../../x", "LANG=../../x", "LC_ALL=/tmp/x"),
    *("TERM=../x", "TERM=/x", "PAGER=less", "GIT_PAGER=cat x", "RUST_LOG=x=/y", "NODE_ENV=$(x)"),
    *("ANYTHING=1", "no_color=1", "LC_UNKNOWN=C", "CI=\n1", "PYTHONIOENCODING=evil", "LD_PRELOAD="),
]


def assignment(text: str) -> Assignment:
    name, _, value = text.partition("=")
    return Assignment(name, Word(value))


@pytest.mark.parametrize("text", PRESENTS)
def test_a_listed_variable_with_a_listed_value_only_presents(text: str) -> None:
    assert only_presents(assignment(text))


@pytest.mark.parametrize("text", MAY_STEER)
def test_any_other_variable_or_value_may_do_more(text: str) -> None:
    assert not only_presents(assignment(text))


@pytest.mark.parametrize("name", PRESENTATION)
def test_a_value_that_is_not_written_out_proves_nothing(name: str) -> None:
    assert not only_presents(Assignment(name, Word(HOLE, Origin.DERIVED)))
    assert not only_presents(Assignment(name, Word(""), appends=True))
    assert not only_presents(Assignment(name, Word(""), array=True))


@pytest.mark.parametrize("name", ["f", "file", "_x", "owner_repo", "hashedPassword", "F", "BASE"])
def test_a_scripts_own_names(name: str) -> None:
    assert own_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("PATH", "HOME", "GREP", "GIT_DIR", "LD_PRELOAD", "TMP", "IFS", "BASH_ENV", "_", "__"),
        *("path", "fpath", "cdpath", "http_proxy", "ALL_proxy", "no_proxy", "npm_config_prefix"),
    ],
)
def test_names_that_the_environment_may_hold(name: str) -> None:
    assert not own_name(name)
