"""viewers: which command lines of viewers only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.use import Effect, Judge, Use
from automode.programs.viewers import PROGRAMS
from automode.shell.script import Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
fzf --bind 'ctrl-u:half-page-up+first'
bat -n a.py
bat --paging=never --style plain a.py
batcat -pp a.py
delta --side-by-side
fzf --filter foo
fzf --bind 'ctrl-a:select-all,ctrl-d:deselect-all'
fzf --tiebreak=length,index -m
cloc --json src
scc --by-file src
hyperfine --version
pdftotext -layout paper.pdf -
glow README.md
mdcat --local README.md
procs --tree
""".strip().splitlines()
OTHERWISE = {
    Effect.RUNS: r"""
fzf --bind 'start:execute-silent(id)'
fzf --bind 'start:execute-silent[id]'
fzf --bind 'start:execute-silent{id}'
fzf --bind 'start:execute-silent<id>'
fzf --bind 'start:execute-silent/id/'
fzf --bind 'start:execute-silent~id~'
fzf --bind 'start:execute-silent!id!'
fzf --bind 'start:execute-silent@id@'
fzf --bind 'start:execute-silent#id#'
fzf --bind 'start:execute-silent$id$'
fzf --bind 'start:execute-silent%id%'
fzf --bind 'start:execute-silent^id^'
fzf --bind 'start:execute-silent&id&'
fzf --bind 'start:execute-silent*id*'
fzf --bind 'start:execute-silent;id;'
fzf --bind 'start:execute-silent|id|'
fzf --bind 'start:execute-silent:id '
fzf --bind 'start:up+execute/id/'
bat --pager 'sh -c id' a.py
delta a b
fzf --preview 'cat {}'
fzf --bind 'enter:execute(rm {})'
fzf --bind=enter:become:vim
fzf --tmux
cloc a.zip
hyperfine 'make'
glow -p README.md
""".strip().splitlines(),
    Effect.WRITES: r"""
bat cache --build
pdftotext paper.pdf
pdftotext -f 1 paper.pdf paper.txt
scc -o out src
fzf --history=/tmp/h
""".strip().splitlines(),
    Effect.NETWORK: r"""
fzf --listen=0
glow github.com/a/b
mdcat README.md
""".strip().splitlines(),
    Effect.SECRETS: r"""
procs --insert env
""".strip().splitlines(),
    Effect.UNKNOWN: r"""
cloc --extract-with=x src
scc --format-multi json:out src
""".strip().splitlines(),
}


@pytest.mark.parametrize("line", READING)
def test_a_form_that_only_prints_reads(line: str, use_of: UseOf) -> None:
    assert use_of(PROGRAMS, line).effect is Effect.NONE


@pytest.mark.parametrize(
    ("effect", "line"), [(effect, line) for effect, lines in OTHERWISE.items() for line in lines]
)
def test_a_form_that_does_more_says_what(effect: Effect, line: str, use_of: UseOf) -> None:
    use = use_of(PROGRAMS, line)
    assert effect in use.effect
    assert use.why
