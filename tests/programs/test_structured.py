"""structured: which command lines of query tools only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.structured import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import HOLE, Origin, Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
jq '.include, .import, .ENV' a.json
jq '[inputs | getpath(["x"]) | @sh]' a.json
jq .
jq -r '.a[] | select(.b == "env") | .env' a.json
jq --arg x y '.[$x]' a.json
jq -n --slurpfile a b.json '$a'
gojq -c . a.json
yq .a a.yaml
yq -o json a.yaml
yq eval '.a.b' a.yaml
xmllint --xpath //a a.xml
xmllint --noout --format a.xml
gron a.json
xsv headers a.csv
dasel -f a.json .a
mlr --version
""".strip().splitlines()
OTHERWISE = {
    Effect.SECRETS: r"""
jq -n '$ ENV'
jq -n '$ ENV.GH_TOKEN'
jq -n '$__prog_args'
yq '$ ENV' a.yaml
jq -n env
jq -n '$ENV.GH_TOKEN'
jq '"\(env)"' a.json
yq 'env(TOKEN)' a.yaml
yq 'load("secret.yaml")' a.yaml
""".strip().splitlines(),
    Effect.WRITES: r"""
dasel -f a.json delete .a
dasel -f a.json put -v 1 .a
yq -i .a=1 a.yaml
yq --inplace .a=1 a.yaml
xmllint --output out a.xml
xsv sort -o out a.csv
dasel put -f a.json -v 1 .a
""".strip().splitlines(),
    Effect.UNKNOWN: r"""
jq 'import "a" as a; a::f' a.json
jq 'include "a"; f' a.json
jq '"a" | modulemeta'
jq -L lib . a.json
jq -f prog.jq a.json
jaq -i .a a.json
yq -s .a a.yaml
xmllint --noent a.xml
xmllint --c14n a.xml
xmllint --c14n --nonet --noout a.xml
xmllint --shell a.xml
xsv split out a.csv
xmlstarlet ed -L -u //a -v 1 a.xml
""".strip().splitlines(),
    Effect.NETWORK: r"""
xmllint http://x.test/a.xml
gron https://x.test/a
""".strip().splitlines(),
    Effect.RUNS: r"""
mlr --csv put '$x = system("id")' a.csv
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


def test_an_unknown_filter_is_not_taken_for_harmless(use_of: UseOf) -> None:
    words = (Word("jq"), Word(f".[{HOLE}]", Origin.UNKNOWN), Word("a.json"))
    assert use_of(PROGRAMS, words).effect is Effect.UNKNOWN
