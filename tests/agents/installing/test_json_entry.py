"""Values of ours stand in an agent's JSON, comments and all, and go out of it to the byte."""

from pathlib import Path

import pytest

from automode.agents.installing.json_files import (
    Entry,
    EntryFile,
    found_entries,
    value_at,
)
from automode.agents.installing.plan import CannotInstall, Plan, Receipts, Scope, apply
from automode.agents.installing.site import Program

LISTED = Entry(("hooks", "before"), {"command": "ours"})
KEYED = Entry(("rules",), "ask", "*")
TEXTS = {
    "nothing": None,
    "an empty file": "",
    "an empty object": "{}",
    "others beside": '{ "a" : 1, // mine\n "rules": {"x": "deny",}, }\n',
    "all boxes": '{"hooks": {"before": [{"command": "theirs"}]}, "rules": {}}',
    "indented": '{\n    "hooks": {\n        "after": []\n    }\n}\n',
}


def file_at(path: Path) -> EntryFile:
    return EntryFile(
        "agent", Scope.USER, str(path), entries=(LISTED, KEYED), fresh={"$schema": "s"}
    )


def carried_out(changes: object, receipts: Receipts) -> None:
    assert isinstance(changes, tuple)
    apply(Plan("agent", Scope.USER, changes), receipts)


@pytest.mark.parametrize("name", TEXTS)
def test_in_and_out_again_gives_the_file_back(
    name: str, tmp_path: Path, program: Program, receipts: Receipts
) -> None:
    path, text = tmp_path / "settings.json", TEXTS[name]
    if text is not None:
        path.write_text(text)

    carried_out(file_at(path).plan(program, receipts), receipts)
    data = path.read_bytes()
    again = file_at(path).plan(program, receipts)
    carried_out(file_at(path).plan_out(receipts), receipts)

    assert [len(found_entries(data, one)) for one in (LISTED, KEYED)] == [1, 1]
    assert again == ()
    assert (path.read_text() if path.exists() else None) == text


def test_what_somebody_added_meanwhile_stays(
    tmp_path: Path, program: Program, receipts: Receipts
) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"rules": {"x": "deny"}}')
    carried_out(file_at(path).plan(program, receipts), receipts)
    path.write_text(path.read_text().replace('"x": "deny"', '"x": "deny", "y": "allow"'))

    carried_out(file_at(path).plan_out(receipts), receipts)

    assert value_at(path.read_bytes(), "rules") == {"x": "deny", "y": "allow"}
    assert value_at(path.read_bytes(), "hooks") is None


def test_without_a_receipt_nothing_is_taken_for_ours(tmp_path: Path, receipts: Receipts) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"rules": {"*": "ask"}}')

    assert file_at(path).plan_out(receipts) == ()


@pytest.mark.parametrize("text", ["[]", '{"rules": "allow"}', '{"hooks": []}', "{"])
def test_a_file_in_which_they_have_no_place_is_left_alone(
    text: str, tmp_path: Path, program: Program, receipts: Receipts
) -> None:
    path = tmp_path / "settings.json"
    path.write_text(text)

    with pytest.raises(CannotInstall, match="left alone"):
        file_at(path).plan(program, receipts)

    assert path.read_text() == text
