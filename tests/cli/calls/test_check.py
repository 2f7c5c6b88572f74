"""`automode check` for single calls: what is printed, and the exit status."""

import json

import pytest

from automode.core.tool_input import LONGEST
from tests.cli.conftest import Run, Write
from tests.rows import each_row

CALLS: dict[tuple[str, ...], tuple[int, str]] = {
    ("bash", "ls -la"): (0, "read-only"),
    ("bash", "ls", "src"): (0, "read-only"),
    ("Bash", "ls"): (0, "read-only"),
    ("run_shell_command", "ls"): (0, "read-only"),
    ("bash", "rm -rf ~"): (20, "floor.delete-root"),
    ("write", "src/a.py"): (0, "workspace-edit"),
    ("write", "src/a.py", "src/b.py"): (0, "workspace-edit"),
    ("write", "/elsewhere/a.py"): (10, "gate.undecided"),
    ("edit", ".git/config"): (10, "gate.undecided"),
    ("read", "README.md"): (0, "read-only"),
    ("read", "~/.ssh/id_rsa"): (10, "gate.undecided"),
    ("ls",): (0, "read-only"),
    ("web_fetch", "https://example.com"): (10, "gate.undecided"),
    ("agent", "tidy", "up"): (10, "gate.undecided"),
    ("mcp__github__merge", '{"number": 7}'): (10, "gate.undecided"),
    ("mcp__github__list",): (10, "gate.undecided"),
    ("powershell", "Get-ChildItem"): (0, "read-only"),
    ("cat", "-n", "README.md"): (0, "read-only"),
    ("git", "push", "-f"): (10, "gate.undecided"),
    ("rm", "-rf", "/"): (20, "floor.delete-root"),
    ("cd / && rm -rf etc",): (20, "floor.delete-root"),
    ("git", "log", "--user", "x"): (10, "gate.undecided"),  # git's option, not ours
    ("--user", "push it", "ls", "."): (0, "read-only"),
}


@each_row("words, expected", CALLS.items())
def test_the_exit_status_says_the_verdict(
    automode: Run, words: tuple[str, ...], expected: tuple[int, str]
) -> None:
    result = automode("check", "--json", "--no-classifier", *words)

    assert (result.exit_code, json.loads(result.stdout)["source"]) == expected


def test_what_no_layer_decides_is_asked_about_by_the_judge_or_because_of_an_outage(
    automode: Run, settings: Write
) -> None:
    judged = automode("--isolated", "check", "--json", "bash", "git push")
    settings({"autoMode": {"classifierModel": "anthropic/claude-haiku-4-5"}})
    outage = automode("check", "--json", "bash", "npm test")

    told, lost = json.loads(judged.stdout), json.loads(outage.stdout)
    assert (judged.exit_code, told["source"], told["error"]) == (10, "classifier.local", None)
    assert "which nobody asked for" in told["reason"]
    assert (outage.exit_code, lost["source"], lost["error"]) == (
        10,
        "classifier.fast",
        "unavailable",
    )
    assert lost["reason"].startswith("No classifier model/API key available")


def test_people_read_verdict_source_reason_and_advice(automode: Run) -> None:
    result = automode("check", "bash", "rm -rf ~")

    first, second, *rest = result.stdout.splitlines()
    assert first.split() == ["deny", "floor.delete-root"]
    assert second.startswith("reason")
    assert any(line.startswith("advice") for line in rest)


def test_with_nobody_there_asking_is_denying(automode: Run) -> None:
    attended = automode("check", "web_fetch", "https://example.com")
    unattended = automode("check", "web_fetch", "https://example.com", "--unattended")

    assert (attended.exit_code, unattended.exit_code) == (10, 20)


def test_a_call_is_read_from_standard_input_as_json(automode: Run) -> None:
    call = {"tool": "bash", "input": {"command": "ls"}, "messages": ["look around"]}

    result = automode("check", "--json", stdin=json.dumps(call))
    marked = automode("check", stdin=b'\xef\xbb\xbf{"command": "ls"}')

    assert (result.exit_code, marked.exit_code) == (0, 0)
    assert json.loads(result.stdout)["verdict"] == "allow"


def test_json_has_every_part_of_a_decision(automode: Run) -> None:
    data = json.loads(automode("check", "--json", "bash", "make surprise").stdout)

    parts = "tool verdict source reason advice clearable error enforced trail micros record"
    assert set(data) == set(parts.split())
    assert data["trail"][0]["layer"] == "read-only"


BAD = {
    "no argument": (("bash",), "", "needs an argument"),
    "a tool misspelled": (("bsh", "ls"), "", "did you mean `bash`?"),
    "an input that is no object": (("mcp__x__y", "text"), "", "JSON object"),
    "an input that is broken JSON": (("mcp__x__y", "{"), "", "not JSON"),
    "an empty command": (("bash", " "), "", "empty command"),
    "an option that is part of a command": (("bash", "git", "push", "-f"), "", "quotes"),
    "a folder that is not there": (("bash", "ls", "--cwd", "/no/such"), "", "no such folder"),
    "nothing on standard input": ((), "", "no call to decide"),
    "no JSON on standard input": ((), "ls", "not JSON"),
    "deep nesting": ((), "[" * 100_000, "nested too deeply"),
    "a number that is none": ((), '{"command": "ls", "id": NaN}', "holds `NaN`"),
    "two commands": ((), '{"command": "ls", "command": "rm -rf ~"}', "has a key twice"),
    "a key twice in an argument": (("mcp__x__y", '{"a": 1, "a": 2}'), "", "has a key twice"),
    "bytes that are no text": ((), b'{"command": "\xff"}', "not UTF-8"),
    "a path that no system opens": (
        ("write", "a" * (LONGEST["path"] + 1)),
        "",
        f"the longest that can be meant is {LONGEST['path']}",
    ),
    "an address without end": (
        ("web_fetch", "https://example.com/" + "a" * LONGEST["URL"]),
        "",
        f"the longest that can be meant is {LONGEST['URL']}",
    ),
    "a folder without end": (("bash", "ls", "--cwd", "a" * 5000), "", "no such folder"),
    "a folder in the call that is not there": (
        (),
        '{"command": "ls", "cwd": "/no/such"}',
        "no such folder",
    ),
    "a batch with a call": (("bash", "ls", "--batch", "-"), "", "its own calls"),
    "a batch that is not there": (("--batch", "/no/such"), "", "no such file"),
    "a batch that is a folder": (("--batch", "/"), "", "is a directory"),
}


@each_row("words, stdin, said", BAD.values())
def test_a_mistake_is_two_plain_lines_and_exit_status_2(
    automode: Run, words: tuple[str, ...], stdin: str | bytes, said: str
) -> None:
    result = automode("check", *words, stdin=stdin)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr) < 1200


def test_when_auto_mode_is_off_the_verdict_is_none_and_the_host_goes_on(
    automode: Run, settings: Write
) -> None:
    settings({"autoMode": {"enabled": False}})

    result = automode("check", "--json", "bash", "rm -rf ~")

    assert result.exit_code == 10
    assert json.loads(result.stdout)["verdict"] == "none"
    assert "auto mode is off" in automode("check", "bash", "ls").stdout


def test_rules_of_the_person_count_unless_isolated(automode: Run, settings: Write) -> None:
    settings({"permissions": {"deny": ["bash(ls*)"]}})

    assert automode("check", "bash", "ls").exit_code == 20
    assert automode("--isolated", "check", "bash", "ls").exit_code == 0
    assert automode("check", "bash", "ls", "--isolated").exit_code == 0


def test_findings_in_the_settings_are_mentioned_and_a_file_that_cannot_be_read_closes_the_gate(
    automode: Run, settings: Write
) -> None:
    settings({"autoMode": {"nonsense": 1}})
    mentioned = automode("check", "bash", "ls").stderr
    settings([1])
    closed = automode("check", "--json", "bash", "ls")

    assert "note: 1 finding" in mentioned
    assert (closed.exit_code, json.loads(closed.stdout)["source"]) == (10, "rules.malformed")


def test_colour_is_for_terminals_and_can_be_refused(
    automode: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = automode("check", "bash", "ls")
    coloured = automode("check", "bash", "ls", color=True)
    monkeypatch.setenv("NO_COLOR", "1")
    refused = automode("check", "bash", "ls", color=True)

    assert "\x1b" not in plain.stdout
    assert "\x1b[32m" in coloured.stdout
    assert "\x1b" not in refused.stdout


def test_nothing_in_a_call_can_steer_the_terminal(automode: Run) -> None:
    result = automode("check", "write", "/x/\x1b[2J\n\u202e.py")

    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
