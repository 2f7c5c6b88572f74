"""The parser of git configuration text."""

import pytest

from automode.programs.git_settings import BadConfig, parse
from tests.rows import each_row

READ = [
    ("", []),
    ("# comment\n; another\n", []),
    ("[core]\n\tbare = false\n", [("core.bare", "false")]),
    ("[core]bare=false", [("core.bare", "false")]),
    ("[Core]\n FSMonitor = ./p.sh # why\n", [("core.fsmonitor", "./p.sh")]),
    ("[core]\nfsmonitor\n", [("core.fsmonitor", "true")]),
    ("[core]\nfsmonitor =\n", [("core.fsmonitor", "")]),
    ('[diff "Odd Name"]\ncommand = x', [("diff.Odd Name.command", "x")]),
    ('[diff "a\\"b"]\ncommand = x', [('diff.a"b.command', "x")]),
    ("[filter.Lfs]\nclean = x", [("filter.lfs.clean", "x")]),
    ('[a.B "C"]\nkey = x', [("a.b.C.key", "x")]),
    ('[alias]\nx = "!f() { a; }; f" # end', [("alias.x", "!f() { a; }; f")]),
    ("[core]\npager = a \\\n  b\n", [("core.pager", "a   b")]),
    ("[core]\npager = a\\tb\\\\\n", [("core.pager", "a\tb\\")]),
    ("[a][core] pager = x ", [("core.pager", "x")]),
    ('[core]\npager = "x " y  \n', [("core.pager", "x  y")]),
    ("\ufeff[core]\r\npager = x\r\n", [("core.pager", "x")]),
    ("[a]\nk = v # [core]\n# fsmonitor = p\n", [("a.k", "v")]),
]
REFUSED = [
    "[core",
    '[core]\npager = "open\nx = y\n',
    "[core]\npager x\n",
    "[core]\npager = a\\qb\n",
    "[core x]\n",
    '[core "x]\n',
    '[core "x" ]\n',
    "[]\n",
    "pager = x\n",
    "[core]\n=x\n",
    "[co re]\n",
    "<<<<<<< HEAD\n",
]


@each_row("text, settings", READ)
def test_settings_are_read_as_git_reads_them(text: str, settings: list[tuple[str, str]]) -> None:
    assert [(setting.key, setting.value) for setting in parse(text)] == settings


@each_row("text", REFUSED)
def test_text_that_git_refuses_is_refused(text: str) -> None:
    with pytest.raises(BadConfig):
        parse(text)


@pytest.mark.parametrize(
    ("meaning", "values"),
    [(True, ("true", "YES", "1")), (False, ("off", "", "0")), (None, ("./p.sh", "2"))],
)
def test_a_value_may_be_a_switch(meaning: object, values: tuple[str, ...]) -> None:
    for value in values:
        assert parse(f"[a]\nk = {value}\n")[0].switch is meaning
