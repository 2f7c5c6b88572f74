"""sed: which command lines of sed scripts only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.programs.sed import PROGRAMS, script_use
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import HOLE, Origin, Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
sed -n 1,10p a
sed -n '5,$p;5q' a
sed '1!G;h;$!d' a
sed '$d' a
sed '/^$/d' a
sed -n '/foo/,/bar/p' a
sed -n '/foo/I,+3p' a
sed -n '\|foo|p' a
sed -n '/foo/{p;q}' a
sed '0~3d' a
sed '1~2!d' a
sed s/a/b/ a
sed 's|/usr|/opt|g; s#x#y#2' a
sed 's/[^/]*$//' a
sed 's/[[:space:]/]*x/y/' a
sed -E 's/^([a-z]+)=.*/\1/p' a
sed 's/a/e/;s/w/w/' a
sed 's/a\/b/w out/' a
sed 'y/abc/xyz/' a
sed ':a;N;$!ba;s/\n/ /g' a
sed -e ':a' -e 'N' -e '$!{ba' -e '}' a
sed '$a the end; e id' a
sed '1i\  e id' a
sed 's/x/y/ # e id' a
sed '2q5' a
sed -n '$=' a
sed --expression=p --quiet a
sed -n l a
sed --version
gsed -n p a
""".strip().splitlines()
OTHERWISE = {
    Effect.WRITES: [
        "sed -i s/a/b/ a",
        "sed -i.bak s/a/b/ a",
        "sed -I.bak s/a/b/ a",
        "sed -ni p a",
        "sed -n p a -i",
        "sed --in-place s/a/b/ a",
        "sed 'w out' a",
        "sed 1woutput a",
        "sed '$!W out' a",
        "sed 's/a/b/w out' a",
        "sed 's/a/b/gw out' a",
        "sed 's/a/b/2pw out' a",
        "sed -n '/x/w out' a",
        "sed -e p -e 'w out' a",
        "sed --expression='w out' a",
        "sed 'w /dev/stdout' a",
        "sed 's/a/b/w /dev/stderr' a",
        "sed ':a;s/x/\\\\\nw out/' a",
        "sed 's/[\\\\]/]/w out' a",
        "sed 'w out' a -e p",
        "sed ':a#s/x/y/;ta;w out' a",
        "sed '$!{ba}#;w out' a",
        "sed ':x;w out' a",
        "sed 'a text\nw out' a",
        "sed 'y/a/b/;w out' a",
        "sed --sandbox -i p a",
    ],
    Effect.RUNS: [
        "sed 'e id' a",
        "sed '1e id' a",
        "sed -n '1!e' a",
        "sed -n '/x/{e id\n}' a",
        "sed 's/a/b/e' a",
        "sed 's/a/b/ge' a",
        "sed 's/a/b/pe;p' a",
        "sed 's,a,b,Ie' a",
        "sed '/a/,/b/e' a",
        "sed -e 'a foo' -e 'e id' a",
        "sed ':a;e id' a",
        "sed 'b;e id' a",
        "sed 's/[/]/x/e' a",
        "sed '# comment\ne id' a",
    ],
    Effect.UNKNOWN: r"""
sed -f script.sed a
sed --file=script.sed a
sed 'r /etc/shadow' a
sed 'R ../.env' a
sed 'r .env' a
sed 's/a/b' a
sed 'pe' a
sed '}e id' a
sed '{w out' a
sed 'k' a
sed --frob p a
sed --expr p a
sed --in-pl=.bak s/a/b/ a
sed 'r part.txt' a
sed --sandbox 's/a/b/e' a
sed 's a b e' a
sed 'sxaxbxe' a
sed -e 'a\' -e 'w out' a
sed '/[/e id' a
sed
sed -s
sed -l 5 p a
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


UNKNOWN_WORD = Word(f"{HOLE},5p", Origin.UNKNOWN)


@pytest.mark.parametrize(
    "words",
    [
        (Word("sed"), Word("-n"), UNKNOWN_WORD, Word("a")),
        (Word("sed"), Word("-e"), UNKNOWN_WORD, Word("a")),
        (Word("sed"), Word("p"), Word(HOLE, Origin.UNKNOWN)),
        (Word("sed"), Word("-n"), Word("-e"), Word("p"), Word(f"a{HOLE}", Origin.DERIVED, True)),
    ],
)
def test_unknown_words_are_not_taken_for_harmless(words: tuple[Word, ...], use_of: UseOf) -> None:
    assert use_of(PROGRAMS, words).effect is Effect.UNKNOWN


def test_a_file_from_a_variable_is_read(use_of: UseOf) -> None:
    words = (Word("sed"), Word("-n"), Word("p"), Word(f"./{HOLE}", Origin.UNKNOWN))
    assert use_of(PROGRAMS, words).effect is Effect.NONE


@given(st.text(alphabet="spwWerRabt{}/;[]\\ \n,1$!gax#:", max_size=20))
def test_every_script_gets_an_answer(script: str) -> None:
    assert isinstance(script_use(script).effect, Effect)


@given(st.text(alphabet="abc[]^.*", max_size=8))
def test_a_write_after_any_substitution_is_never_read_only(pattern: str) -> None:
    assert script_use(f"s/{pattern}/x/;w out").effect
