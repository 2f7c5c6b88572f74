"""What words and options make a command, as rows say it."""

import shlex
from dataclasses import replace

import pytest

from automode.programs.deeds import always_undescribed, parse_deeds, said, written_deeds
from automode.programs.table import families, parse_row, programs
from automode.shell.options import arguments
from automode.shell.script import Word
from tests.rows import each_row

OPTIONS = "-f -n --force -X= --file= -m="

LINES: list[tuple[str, list[str], list[str]]] = [
    ("push", ["push", "push origin", "push-all", "push:x", "-f push"], ["pushes", "x push", ""]),
    ("pr|mr create", ["pr create", "MR create x"], ["pr", "create pr", "pr x create"]),
    ("list-*", ["list-a"], ["list", "lists"]),
    ("* v*", ["origin v1"], ["v1", "origin x"]),
    ("~deploy*", ["deploys", "pre-deploy", "x:deploy"], ["redeploy", "run deploy"]),
    ("run ~ship", ["run ship", "run web:ship"], ["run shipping", "run x ship"]),
    ("** ~ship", ["ship", "a b ship", "--unknown=ship a"], ["--file=ship a", "a"]),
    ("*** ~ship", ["a ship", "--file=ship", "-m ship", "--unknown=ship"], ["a", "shipping"]),
    ("api ** ~merge", ["api x/merge/1", "api a x/merge"], ["merge api", "api"]),
    ("/[0-7]{3}$/", ["755 a"], ["a 755", "7555"]),
    ("-f|--force", ["-f", "-nf", "x --force", "--forc", "-- -f", "-m -f", "-m x -f"], ["-n", "f"]),
    ("--fo*", ["--force", "--fork"], ["-f"]),
    ("-exec", ["-exec x"], ["-x"]),
    ("-X=!get", ["-X put", "-Xput", "-X"], ["-X get", "-XGET", ""]),
    ("--file={*", ["--file={a}", "--file {a"], ["--file a", "{a"]),
    ("--", ["-- x", "a -- b"], ["a", "--force"]),
    ("-d", ["-d", "-m -d"], ["--file=-d", "-m '- d'", "--file=-add"]),
    ("^-X=!user.*", ["-X core.x", "-X=a"], ["-X user.x", "-f"]),
    ("rm -f", ["rm x -f", "-f rm"], ["-f", "rm"]),
    ("rm !-n", ["rm x"], ["rm -n"]),
    ("** !*x*", ["a", ""], ["a x"]),
    ("**", ["", "a -f"], []),
]


@each_row("line, fitting, others", LINES)
def test_a_line_holds_for_what_it_says(line: str, fitting: list[str], others: list[str]) -> None:
    (parsed,) = parse_deeds((("sends", line),))
    spec = replace(parse_row("x.toml", "x", {"options": OPTIONS}).spec, abbreviates=True)

    def holds(text: str) -> bool:
        words = [Word(word) for word in shlex.split(text)]
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
    "git -C x checkout main": {"switches"},
    "git checkout -b feat/a.b": {"switches"},
    "git checkout -- a.py": {"switches", "discards"},
    "git checkout HEAD~1 a.py": {"switches", "discards"},
    "git switch -c feature -q": {"switches"},
    "git -C x switch -C main": {"switches", "discards"},
    "git restore a.py": {"discards"},
    "git restore --staged a.py": set(),
    "git restore -SW a.py": {"discards"},
    "git reset": {"stages"},
    "git reset --hard": {"discards"},
    "git reset HEAD~1": {"rewrites"},
    "git commit -anm x": {"commits", "skips-checks"},
    "git commit -m '- no'": {"commits"},
    "git commit --amend": {"commits", "amends"},
    "git branch --sort=-committerdate": set(),
    "git branch -vD x": {"deletes-branch"},
    "git tag v1": {"tags"},
    "git tag -l v1": set(),
    "git push": {"pushes"},
    "git push -o x origin +main": {"pushes", "pushes-main", "forces"},
    "git push origin v1.2": {"pushes", "pushes-tags"},
    "git push -vd origin x": {"pushes", "deletes-remote"},
    "git push --mirror": {
        "pushes",
        "pushes-main",
        "pushes-tags",
        "forces",
        "deletes-remote",
    },
    "git -c user.name=x merge-base a b": set(),
    "git -ccore.pager=x log": {"computes-program"},
    "git clone -c core.autocrlf=false x": {"fetches"},
    "git clone -c include.path=x y": {"fetches", "computes-program"},
    "git clone ext::x": {"fetches", "computes-program"},
    "git -c alias.x=push x": {"pushes", "computes-program"},
    "git stash drop": {"discards"},
    "git stash": {"switches"},
    "git rebase -x x main": {"rewrites", "computes-program"},
    "git rebase --continue": {"merges"},
    "git subtree push --prefix=x y": {"pushes"},
    "git config user.name": set(),
    "git config user.name Ada": {"configures"},
    "git config --get user.name x": set(),
    "git fetch origin a:b": {"fetches", "rewrites"},
    "git remote -v show origin": {"fetches"},
    "git credential-store get": {"reads-secret"},
    "psql -c 'drop table x'": {"drops-data"},
    "psql -c 'delete from x where y'": {"changes-database"},
    "psql -f update.sql": {"changes-database"},
    r"mysql -e '\! ls'": {"computes-program"},
    "mongosh --eval db.x.drop()": {"drops-data"},
    "redis-cli flushall": {"drops-data"},
    "sqlite3 x.db .shell": {"computes-program"},
    "sqlite3 x.db 'select 1'": set(),
    "awk -fx a": {"computes-program"},
    "export HISTFILE=x": {"conceals"},
    "history -c": {"conceals"},
    "history": set(),
    "python x/manage.py flush": {"drops-data"},
    "python -m http.server --bind 0.0.0.0": {"listens"},
    "python -m http.server": set(),
    "eval x": {"computes-program"},
    "prisma migrate reset": {"drops-data", "changes-database"},
}


@each_row("line", ROWS)
def test_a_command_is_what_its_rows_say(line: str) -> None:
    name, *words = shlex.split(line)
    program = programs()[name]

    assert {*program.always, *program.deeds(tuple(map(Word, words)))} == ROWS[line]
