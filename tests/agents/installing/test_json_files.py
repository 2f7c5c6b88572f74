"""Entries go into JSON files of agents and come out again, and no other byte changes."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from automode.agents.claude_code.install import INSTALLER, claude_hooks
from automode.agents.claude_code.settings import OURS, whole_list
from automode.agents.installing.json_files import Entry, JsonFile
from automode.agents.installing.plan import (
    Receipt,
    Receipts,
    digest,
)
from automode.agents.installing.site import Http, Program
from automode.config.json_edit import Edited, gaps, parse_json, root_of
from automode.config.jsonc import content

LISTED = Entry(("hooks", "before"), {"command": "ours"})
KEYED = Entry(("rules",), "ask", "*")


def file_at(path: Path) -> JsonFile:
    return JsonFile(agent="agent", named=str(path), entries=(LISTED, KEYED), fresh={"$schema": "s"})


def test_without_a_receipt_nothing_is_taken_for_ours(tmp_path: Path, receipts: Receipts) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"rules": {"*": "ask"}}')

    assert file_at(path).plan_out(receipts) == ()


PROGRAM = Program(
    state="/home/ann/.local/state/automode",
    config="/home/ann/.config/automode",
    python="/srv/tools/bin/python",
    hook_python="/usr/bin/python3.11",
    package="/srv/tools/lib/automode",
    version="0.1.0",
)


def settings_file(http: Http | None, spared: str | None) -> JsonFile:
    hooks = claude_hooks(PROGRAM, http, fails_closed=http is not None)
    entries = INSTALLER._entries(PROGRAM, hooks, spared)
    return JsonFile(agent="claude-code", named="/home/ann/settings.json", entries=entries)


OVER_HTTP = settings_file(Http(4711, "ab12"), whole_list(".corp.example 127.0.0.1,localhost"))
BY_COMMAND = settings_file(None, None)
OUT = settings_file(None, "")
FOREIGN = {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}


def receipt_for(before: bytes | None, edited: Edited) -> Receipt:
    text, made = edited.text.encode(), tuple(edited.made)
    return Receipt("claude-code", "/x", before, digest(text), pieces=edited.pieces, made=made)


# Settings as somebody may have written them: any layout, any comment, any foreign entry.
_blanks = st.text(" \t\n", max_size=4) | st.just("\r\n  ")
_comments = (
    st.text("abc */{}[],:\"'", max_size=8)
    .filter(lambda words: "*/" not in words)
    .flatmap(lambda words: st.sampled_from([f"// {words}\n", f"/* {words} */"]))
)
_gap = st.lists(_blanks | _comments, max_size=2).map("".join)
_scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-999, 999), st.text('aß"\\\n€/{}', max_size=6)
).map(lambda value: json.dumps(value))
_keys = (
    st.text("abhooks*/", min_size=1, max_size=6).filter(lambda key: key != "hooks").map(json.dumps)
)
_hosts = st.sampled_from(
    [
        '""',
        '"a.example"',
        '"\\u002a.b, c"',
        '"localhost,127.0.0.1"',
        '"*"',
        '",127.0.0.1,localhost"',
    ]
)


@st.composite
def _laid_out(draw: st.DrawFn, opening: str, closing: str, children: list[str]) -> str:
    text = opening + draw(_gap)
    for number, child in enumerate(children):
        comma = "," if number + 1 < len(children) or draw(st.booleans()) else ""
        text += child + draw(_gap) + comma + draw(_gap)
    return text + closing


def _object(
    values: "st.SearchStrategy[str]", keys: "st.SearchStrategy[str]"
) -> "st.SearchStrategy[str]":
    return st.lists(
        st.tuples(keys, _gap, _gap, values), max_size=3, unique_by=lambda one: one[0]
    ).flatmap(lambda rows: _laid_out("{", "}", [f"{k}{a}:{b}{v}" for k, a, b, v in rows]))


def _array(values: "st.SearchStrategy[str]") -> "st.SearchStrategy[str]":
    return st.lists(values, max_size=3).flatmap(lambda items: _laid_out("[", "]", items))


_values = st.recursive(_scalars, lambda inner: _array(inner) | _object(inner, _keys), max_leaves=4)
_groups = _array(_values | st.just(json.dumps(FOREIGN)))
_events = _object(_groups, st.sampled_from(['"PreToolUse"', '"Stop"', '"Notification"']))


@st.composite
def settings_texts(draw: st.DrawFn) -> str:
    members = draw(st.lists(st.tuples(_keys, _values), max_size=3, unique_by=lambda one: one[0]))
    rows = [f"{key}{draw(_gap)}:{draw(_gap)}{value}" for key, value in members]
    if draw(st.booleans()):
        rows.insert(draw(st.integers(0, len(rows))), f'"hooks": {draw(_events)}')
    if draw(st.booleans()):
        names = st.sampled_from(['"NO_PROXY"', '"no_proxy"', '"HTTP_PROXY"'])
        rows.insert(draw(st.integers(0, len(rows))), f'"env": {draw(_object(_hosts, names))}')
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return mark + draw(_gap) + draw(_laid_out("{", "}", rows)) + draw(_gap)


entries_of_any_kind = st.sampled_from([OVER_HTTP, BY_COMMAND])


@given(settings_texts(), entries_of_any_kind)
def test_every_entry_is_there_and_everything_else_still_is(text: str, entries: JsonFile) -> None:
    edited = entries.put_in(text.encode())

    found = content(parse_json(edited.text))
    assert isinstance(found, dict)
    hooks = [one for one in entries.entries if one.box[0:1] == ("hooks",)]
    assert all(found["hooks"][one.box[1]][0] == one.value for one in hooks)
    assert (
        found.items() >= {"statusLine": entries.entries[-1].value}.items() or "statusLine" in text
    )
    there = [one.path for one in entries.find(root_of(edited.text))]
    assert sorted(path for path in there if path[1:]) == sorted(one.box for one in hooks)


def _appended(text: str, gap: str) -> str:
    """Somebody else's entry as the last one of the settings."""
    root = root_of(text)
    end = root.end - 1
    last = root.children[-1].end if root.children else end
    commas = [start for start in range(last, end) if text[start] == ","]
    comma = "," if root.children and not any(_is_comma(text, last, at) for at in commas) else ""
    return f'{text[:end]}{comma}{gap}"theirs":[1]{gap}{text[end:]}'


def _is_comma(text: str, last: int, at: int) -> bool:
    """Rather than a letter of a comment."""
    return all(end <= at for _, end in gaps(text, last)) or not any(
        start <= at < end for start, end in gaps(text, last)
    )


@given(settings_texts(), entries_of_any_kind, _gap)
def test_what_somebody_added_meanwhile_stays_and_so_does_every_byte_around_it(
    text: str, entries: JsonFile, gap: str
) -> None:
    before = text.encode()
    edited = entries.put_in(before)

    after = OUT.without_us(_appended(edited.text, gap).encode(), receipt_for(before, edited))

    assert after is not None
    if root_of(text).children:
        assert after.decode() == _appended(text, gap)
    assert content(parse_json(after.decode())) == content(parse_json(_appended(text, gap)))


@given(settings_texts(), entries_of_any_kind)
def test_after_another_program_wrote_the_file_anew_exactly_ours_go(
    text: str, entries: JsonFile
) -> None:
    before = text.encode()
    edited = entries.put_in(before)
    anew = json.dumps(content(parse_json(edited.text)), indent=2)

    after = OUT.without_us(anew.encode(), receipt_for(before, edited))

    assert after is not None
    assert json.loads(after) == content(parse_json(text))


@given(settings_texts(), entries_of_any_kind)
def test_without_a_receipt_nothing_of_ours_is_left_and_nothing_else_goes(
    text: str, entries: JsonFile
) -> None:
    edited = entries.put_in(text.encode())

    after = OUT.without_us(edited.text.encode(), None)

    assert after is not None
    assert _filled(content(parse_json(after.decode()))) == _filled(content(parse_json(text)))


def _filled(found: object) -> object:
    """Without what is empty: nobody knows any more who made it."""
    assert isinstance(found, dict)
    listed = {event: groups for event, groups in found.get("hooks", {}).items() if groups}
    return {**found, "hooks": listed, "env": found.get("env", {})}


def test_what_somebody_put_among_ours_stays() -> None:
    edited = BY_COMMAND.put_in(None)
    settings_now = json.loads(edited.text)
    theirs = {"type": "command", "command": "theirs"}
    settings_now["hooks"]["PreToolUse"][0]["hooks"].append(theirs)
    settings_now["hooks"]["Stop"].append(FOREIGN)

    after = OUT.without_us(json.dumps(settings_now).encode(), receipt_for(None, edited))

    assert after is not None
    assert json.loads(after) == {
        "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [theirs]}], "Stop": [FOREIGN]}
    }


def test_a_file_of_which_nothing_is_left_goes() -> None:
    edited = OVER_HTTP.put_in(None)
    touched = edited.text.replace("\n", "\n ").encode()

    assert OUT.without_us(touched, receipt_for(None, edited)) is None
    assert OUT.without_us(touched, None) == b"{}\n "


def test_lists_that_were_empty_before_stay() -> None:
    before = b'{\n  "hooks": {"Stop": [], "PreToolUse": []}\n}\n'
    edited = BY_COMMAND.put_in(before)
    touched = edited.text.replace("{", "{ ", 1).encode()

    after = OUT.without_us(touched, receipt_for(before, edited))

    assert after == before.replace(b"{", b"{ ", 1)


def test_equal_groups_in_lists_that_were_there_leave_their_white_space() -> None:
    before = b'{"hooks": {\n "PreToolUse": [\n\n\n],\n "Stop": [\n], "SessionEnd": [ ]}, "a": 1}'
    edited = OVER_HTTP.put_in(before)
    touched = edited.text.replace('"a": 1', '"a": 2').encode()

    after = OUT.without_us(touched, receipt_for(before, edited))

    assert after == before.replace(b'"a": 1', b'"a": 2')


def test_lists_of_hosts_of_the_person_stay_and_the_missing_one_comes_and_goes() -> None:
    before = b'{"env": {"no_proxy": "b,127.0.0.1"}}'
    edited = OVER_HTTP.put_in(before)

    assert json.loads(edited.text)["env"] == {
        "NO_PROXY": f"{OURS},.corp.example",
        "no_proxy": "b,127.0.0.1",
    }
    assert OUT.without_us(edited.text.encode(), receipt_for(before, edited)) == before
