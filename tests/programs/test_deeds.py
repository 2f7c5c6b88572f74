"""What words and options make a command, as rows say it."""

from dataclasses import replace

import pytest

from automode.programs.deeds import always_undescribed, parse_deeds, said, written_deeds
from automode.programs.table import families, parse_row, programs
from automode.shell.options import arguments
from automode.shell.script import Word

OPTIONS = "-f -n --force -X= --file= -m="

LINES: list[tuple[str, list[str], list[str]]] = [
    ("push", ["push", "push origin", "push-all", "push:x", "-f push"], ["pushes", "x push", ""]),
    ("pr|mr create", ["pr create", "MR create x"], ["pr", "create pr", "pr x create"]),
    ("list-*", ["list-a"], ["list", "lists"]),
    ("* v*", ["origin v1"], ["v1", "origin x"]),
    ("~deploy*", ["deploys", "pre-deploy", "x:deploy"], ["redeploy", "run deploy"]),
    ("run ~ship", ["run ship", "run web:ship"], ["run shipping", "run x ship"]),
    ("** ~ship", ["ship", "a b ship", "--unknown=ship a"], ["--file=ship a", "a"]),
    ("api ** ~merge", ["api x/merge/1", "api a x/merge"], ["merge api", "api"]),
    ("/[0-7]{3}$/", ["755 a"], ["a 755", "7555"]),
    ("-f|--force", ["-f", "-nf", "x --force", "--forc", "-- -f", "-m -f", "-m x -f"], ["-n", "f"]),
    ("--fo*", ["--force", "--fork"], ["-f"]),
    ("-exec", ["-exec x"], ["-x"]),
    ("-X=!get", ["-X put", "-Xput", "-X"], ["-X get", "-XGET", ""]),
    ("--file={*", ["--file={a}", "--file {a"], ["--file a", "{a"]),
    ("rm -f", ["rm x -f", "-f rm"], ["-f", "rm"]),
    ("rm !-n", ["rm x"], ["rm -n"]),
    ("** !*x*", ["a", ""], ["a x"]),
    ("**", ["", "a -f"], []),
]


@pytest.mark.parametrize(("line", "fitting", "others"), LINES)
def test_a_line_holds_for_what_it_says(line: str, fitting: list[str], others: list[str]) -> None:
    (parsed,) = parse_deeds((("sends", line),))
    spec = replace(parse_row("x.toml", "x", {"options": OPTIONS}).spec, abbreviates=True)

    def holds(text: str) -> bool:
        words = [Word(word) for word in text.split()]
        return parsed.holds(said((), words, arguments(words, spec)))

    assert [text for text in fitting if not holds(text)] == []
    assert [text for text in others if holds(text)] == []


@pytest.mark.parametrize("line", ["-f rm", "!rm", "rm !x"])
def test_words_come_first_and_stand_where_they_are(line: str) -> None:
    with pytest.raises(ValueError, match="needs `"):
        parse_deeds((("sends", line),))


def test_shared_deeds_have_a_name() -> None:
    with pytest.raises(ValueError, match="no name"):
        parse_deeds((("like", "frobnication"),))


def test_a_program_is_described_in_one_place() -> None:
    shared = written_deeds()["shared"].values()
    undescribed = {name for one in shared for name in one.get("programs", "").split()}

    assert (undescribed | set(always_undescribed())) & set(programs()) == set()


def test_shared_deeds_are_used() -> None:
    rows = [row for family in families().values() for row in family.values()]
    used = {name for row in rows for name in _like(row.get("deeds"))}
    shared = written_deeds()["shared"]
    used |= {name for one in shared.values() for name in _like(one)}

    assert {
        name for name, one in shared.items() if name not in used and "programs" not in one
    } == set()


def _like(deeds: object) -> list[str]:
    return str(deeds.get("like", "")).split() if isinstance(deeds, dict) else []


ROWS = {
    "docker compose -f x.yml down -v": {"removes-containers", "removes-volumes"},
    "docker --frobnicate x push image": {"publishes"},
    "kill 1": {"kills"},
    "pkill x": {"kills-by-name"},
    "aws --profile x s3 rm s3://b": {"destroys-infrastructure"},
    "npx jest --globalSetup x": {"runs-unknown", "computes-program"},
}


@pytest.mark.parametrize("line", ROWS)
def test_a_command_is_what_its_rows_say(line: str) -> None:
    name, *words = line.split()
    program = programs()[name]

    assert {*program.always, *program.deeds(tuple(map(Word, words)))} == ROWS[line]
