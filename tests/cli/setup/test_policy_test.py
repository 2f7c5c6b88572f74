"""`automode policy test`: verdicts held against the settings; bad files named with their line."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, Write
from tests.cli.setup.pages import commands_in, put, run
from tests.rows import each_row

Case = dict[str, object]
CASES: list[Case] = [
    {"command": "ls -la", "expect": "allow"},
    {"name": "no force", "command": "git push --force", "expect": "deny", "source": "rules"},
    {"tool": "read", "input": {"file_path": "a.py"}, "expect": "allow", "source": "read-only"},
    {"command": "frobnicate", "expect": "ask", "source": "gate"},
    {"command": "frobnicate", "expect": "deny", "attended": False},
    {"call": {"command": "ls"}, "transcript": ["look around"], "expect": "allow"},
]
DENY = {"permissions": {"deny": ["bash(git push --force*)"]}}


def as_text(ending: str, cases: list[Case]) -> str:
    if ending == "jsonl":
        return "".join(f"{json.dumps(case)}\n" for case in cases)
    if ending == "json":
        return json.dumps(cases)
    rows = []
    for case in cases:
        given = case.get("input") or case.get("call")
        plain = {key: value for key, value in case.items() if key not in ("input", "call")}
        lines = [f"{key} = {json.dumps(value)}" for key, value in plain.items()]
        table = "input" if "input" in case else "call"
        pairs = given.items() if isinstance(given, dict) else ()
        inner = [f"{table} = {{ {key} = {json.dumps(value)} }}" for key, value in pairs]
        rows.append("\n".join(["[[case]]", *lines, *inner]))
    return "\n\n".join(rows)


@pytest.mark.parametrize("ending", ["jsonl", "json", "toml"])
def test_cases_as_they_are_wanted_end_with_0(
    automode: Run, settings: Write, tmp_path: Path, ending: str
) -> None:
    settings(DENY)
    file = tmp_path / f"cases.{ending}"
    file.write_text(as_text(ending, CASES))

    done = automode("policy", "test", str(file), "--no-classifier")

    assert done.exit_code == 0, done.output
    assert done.stdout == "6 cases: 6 as expected, 0 different\n"


def test_differences_are_shown_and_written_for_a_ci(
    automode: Run, settings: Write, tmp_path: Path
) -> None:
    settings(DENY)
    file, out = tmp_path / "cases.jsonl", tmp_path / "out.xml"
    wrong: Case = {"name": "<b>&", "command": "git push --force", "expect": "allow"}
    other: Case = {"command": "ls -la", "expect": "allow", "source": "rules.allow"}
    file.write_text(as_text("jsonl", [wrong, other, CASES[0]]))

    done = automode("policy", "test", str(file), "--no-classifier", "--junit", str(out))

    assert done.exit_code == 1
    assert f"{file}:1: <b>&\n- allow\n+ deny rules.deny\n" in done.stdout
    assert "- allow rules.allow\n+ allow read-only\n" in done.stdout
    assert "3 cases: 1 as expected, 2 different" in done.stdout
    xml = out.read_text()
    assert 'tests="3" failures="2"' in xml
    assert 'name="&lt;b&gt;&amp;"' in xml
    told = json.loads(automode("policy", "test", str(file), "--no-classifier", "--json").stdout)
    assert (told["cases"], told["failed"]) == (3, 2)


BAD = [
    ("a.jsonl", '{"command": "ls", "expect": "allow"}\n{"command": ', "a.jsonl:2"),
    ("b.jsonl", '{"command": "ls"}\n', "b.jsonl:1`: `expect` is none of"),
    ("c.jsonl", '{"expect": "allow"}\n', "c.jsonl:1`: no `tool`"),
    ("d.jsonl", '{"command": "ls", "expect": "allow", "excpect": 1}\n', "no case has a field"),
    ("e.json", '[\n  {"command": "ls", "expect": "halt"}\n]', "e.json:2"),
    ("f.json", "[", "f.json"),
    ("g.json", "{}", "expected a list of cases"),
    ("h.toml", "[[case]]\ncommand = 1\nexpect = 'allow'", "h.toml:1"),
    ("i.toml", "[[case\n", "it is no TOML"),
    ("j.yaml", "- command: ls\n", "no YAML is read"),
    ("k.jsonl", "\n", "holds no cases"),
    ("l.jsonl", '{"command": "ls", "expect": "allow", "source": 3}\n', "l.jsonl:1"),
]


@each_row("name, text, says", BAD)
def test_a_bad_file_ends_with_2_and_names_its_line(
    name: str, text: str, says: str, automode: Run, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text(text)

    done = automode("policy", "test", str(file))

    assert done.exit_code == 2
    assert says in done.stderr


def test_a_file_that_is_not_there_ends_with_2(automode: Run) -> None:
    done = automode("policy", "test", "nowhere.jsonl")

    assert done.exit_code == 2
    assert "no such file: `nowhere.jsonl`" in done.stderr


def test_the_page_shows_what_happens(automode: Run, project: Path, tmp_path: Path) -> None:
    (tmp_path / ".config/automode").mkdir(parents=True)
    put("policy-tests.md", tmp_path, project)

    for shown in commands_in("policy-tests.md"):
        done = run(tmp_path, shown)

        assert done.exit_code == shown.status, done.output
        assert not shown.prints or done.stdout.split() == shown.prints.split()
