"""Distinct calls decided once: the same answers alone and in processes, and none lost."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.assemble import build_gate, load_settings
from automode.config.places import Places
from automode.config.settings import Settings
from automode.core.decision import Decision, Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.evaluation.distinct import MOST_WAITING, Distinct, deciding, name_of, workspace_of
from automode.evaluation.transcripts.gathering import RecordedCall

NOWHERE = Places((), (), (), (), (), trust_file="")
FOLDER = "/home/dev/parrot"
COMMANDS = ("git status", "rm -rf /", "make", "cat notes.md", "curl -s https://example.com")


@pytest.fixture(scope="module")
def settings() -> Settings:
    return load_settings(NOWHERE).settings


def shell(command: object, number: int = 0, folder: str = FOLDER) -> RecordedCall:
    return RecordedCall("pi", "s", str(number), "bash", {"command": command}, folder, folder)


def answers(
    settings: Settings, calls: Sequence[RecordedCall], jobs: int = 1
) -> tuple[list[tuple[str, str, str]], int]:
    distinct = Distinct(settings, None, jobs)
    with asyncio.Runner() as runner:
        found = [
            (call.id, now.verdict.word, now.source) for call, now in distinct.answers(calls, runner)
        ]
    return sorted(found), distinct.decided


def test_the_answers_are_those_of_the_gate_itself(settings: Settings) -> None:
    gate = build_gate(settings)

    async def decided(command: str) -> Decision | None:
        place = workspace_of(FOLDER, FOLDER)
        return await gate.decide(tool_call("bash", {"command": command}), Session("s", place))

    found, _ = answers(settings, [shell(text, n) for n, text in enumerate(COMMANDS)])

    wanted = [asyncio.run(decided(text)) for text in COMMANDS]
    assert [(word, source) for _, word, source in found] == [
        (one.verdict.word, one.source) for one in wanted if one is not None
    ]


def test_processes_answer_like_this_one_and_every_call_is_answered_once(
    settings: Settings,
) -> None:
    calls = [shell(f"{COMMANDS[n % 5]} {n % 150}", n) for n in range(600)]

    alone, distinct = answers(settings, calls)
    together, also = answers(settings, calls, jobs=2)

    assert alone == together
    assert (distinct, also) == (150, 150)
    assert Counter(own for own, _, _ in together) == Counter(str(n) for n in range(600))


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("size", [1, 47, 48, 49, 96, 97])
def test_repeats_at_the_very_end_are_answered_too(settings: Settings, size: int, jobs: int) -> None:
    calls = [shell(f"echo {n}", n) for n in range(size)]
    calls += [shell("echo 0", size + n) for n in range(5)]

    found, distinct = answers(settings, calls, jobs)

    assert (len(found), distinct) == (size + 5, size)


def test_more_repeats_than_may_wait_are_all_answered(settings: Settings) -> None:
    def calls() -> Iterator[RecordedCall]:
        for number in range(MOST_WAITING + 50):
            yield shell("git status", number)
        yield shell("make", MOST_WAITING + 50)

    distinct = Distinct(settings, None, 2)
    with asyncio.Runner() as runner:
        count = sum(1 for _ in distinct.answers(calls(), runner))

    assert (count, distinct.decided) == (MOST_WAITING + 51, 2)


def test_no_call_means_no_answer(settings: Settings) -> None:
    assert answers(settings, []) == ([], 0)


DIFFERENT = {
    "the command": replace(shell("a"), input={"command": "b"}),
    "the tool": replace(shell("a"), tool="powershell"),
    "the folder": shell("a", folder="/home/dev/other"),
    "where it ran": replace(shell("a"), cwd=f"{FOLDER}/src"),
    "the shape of the input": replace(shell("a"), input={"command": ["a"]}),
    "a seam": replace(shell("a"), tool="bas", root="h" + FOLDER),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_calls_that_may_get_another_answer_have_another_name(name: str) -> None:
    assert name_of(DIFFERENT[name]) != name_of(shell("a"))


def test_who_made_a_call_does_not_matter() -> None:
    other = replace(shell("a"), host="codex", session="t", id="9", at=7.0)

    assert name_of(other) == name_of(shell("a"))


UNREADABLE: dict[str, dict[str, object]] = {
    "no command": {},
    "half a surrogate": {"command": "echo \ud800"},
    "a NUL byte": {"command": "echo \0"},
    "something else": {"command": {"a": 1}},
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_never_allowed(settings: Settings, name: str) -> None:
    call = replace(shell("x"), input=UNREADABLE[name])

    ((_, word, _),), _ = answers(settings, [call])

    assert word in ("ask", "deny")


@given(
    tool=st.sampled_from(["bash", "write", "web_fetch", "mcp__x__y"]),
    given=st.dictionaries(
        st.sampled_from(["command", "path", "url", "content"]),
        st.none() | st.text(max_size=20) | st.lists(st.integers(), max_size=2),
        max_size=3,
    ),
)
def test_no_input_raises_and_a_failure_never_allows(
    settings: Settings, tool: str, given: dict[str, object]
) -> None:
    call = replace(shell("x"), tool=tool, input=given)

    found = asyncio.run(deciding(settings).decision(call))

    assert found.verdict is not Verdict.ALLOW or found.error is None


PLACES = {
    ("/home/dev/p", "/home/dev/p/src"): ("/home/dev/p", "/home/dev/p/src"),
    ("", "/home/dev/p"): ("/home/dev/p", "/home/dev/p"),
    ("/home/dev/p", ""): ("/home/dev/p", "/home/dev/p"),
    ("", ""): ("/workspace", "/workspace"),
    ("", "C:\\work"): None,
}


@pytest.mark.parametrize("given", PLACES)
def test_a_call_runs_in_the_folder_of_then(given: tuple[str, str]) -> None:
    place = workspace_of(*given)

    wanted = PLACES[given]
    assert place.root.startswith("/")
    assert wanted is None or (place.root, place.cwd) == wanted
