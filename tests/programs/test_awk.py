"""awk: which command lines of awk programs only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.programs.awk import PROGRAMS, program_use
from automode.programs.use import READS, Effect, Judge, Use
from automode.shell.script import HOLE, Origin, Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = [
    "awk '{print $1}' a",
    "awk -F: '{print $1}' /etc/passwd",
    "awk -F '|' '{print $2}' a",
    "awk -v n=10 'NR <= n' a",
    "awk '$1 > 10' a",
    "awk 'NR > 1 && $3 >= 2 {print $1, $2}' a",
    "awk 'length > 80' a",
    "awk '/a|b/ {print}' a",
    "awk '$1 ~ /a|b/ || $2 > 3' a",
    'awk \'{print $1 " | " $2 " > " $3}\' a',
    'awk \'{print ($1 > $2) ? "x" : "y"}\' a',
    "awk '{print $1, ($2>3)}' a",
    "awk '{if ($1 > 3) print $1; else print $2}' a",
    "awk '{gsub(/[|>]/, \"\"); print}' a",
    "awk '/system/ {print \"system(1)\"}' a",
    "awk '{print $1/2; n = $2 > 3}' a",
    "awk '{print > \"/dev/stderr\"}' a",
    'awk \'BEGIN {printf "%s\\n", "a > b"}\'',
    "awk '{print $3/1024/1024 \" > \" NR/2}' a",
    "awk '/a/{n++} /[[:space:]|]x/{print n}' a",
    "awk '# print > \"x\"\n{print}' a",
    "awk --version",
    "awk --help",
    "awk -h",
    "awk 'BEGIN { n = split(\"a|b\", parts, /\\|/); print n }'",
    "awk '!seen[$0]++' a",
    "awk 'FNR==NR {a[$1]; next} ($1 in a) && $2 > 1' a b",
]
OTHERWISE = {
    Effect.WRITES: [
        "awk '{print > \"out\"}' a",
        "awk '{print $1 >> \"out\"}' a",
        'awk \'{printf "%s", $1 > "out"}\' a',
        'awk \'{printf("%s", $1) > "out"}\' a',
        "awk '{print $1, $2 > $3}' a",
        "awk '{print ($1) > \"out\"}' a",
        "awk '{print $1,\n$2 > \"out\"}' a",
        "awk 'BEGIN { print a[x > \"0\"] }'",
        "awk '{if ($1 > 3) print $1 > \"out\"}' a",
        'awk \'{print $1 > "/dev/stderr" ".txt"}\' a',
        "awk '{print /a/ > \"out\"}' a",
        "gawk -i inplace '{print}' a",
        "gawk -o '{print}' a",
        "awk 'BEGIN {for (; i < 1; print i > \"out\") i++}'",
        "awk '{print a\n(b) > \"x\"}' a",
    ],
    Effect.RUNS: r"""
awk '{system("id")}' a
awk 'BEGIN{system ("id")}'
awk '{"ls" | getline x}' a
awk '{print | "sh"}' a
awk '{print $1 | "mail x"}' a
awk 'BEGIN {"id" |& getline}'
awk '/a/ {print "x" | cmd}' a
awk '{gsub(/[/|>]/, ""); print}' a
gawk -l ext '{print}' a
awk '/a/ { x = "\""; system("id") }' a
awk 'BEGIN { x = 1 / 2; system("id") } # /' a
""".strip().splitlines(),
    Effect.UNKNOWN: r"""
awk -h 'BEGIN{system("id")}'
awk --help '{print}' a
awk --version '{print}' a
awk -bv 'BEGIN{system("id")}' x
awk --assign 'BEGIN{system("id")}' x
awk -f prog.awk a
awk -fprog.awk a
gawk -E prog.awk a
awk '@load "x"' a
awk 'BEGIN { f = "system"; @f("id") }'
awk 'BEGIN{while((getline l < "/etc/shadow")>0) print l}'
awk 'BEGIN{ARGV[1]="/etc/shadow"; ARGC=2} {print}'
awk '{ if (x) / "/; system("id") #"/ }' a
awk '/[/]"; system("id") # "/' a
awk 'BEGIN{if(0)exit /#/;system("touch pwned")}'
awk 'BEGIN{if(0)/#/;system("id")}'
awk '{ x = length /"#/ ; system("id") # "/ }'
awk 'BEGIN { "date" | getline d; print d }'
awk '{while ((getline line) > 0) n++} END {print n}' a
gawk --assign=x=1 '{print x}' a
gawk -e '{print}' a
awk -e '{print}' -e '{print > "x"}' a
awk
awk -W exec=x a
""".strip().splitlines(),
    Effect.SECRETS: r"""
awk 'BEGIN{print ENVIRON["GH_TOKEN"]}'
awk 'BEGIN {print ENVIRON["HOME"]}'
awk 'BEGIN{for (k in ENVIRON) print k, ENVIRON[k]}'
""".strip().splitlines(),
    Effect.NETWORK: r"""
gawk '{print}' /inet/tcp/0/x.test/80
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


def test_an_unknown_program_is_not_taken_for_harmless(use_of: UseOf) -> None:
    words = (Word("awk"), Word(f"NR=={HOLE}", Origin.UNKNOWN), Word("a"))
    assert use_of(PROGRAMS, words).effect is Effect.UNKNOWN


def test_an_unquoted_value_before_the_program_may_replace_it(use_of: UseOf) -> None:
    words = (Word("awk"), Word("-v"), Word(f"n={HOLE}", Origin.UNKNOWN, True), Word("{print}"))
    assert use_of(PROGRAMS, words).effect is Effect.UNKNOWN


def test_files_after_the_program_cannot_be_options(use_of: UseOf) -> None:
    words = (Word("awk"), Word("{print}"), Word(f"./{HOLE}", Origin.UNKNOWN, True))
    assert use_of(PROGRAMS, words).effect is Effect.NONE


def test_a_file_that_is_not_known_may_be_a_connection(use_of: UseOf) -> None:
    words = (Word("awk"), Word("{print}"), Word(HOLE, Origin.DERIVED))
    assert use_of(PROGRAMS, words).effect is Effect.NETWORK


@given(st.text(alphabet='{}()/|>"#; \nprint$1systemgetline,[]@', max_size=30))
def test_every_program_gets_an_answer(program: str) -> None:
    assert isinstance(program_use(program).effect, Effect)


@given(st.text(alphabet="abc |>()[]", max_size=10))
def test_whatever_stands_in_a_string_is_text(text: str) -> None:
    assert program_use('{ print "' + text + '" }') == READS
