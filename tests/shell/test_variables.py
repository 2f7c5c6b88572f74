"""variables: which names are plain, and which values the others may have."""

import subprocess

from automode.shell.script import HOLE, Assignment, Origin, Word
from automode.shell.variables import (
    PRESENTATION,
    harmless_assignment,
    only_presents,
    plain_name,
)
from tests.rows import each_row

PLAIN = (
    "_ x line myVar target_PWD FOO OUT_DIR BASE_SHA PR TMP_FILE X1 REPLY HOME_DIR FILE_2".split()
)
OTHERS = """
RANDOM SRANDOM OPTIND HISTCMD SECONDS BASHPID BASH_ENV PROMPT_COMMAND PS4 IFS PATH HOME TMP TMPDIR
PREFIX CDPATH LD_PRELOAD GIT_DIR NODE_OPTIONS MYTOOL_OPTS path status commands functions histchars
http_proxy npm_config_registry MODULE_PATH LINES HOST USER x[0] 1 a-b
""".split()


@each_row("name", PLAIN)
def test_names_of_a_script_s_own_are_plain(name: str) -> None:
    assert plain_name(name)


@each_row("name", ["", *OTHERS])
def test_names_that_a_shell_or_a_program_reads_are_not_plain(name: str) -> None:
    assert not plain_name(name)


def test_no_variable_that_bash_itself_has_is_plain() -> None:
    """Apart from `_`, which holds the last word, and those that builtins fill with text."""
    listed = subprocess.run(
        ["bash", "--norc", "--noprofile", "-c", "compgen -v"],
        env={},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    assert len(listed) > 30
    assert [name for name in listed if plain_name(name) and name != "_"] == []


@each_row(
    "name, value, harmless",
    [
        ("LC_ALL", "C", True),
        ("LANG", "en_US.UTF-8", True),
        ("LC_ALL", "$(id)", False),
        ("SECONDS", "0", True),
        ("OPTIND", "1", True),
        ("RANDOM", "a[0]", False),
        ("RANDOM", None, False),
        ("COLUMNS", "a[$(id)]", False),
        ("PAGER", "cat", True),
        ("PAGER", "sh", False),
        ("TZ", "Europe/Berlin", True),
        ("TZ", "/etc/shadow", False),
        ("x", None, True),
    ],
)
def test_other_variables_may_have_few_values(name: str, value: str | None, harmless: bool) -> None:
    assert harmless_assignment(name, value) is harmless


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


@each_row("text", PRESENTS)
def test_a_listed_variable_with_a_listed_value_only_presents(text: str) -> None:
    assert only_presents(assignment(text))


@each_row("text", MAY_STEER)
def test_any_other_variable_or_value_may_do_more(text: str) -> None:
    assert not only_presents(assignment(text))


@each_row("name", PRESENTATION)
def test_a_value_that_is_not_written_out_proves_nothing(name: str) -> None:
    assert not only_presents(Assignment(name, Word(HOLE, Origin.DERIVED)))
    assert not only_presents(Assignment(name, Word(""), appends=True))
    assert not only_presents(Assignment(name, Word(""), array=True))
