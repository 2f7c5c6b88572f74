"""`automode check --batch`: a line in, a line out, whatever the line holds."""

import io
import json
from pathlib import Path

from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from automode.cli.calls.call_input import lines
from automode.cli.main import cli
from tests.cli.conftest import Run, Write
from tests.rows import each_row


def answers(data: bytes, *options: str) -> list[dict[str, object]]:
    """What an isolated batch makes of these bytes."""
    words = ["--isolated", "check", "--batch", "-", "--no-classifier", *options]
    result = CliRunner().invoke(cli, words, input=data)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def answer(row: object, *options: str) -> dict[str, object]:
    return answers(json.dumps(row).encode(), *options)[0]


def test_every_line_is_answered_in_order() -> None:
    rows = [
        {"id": "a", "command": "ls"},
        {"id": 2, "tool": "write", "input": {"path": "a.py"}},
        {"id": None, "tool": "bash", "input": {"command": "rm -rf ~"}},
        {"id": {"deep": [1]}, "tool": "read", "input": {"file_path": "a"}},
    ]

    found = answers("\n".join(json.dumps(row) for row in rows).encode())

    assert [one["id"] for one in found] == ["a", 2, None, {"deep": [1]}]
    assert [one["verdict"] for one in found] == ["allow", "allow", "deny", "allow"]
    assert all(set(one) == {"id", "verdict", "source", "reason", "micros"} for one in found)


STATUSES = [
    # commands, --fail-on, the exit status
    (["ls"], None, 0),
    (["ls", "rm -rf ~", "frobnicate"], None, 0),
    (["ls"], "ask", 0),
    (["frobnicate", "ls"], "ask", 10),
    (["frobnicate", "ls"], "deny", 0),
    (["rm -rf ~", "frobnicate"], "deny", 20),
    (["rm -rf ~", "frobnicate"], "ask", 20),
    (["ls", None], "deny", 20),  # a line that is no call
    ([], "ask", 0),
]


@each_row("commands, fail_on, status", STATUSES)
def test_a_ci_can_use_the_exit_status(
    commands: list[str | None], fail_on: str | None, status: int
) -> None:
    lines = [b"" if one is None else json.dumps({"command": one}).encode() for one in commands]
    words = ["--isolated", "check", "--batch", "-", "--no-classifier"]
    words += [] if fail_on is None else ["--fail-on", fail_on]

    done = CliRunner().invoke(cli, words, input=b"".join(line + b"\n" for line in lines))

    assert done.exit_code == status, done.output
    assert len(done.stdout.splitlines()) == len(commands)


def test_one_call_needs_no_option_for_its_exit_status(automode: Run) -> None:
    done = automode("check", "--fail-on", "deny", "bash", "ls")

    assert (done.exit_code, "--fail-on is for batches" in done.stderr) == (2, True)


BAD: dict[str, bytes] = {
    "empty": b"",
    "blank": b"   ",
    "no JSON": b"ls -la",
    "half of an object": b'{"command": "ls"',
    "two objects": b'{"command": "ls"} {"command": "ls"}',
    "a number": b"7",
    "a list": b'["ls"]',
    "null": b"null",
    "no fields": b"{}",
    "no input": b'{"tool": "bash"}',
    "no tool": b'{"input": {"command": "ls"}}',
    "an empty tool": b'{"tool": " ", "input": {}}',
    "a tool that is a number": b'{"tool": 1, "input": {}}',
    "a tool with a NUL byte": b'{"tool": "read\\u0000", "input": {"path": "a"}}',
    "an input that is text": b'{"tool": "bash", "input": "ls"}',
    "input and command": b'{"input": {"command": "ls"}, "command": "ls"}',
    "a command that is a number": b'{"command": 7}',
    "an empty command": b'{"command": ""}',
    "a NUL byte in the command": b'{"command": "ls \\u0000"}',
    "a raw NUL byte": b'{"command": "ls\x00"}',
    "a NUL byte in a path": b'{"tool": "read", "input": {"path": "a\\u0000"}}',
    "a folder that is a number": b'{"command": "ls", "cwd": 7}',
    "a folder with a NUL byte": b'{"command": "ls", "cwd": "/a\\u0000"}',
    "a home that is a list": b'{"command": "ls", "home": []}',
    "a home that is relative": b'{"command": "ls", "home": "ada"}',
    "messages that are text": b'{"command": "ls", "messages": "please"}',
    "a message that is a number": b'{"command": "ls", "messages": [7]}',
    "a message without text": b'{"command": "ls", "messages": [{"role": "user"}]}',
    "earlier calls that are text": b'{"command": "ls", "prior_calls": "ls"}',
    "an earlier call that is text": b'{"command": "ls", "prior_calls": ["ls"]}',
    "an earlier call without input": b'{"command": "ls", "prior_calls": [{"tool": "x"}]}',
    "invalid UTF-8": b'{"command": "ls \xff"}',
    "UTF-16": '{"command": "ls"}'.encode("utf-16-le"),
    "not a number": b'{"id": NaN, "command": "ls"}',
    "a number without end": b'{"id": Infinity, "command": "ls"}',
    "a number beyond any float": b'{"id": 1e999, "command": "ls"}',
    "a command twice": b'{"command": "ls", "command": "rm -rf ~"}',
    "an input twice": b'{"tool": "read", "input": {"path": "a"}, "input": {"path": "b"}}',
    "a command twice in an input": b'{"tool": "bash", "input": {"command": "a", "command": "b"}}',
    "a path that no system opens": b'{"tool": "read", "input": {"path": "%s"}}' % (b"a" * 5000),
    "a number of 10,000 digits": b'{"id": ' + b"1" * 10_000 + b', "command": "ls"}',
    "deep nesting": b"[" * 200_000,
    "deep nesting in an input": b'{"tool": "x", "input": ' + b'{"a":' * 50_000 + b"1",
    "an agent's deep prompt": b'{"tool": "agent", "input": {"x": %s1%s}}'
    % (b"[" * 60_000, b"]" * 60_000),
}


@each_row("line", BAD.values())
def test_a_bad_line_is_denied_and_does_not_stop_the_batch(line: bytes) -> None:
    before, bad, after = answers(b'{"command": "ls"}\n' + line + b'\n{"command": "ls"}\n')

    assert (before["verdict"], after["verdict"]) == ("allow", "allow")
    assert (bad["verdict"], bad["source"]) == ("deny", "gate.bad-call")
    assert str(bad["error"]).startswith("line 2: ")


def test_a_line_of_50_megabytes_is_passed_over_without_being_kept() -> None:
    long = b'{"command": "' + b"a" * 50_000_000 + b'"}'

    bad, after = answers(long + b'\n{"command": "ls"}')

    assert (bad["verdict"], bad["source"], after["verdict"]) == ("deny", "gate.bad-call", "allow")


def test_long_lines_are_read_in_pieces() -> None:
    stream = io.BytesIO(b"1234\n12345\n\n123456789012\n12\n123456")

    found = list(lines(stream, longest=4))

    assert found == [b"1234\n", None, b"\n", None, b"12\n", None]


def test_an_id_comes_back_and_a_byte_order_mark_is_no_fault() -> None:
    assert answer({"id": "x", "tool": "bash"})["id"] == "x"
    assert answers(b'\xef\xbb\xbf{"command": "ls"}')[0]["verdict"] == "allow"


WRITES: dict[str, object] = {"tool": "write", "input": {"file_path": "src/a.py"}}
ROWS: list[tuple[dict[str, object], str]] = [
    (WRITES, "allow"),
    (WRITES | {"cwd": "/home/ada/no-such-project"}, "allow"),
    (WRITES | {"cwd": "C:\\Users\\ada\\project"}, "allow"),
    (WRITES | {"cwd": "project"}, "allow"),
    (WRITES | {"cwd": "~/project", "home": "/home/ada"}, "allow"),
    (WRITES | {"cwd": "/home/ada"}, "ask"),
    (WRITES | {"cwd": "/data/ada", "home": "/data/ada"}, "ask"),
    (WRITES | {"cwd": "/"}, "ask"),
    ({"command": "rm -rf /data/ada", "home": "/data/ada"}, "deny"),
]


@each_row("row, verdict", ROWS)
def test_a_folder_of_another_machine_is_an_empty_project(
    row: dict[str, object], verdict: str
) -> None:
    assert answer(row)["verdict"] == verdict


def test_messages_and_earlier_calls_are_understood() -> None:
    row = {
        "command": "ls",
        "messages": [
            "list",
            {"role": "assistant", "content": 7},
            {"role": "user", "content": [{"type": "text", "text": "the files"}]},
        ],
        "prior_calls": [{"tool": "bash", "input": {"command": "pwd"}, "outcome": "ok"}],
    }

    assert answer(row)["verdict"] == "allow"


def test_a_batch_is_attended_unless_said_otherwise() -> None:
    row = {"command": "make surprise"}

    assert answer(row)["verdict"] == "ask"
    assert answer(row, "--unattended")["verdict"] == "deny"


def test_settings_of_the_person_count_and_those_of_a_project_that_is_named(
    automode: Run, settings: Write, project: Path
) -> None:
    (project / ".automode").mkdir()
    (project / ".automode/config.json").write_text('{"permissions": {"deny": ["bash(ls)"]}}')
    (project / "calls.jsonl").write_text('{"command": "ls"}\n')

    def source(*more: str) -> str:
        told = json.loads(automode("check", "--batch", "calls.jsonl", *more).stdout)
        return f"{told['verdict']} {told['source']}"

    unnamed, named = source(), source("--cwd", str(project))
    settings({"permissions": {"ask": ["bash(ls)"]}})
    own = source()
    settings({"autoMode": {"enabled": False}})

    assert (unnamed, named, own) == ("allow read-only", "deny rules.deny", "ask rules.ask")
    assert source() == "none "


def _is_call(line: bytes) -> bool:
    try:
        value = json.loads(line.decode())
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and ("command" in value or {"tool", "input"} <= set(value))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
rows = st.fixed_dictionaries(
    {},
    optional={
        "id": json_values,
        "tool": st.sampled_from(["bash", "read", "agent", "apply_patch", "x"]) | json_values,
        "input": st.dictionaries(st.sampled_from(["command", "path", "url"]), json_values)
        | json_values,
        "command": st.text() | json_values,
        "cwd": st.text() | json_values,
        "home": json_values,
        "messages": json_values,
        "prior_calls": json_values,
    },
).map(lambda row: json.dumps(row).encode())


@given(line=st.binary().map(lambda data: data.replace(b"\n", b"")) | rows)
@example(line=b'{"command": "\\ud800", "cwd": "\\ud800"}')
def test_any_bytes_give_one_line_and_only_a_call_is_ever_allowed(line: bytes) -> None:
    found = answers(line + b"\n")

    assert len(found) == 1
    assert found[0]["verdict"] in ("allow", "ask", "deny")
    if not _is_call(line):
        assert (found[0]["verdict"], found[0]["source"]) == ("deny", "gate.bad-call")
    if "error" in found[0]:
        assert found[0]["verdict"] == "deny"
