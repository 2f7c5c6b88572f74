"""`automode explain`: the reading, every layer's opinion, and who decided."""

import json
from dataclasses import dataclass

from tests.cli.conftest import Run, Write
from tests.rows import each_row


@dataclass(frozen=True, slots=True)
class Opinion:
    heard: bool
    decided: bool
    verdict: str | None
    remarks: int


def layers(automode: Run, *words: str) -> dict[str, Opinion]:
    """The layers by place and name."""
    found = json.loads(automode("explain", "--json", "--no-classifier", *words).stdout)["layers"]
    return {
        f"{one['place']} {one['layer']}": Opinion(
            one["heard"],
            one["decided"],
            one["opinion"] and one["opinion"]["verdict"],
            len(one["remarks"]),
        )
        for one in found
    }


LONG = "sudo -u bob bash -c 'git log | head' && cat $X " + "a" * 200


@each_row(
    "command, parts",
    [
        (
            "sudo bash -c 'rm -rf build' | tee log > out.txt",
            ["rm -rf build", "sudo > bash", "rights of another user", "> out.txt (writes)"],
        ),
        ('cd build && rm -rf "$OUT"/*', ["dynamic", "/build"]),
        ("if then (", ["gap"]),
        ("rm x", ["not-proved: `rm`"]),
        ("rm -rf ~", ["Decision", "reason", "advice", "clearable  no"]),
        (LONG, ["read in full"]),
    ],
)
def test_people_read_how_it_was_understood(automode: Run, command: str, parts: list[str]) -> None:
    result = automode("explain", command)

    assert result.exit_code == 0
    assert [part for part in parts if part not in result.stdout] == []
    assert ("gap" in parts) is ("read in full" not in result.stdout)
    fits = max(len(line) for line in result.stdout.splitlines()) <= 80
    assert fits or command != LONG


def test_json_holds_the_reading(automode: Run) -> None:
    result = automode("explain", "--json", "X=1 cat $HOME_NOT_KNOWN < in.txt")

    reading = json.loads(result.stdout)["reading"]
    (command,) = reading["commands"]
    assert reading["complete"] is True
    assert [word["known"] for word in command["words"]] == [True, False]
    assert command["assignments"][0]["name"] == "X"
    assert command["redirects"][0]["op"] == "<"


def test_every_layer_is_asked_and_the_decider_is_marked(automode: Run) -> None:
    found = layers(automode, "ls")

    assert [name for name, one in found.items() if one.decided] == ["door read-only"]
    assert not found["door workspace-edit"].heard
    assert {name.split()[0] for name in found} == {"standing", "wall", "door"}


def test_layers_after_the_deciding_one_are_asked_too(automode: Run, settings: Write) -> None:
    settings({"permissions": {"deny": ["bash(ls*)"], "allow": ["bash(ls)"]}})

    found = layers(automode, "ls")

    assert found["wall rules.deny"].decided
    assert not found["door rules.allow"].heard
    assert found["door rules.allow"].verdict == "allow"
    assert found["door read-only"].verdict == "allow"


def test_nobody_is_marked_when_no_layer_answers(automode: Run) -> None:
    data = json.loads(automode("explain", "--json", "--no-classifier", "make surprise").stdout)

    assert data["decision"]["source"] == "gate.undecided"
    assert not any(one.decided for one in layers(automode, "make surprise").values())
    assert layers(automode, "rm x")["door read-only"].remarks == 1


@each_row(
    "words, source",
    [
        (("--tool", "write", "src/a.py"), "workspace-edit"),
        (("--tool", "write", "~/.bashrc"), "floor.shell-profile"),
        (("--tool", "cmd", "dir"), "gate.undecided"),
    ],
)
def test_other_tools_are_explained_too(automode: Run, words: tuple[str, ...], source: str) -> None:
    data = json.loads(automode("explain", "--json", "--no-classifier", *words).stdout)

    assert data["reading"] is None
    assert data["decision"]["source"] == source
    assert "Decision" in automode("explain", *words).stdout


def test_when_auto_mode_is_off_it_says_so(automode: Run, settings: Write) -> None:
    settings({"autoMode": {"enabled": False}})

    assert "auto mode is off" in automode("explain", "ls").stdout
