"""`automode policy test`: verdicts held against the settings; bad files named with their line."""

import json
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Run, Write, words_of
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
    if ending == "yaml":
        return yaml.safe_dump(cases)
    if ending == "yml":
        return yaml.safe_dump({"cases": cases}, default_flow_style=True)
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


@pytest.mark.parametrize("ending", ["jsonl", "json", "toml", "yaml", "yml"])
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


BOMB = "- &a [x, x]\n" + "".join(f"- &{b} [*{a}, *{a}]\n" for a, b in pairwise("abcdefghijklmnop"))
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
    ("j.txt", "- command: ls\n", "write .json, .jsonl, .toml, .yaml or .yml"),
    ("k.jsonl", "\n", "holds no cases"),
    ("m.yaml", "- command: ls\n  expect: allow\n- command: [", "m.yaml:3`: it is no YAML"),
    ("n.yaml", "- command: ls\n- expect: halt\n", "n.yaml:1`: `expect` is none of"),
    ("o.yaml", "- expect: allow\n  command: ls\n  expect: deny\n", "o.yaml:3`: the key `expect`"),
    ("p.yaml", BOMB, "p.yaml:1`: an alias"),
    ("q.yaml", "- &a [*a]\n", "q.yaml:1`: an alias"),
    ("r.yaml", "- !!python/object/apply:os.system ['true']\n", "r.yaml:1`: the tag"),
    ("s.yaml", "- command: !x ls\n", "the tag `!x` is not read"),
    ("t.yaml", "[" * 50_000, "it is nested too deeply"),
    ("u.yaml", "a: 1\n", "expected a list of cases"),
    ("v.yaml", "", "expected a list of cases"),
    ("w.yaml", "- [1]\n---\n- [2]\n", "it is no YAML"),
    ("x.yaml", "- ? [a]\n  : b\n", "a key is no text"),
    ("y.yaml", f"- command: {'1' * 5000}\n", "no value: "),
    ("z.yaml", "- \x00\n", "it is no YAML"),
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


def test_without_the_reader_of_yaml_it_says_what_to_install(
    automode: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    monkeypatch.delitem(sys.modules, "automode.cli.setup.yaml_cases", raising=False)
    (tmp_path / "a.yaml").write_text("- command: ls\n")

    done = automode("policy", "test", str(tmp_path / "a.yaml"))

    assert done.exit_code == 2
    assert "install automode again, with its extra `yaml`" in words_of(done.stderr)


def test_a_huge_file_is_refused_before_it_is_read(automode: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("- x\n" * 3_000_000)

    done = automode("policy", "test", str(tmp_path / "a.yaml"))

    assert (done.exit_code, "a.yaml" in done.stderr) == (2, True)


def test_a_file_that_is_not_there_ends_with_2(automode: Run) -> None:
    done = automode("policy", "test", "nowhere.jsonl")

    assert done.exit_code == 2
    assert "no such file: `nowhere.jsonl`" in done.stderr
