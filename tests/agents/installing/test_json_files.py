"""Entries go into JSON files of agents and come out again, and no other byte changes."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.installing.hooks import hooks, status_line
from automode.agents.installing.json_files import (
    NAMES,
    OURS,
    Entry,
    EntryFile,
    HooksFile,
    extended,
    found_entries,
    is_our_value,
    ours,
    spares_loopback,
    usual_hosts,
    value_at,
    variables,
    whole_value,
)
from automode.agents.installing.plan import (
    CannotInstall,
    Plan,
    Receipt,
    Receipts,
    Scope,
    Transport,
    apply,
)
from automode.agents.installing.site import Http, Program
from automode.config.json_edit import Edited, gaps, parsed, root_of
from automode.config.jsonc import content
from automode.core.errors import BadSettings
from tests.rows import each_row

SPARING: dict[object, bool] = {
    "127.0.0.1": True,
    "a.example, 127.0.0.1": True,
    "*": True,
    OURS: True,
    "": False,
    "localhost": False,
    "127.0.0.10,.127.0.0.1": False,
    None: False,
    1: False,
}


@each_row("value, spared", SPARING.items())
def test_only_a_list_that_names_the_daemons_address_spares_it(value: object, spared: bool) -> None:
    assert spares_loopback(value) is spared


@pytest.mark.parametrize("value", [value for value in SPARING if isinstance(value, str)])
def test_a_list_that_is_extended_spares_it_and_begins_as_it_was(value: str) -> None:
    assert spares_loopback(extended(value))
    assert extended(value).startswith(value)


def test_our_own_list_is_known_again_and_holds_each_host_once() -> None:
    assert whole_value("localhost, a.example b.example") == f"{OURS},a.example,b.example"
    assert is_our_value(whole_value(""))
    assert is_our_value(whole_value("a"))
    for value in ("127.0.0.1,localhost", f"a,{OURS}", f"{OURS}.example", None):
        assert not is_our_value(value)


def test_the_name_that_programs_prefer_counts_first() -> None:
    assert usual_hosts({"NO_PROXY": "a", "no_proxy": "b"}) == "b"
    assert usual_hosts({"NO_PROXY": "a", "no_proxy": ""}) == "a"
    assert usual_hosts({}) == ""


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


PROGRAM = Program(
    state="/home/ann/.local/state/automode",
    config="/home/ann/.config/automode",
    python="/srv/tools/bin/python",
    hook_python="/usr/bin/python3.11",
    package="/srv/tools/lib/automode",
    version="0.1.0",
)
HTTP_HOOKS = hooks(PROGRAM, Http(4711, "ab12"), fails_closed=True)
OUT = HooksFile("claude-code", Scope.USER, "/home/ann/.claude/settings.json")
OVER_HTTP = replace(OUT, hooks=HTTP_HOOKS, status_line=status_line(PROGRAM), spared="")
BEHIND_A_PROXY = replace(OUT, hooks=HTTP_HOOKS, spared=".corp.example 127.0.0.1,localhost")
BY_COMMAND = replace(OUT, hooks=hooks(PROGRAM, None, fails_closed=False))
FOREIGN = {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}


def receipt_for(before: bytes | None, edited: Edited) -> Receipt:
    return Receipt(
        agent="claude-code",
        scope=Scope.USER,
        path="/home/ann/.claude/settings.json",
        version=PROGRAM.version,
        transport=Transport.HTTP,
        without=before,
        written=hashlib.sha256(edited.text.encode()).hexdigest(),
        pieces=edited.pieces,
        made=edited.made,
    )


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


entries_of_any_kind = st.sampled_from([OVER_HTTP, BEHIND_A_PROXY, BY_COMMAND])


@given(settings_texts(), entries_of_any_kind)
def test_what_was_put_in_comes_out_to_the_byte(text: str, entries: HooksFile) -> None:
    before = text.encode()
    edited = entries.put_in(before)

    after = OUT.without_us(edited.text.encode(), receipt_for(before, edited))

    assert after == before


@given(settings_texts(), entries_of_any_kind)
def test_every_entry_is_there_and_everything_else_still_is(text: str, entries: HooksFile) -> None:
    edited = entries.put_in(text.encode())

    found = content(parsed(edited.text))
    assert isinstance(found, dict)
    lists = {event: found["hooks"][event][0] for event in entries.hooks}
    assert lists == dict(entries.hooks)
    assert len(list(ours(root_of(edited.text)))) == len(entries.hooks)
    if entries.spared is not None:
        assert all(map(spares_loopback, variables(root_of(edited.text)).values()))
        assert set(variables(root_of(edited.text))) == set(NAMES)


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
    text: str, entries: HooksFile, gap: str
) -> None:
    before = text.encode()
    edited = entries.put_in(before)

    after = OUT.without_us(_appended(edited.text, gap).encode(), receipt_for(before, edited))

    assert after is not None
    if root_of(text).children:
        assert after.decode() == _appended(text, gap)
    assert content(parsed(after.decode())) == content(parsed(_appended(text, gap)))


@given(settings_texts(), entries_of_any_kind)
def test_after_another_program_wrote_the_file_anew_exactly_ours_go(
    text: str, entries: HooksFile
) -> None:
    before = text.encode()
    edited = entries.put_in(before)
    anew = json.dumps(content(parsed(edited.text)), indent=2)

    after = OUT.without_us(anew.encode(), receipt_for(before, edited))

    assert after is not None
    assert json.loads(after) == content(parsed(text))


@given(settings_texts(), entries_of_any_kind)
def test_without_a_receipt_nothing_of_ours_is_left_and_nothing_else_goes(
    text: str, entries: HooksFile
) -> None:
    edited = entries.put_in(text.encode())

    after = OUT.without_us(edited.text.encode(), None)

    assert after is not None
    assert _filled(content(parsed(after.decode()))) == _filled(content(parsed(text)))


def _filled(found: object) -> object:
    """Without what is empty: nobody knows any more who made it."""
    assert isinstance(found, dict)
    listed = {event: groups for event, groups in found.get("hooks", {}).items() if groups}
    return {**found, "hooks": listed, "env": found.get("env", {})}


@given(settings_texts(), entries_of_any_kind)
def test_comments_outlive_all_of_it(text: str, entries: HooksFile) -> None:
    commented = text.replace("{", "{ // mine\n", 1) if text.lstrip("\ufeff")[:1] == "{" else text
    edited = entries.put_in(commented.encode())
    changed = _appended(edited.text, "/* theirs */")

    after = OUT.without_us(changed.encode(), None)

    assert after is not None
    assert after.decode().count("// mine\n") == commented.count("// mine\n")
    assert "/* theirs */" in after.decode()


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


LISTS = {
    # in `env` before: after
    "{}": {"NO_PROXY": OURS, "no_proxy": OURS},
    '{"NO_PROXY": "a.example"}': {
        "NO_PROXY": f"a.example,{OURS}",
        "no_proxy": f"{OURS},a.example",
    },
    '{"NO_PROXY": "", "no_proxy": "b,127.0.0.1"}': {
        "NO_PROXY": f",{OURS}",
        "no_proxy": "b,127.0.0.1",
    },
    '{"no_proxy": "*"}': {"NO_PROXY": f"{OURS},*", "no_proxy": "*"},
}


@pytest.mark.parametrize(("before", "after"), LISTS.items())
def test_no_proxy_stands_before_the_daemon_and_hosts_of_the_person_stay(
    before: str, after: dict[str, str]
) -> None:
    text = f'{{"env": {before}}}'
    edited = OVER_HTTP.put_in(text.encode())

    assert json.loads(edited.text)["env"] == after
    assert OUT.without_us(edited.text.encode(), receipt_for(text.encode(), edited)) == text.encode()


def test_hosts_of_the_persons_shell_come_along() -> None:
    found = json.loads(BEHIND_A_PROXY.put_in(b"{}").text)["env"]

    assert found == dict.fromkeys(NAMES, f"{OURS},.corp.example")


@pytest.mark.parametrize("value", ["1", "null", '["a"]'])
def test_a_list_of_hosts_that_is_no_text_is_refused(value: str) -> None:
    with pytest.raises(BadSettings, match=r"expected a text for `env\.NO_PROXY`"):
        OVER_HTTP.put_in(f'{{"env": {{"NO_PROXY": {value}}}}}'.encode())

    with pytest.raises(BadSettings, match="expected an object for `env`"):
        OVER_HTTP.put_in(f'{{"env": {value}}}'.encode())


def test_a_list_that_the_person_changed_meanwhile_is_theirs() -> None:
    edited = OVER_HTTP.put_in(b'{"env": {"no_proxy": "a"}}')
    changed = edited.text.replace(f'"a,{OURS}"', f'"a,{OURS},b"')

    after = OUT.without_us(changed.encode(), receipt_for(b"{}", edited))

    assert json.loads(after or b"") == {"env": {"no_proxy": f"a,{OURS},b"}}
