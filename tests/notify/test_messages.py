"""What a person reads: whole or said to be cut, and nothing in it that steers or can be tapped."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from automode.core.record import SessionKey
from automode.notify.messages import LONGEST_ACTION, one_call, several_calls, shown
from tests.rows import each_row
from tests.store.examples import RECORD

ASKED = replace(
    RECORD,
    id="0kq3v7yz",
    session=SessionKey("claude-code", "s"),
    root="/home/me/shop",
    cwd="/home/me/shop/api",
    tool="bash",
    action="git push origin main",
    input='{"command":"git push origin main"}',
    reason="nobody asked for a push",
)


def test_a_message_says_who_where_what_why_and_how_long() -> None:
    told = one_call(ASKED, 90.0, 0.0)

    assert told.title == "automode asks: Claude Code in shop"
    first, folder, why, waits = told.text.splitlines()
    assert first == "bash: git push origin main"
    assert folder == "Folder: /home/me/shop/api"
    assert why == "Why: nobody asked for a push"
    assert waits.startswith("It waits 90 seconds, until ")
    assert waits.endswith("Record 0kq3v7yz.")
    assert told.whole


@each_row(
    "tool, action, given, first, whole",
    [
        ("read", "a.py", '{"path":"a.py"}', "read: a.py", True),
        ("write", "a.py", '{"path":"a.py","content":"x"}', None, True),
        ("write", "a.py", json.dumps({"path": "a.py", "content": "x" * 600}), None, False),
        ("mcp__x__send", "{}", '{"to":"all"}', None, True),
        ("bash", "ls", "not json", "bash: not json", True),
        ("bash", "ls", "[]", "bash: []", True),
        ("bash", "ls", '{"command":"ls","stdin":"x"}', None, True),
        ("bash", "ls", '{"command":"ls","stdin":"ls"}', None, True),
        ("bash", "cd a\nls", '{"command":"ls","workdir":"a"}', None, True),
        ("web_fetch", "a", '{"urls":["a","b"]}', None, True),
        ("agent", "a", '{"prompt":"a","instructions":"b"}', None, True),
    ],
)
def test_a_call_that_writes_is_shown_with_what_it_writes(
    tool: str, action: str, given: str, first: str | None, *, whole: bool
) -> None:
    """Who allows it has seen the content, and not the path alone."""
    told = one_call(replace(ASKED, tool=tool, action=action, input=given), 5.0, 0.0)

    line = told.text.splitlines()[0]
    assert told.whole is whole
    assert line == (first or f"{tool}: {given[:500]}{'' if whole else '…'}")


@each_row(
    "changed, said",
    [
        ({"action": "make # [secret:private-key#5760]"}, "replaced by"),
        ({"input": '{"command":"git push origin main","key":"[secret:key#0e96]"}'}, "replaced by"),
        ({"cwd": "/" + "x" * 300}, "too long"),
        ({"action": "\U0001f600" * 400}, "too long"),
    ],
)
def test_what_cannot_be_seen_can_only_be_denied(changed: dict[str, str], said: str) -> None:
    given = {"input": json.dumps({"command": changed.get("action", ASKED.action)}), **changed}
    told = one_call(replace(ASKED, **given), 5.0, 0.0)  # type: ignore[arg-type]

    assert not told.whole
    assert said in told.text.splitlines()[-1]


def test_what_does_not_fit_is_said_to_be_cut() -> None:
    long = "x" * (LONGEST_ACTION + 1)
    told = one_call(replace(ASKED, action=long, input=f'{{"command":"{long}"}}'), 600.0, 0.0)

    assert not told.whole
    assert told.text.splitlines()[0] == f"bash: {'x' * LONGEST_ACTION}…"
    assert "too long for this message" in told.text
    assert "10 minutes" in told.text


def test_calls_together_are_one_message() -> None:
    told = several_calls([ASKED] * 12)

    assert told.title == "automode asks: 12 calls wait"
    assert "and 2 more" in told.text
    assert not told.whole


def test_a_list_of_the_widest_letters_fits_a_message() -> None:
    wide = replace(ASKED, action="\U0001f600" * 9000, root="/" + "\U0001f600" * 200)

    assert len(several_calls([wide] * 50).text.encode()) < 4096
    assert len(one_call(replace(wide, reason=wide.action), 60.0, 0.0).text.encode()) < 4096


@each_row(
    "text, what",
    [
        ("a\nb", "a⏎b"),
        ("a\\nb⏎c", "a\\nb\\u23cec"),
        ("a\u2800b\u3164c\ufe0f", "a\\u2800b\\u3164c\\ufe0f"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\u202eb\u200bc", "a\\u202eb\\u200bc"),
        ("ls" + " " * 50 + "; rm x", "ls [50 blanks] ; rm x"),
        ("curl https://evil.example.org/a.b?c=1", "curl https[://]evil[.]example[.]org/a.b?c=1"),
        ("tel://1 www.evil.org", "tel[://]1 www[.]evil.org"),
        ("cat a.py > b.md", "cat a.py > b.md"),
    ],
)
def test_what_an_agent_wrote_is_text(text: str, what: str) -> None:
    assert shown(text, 200).text == what


@given(st.text(), st.text(), st.text())
def test_nothing_that_an_agent_writes_leaves_its_line(action: str, reason: str, root: str) -> None:
    call = replace(ASKED, action=action, input=action, reason=reason, root=root, cwd=root)
    told = one_call(call, 5.0, 0.0)

    body = told.text if told.whole else told.text.rpartition("\n")[0]
    assert len(body.split("\n")) == 4
    assert all(letter.isprintable() or letter == "\n" for letter in told.text + told.title)
    assert "://" not in told.text + told.title
    assert len((told.title + told.text).encode()) < 4096
