"""A session has no end, what is remembered of it has; what the user said stays longest."""

from hypothesis import given
from hypothesis import strategies as st

from automode.classifier.budget import Limits, select
from automode.classifier.events import Event, FactNoted, ToolFinished, ToolProposed, UserPrompt
from automode.classifier.memory import (
    FEWEST,
    LONGEST_ENTRY,
    LONGEST_STRING,
    MOST_CHARACTERS,
    MOST_ENTRIES,
    OMITTED,
    STEP,
    Memory,
)
from automode.classifier.transcript import Recorder
from automode.core.transcript import Fact, Outcome, PriorCall, UserMessage


def call(number: int, text: str = "x") -> ToolProposed:
    return ToolProposed(f"c{number}", "bash", {"command": f"{text} {number}"})


def heard(*events: Event) -> Recorder:
    recorder = Recorder()
    for event in events:
        recorder.hear(event)
    return recorder


def long_session(calls: int) -> Recorder:
    return heard(UserPrompt("first words"), *(call(number) for number in range(calls)))


def test_a_long_session_keeps_its_newest_calls_and_the_first_words() -> None:
    entries = long_session(20_000).transcript.entries

    assert len(entries) <= MOST_ENTRIES
    assert entries[-1] == PriorCall("bash", {"command": "x 19999"})
    assert entries[1] == UserMessage("first words")


def test_what_went_is_marked_with_its_number() -> None:
    entries = long_session(5_000).transcript.entries
    kept = [one for one in entries if isinstance(one, PriorCall)]

    assert entries[0] == Fact(
        OMITTED, f"{5_000 - len(kept)} older entries of this session are no longer kept"
    )


def test_a_flood_of_calls_does_not_wash_out_what_the_user_said() -> None:
    recorder = heard(UserPrompt("first words"), UserPrompt("never push"))
    recorder.hear(FactNoted(Fact("probe", "a result was suspect")))
    for number in range(5_000):
        recorder.hear(call(number))

    entries = recorder.transcript.entries
    assert entries[1:4] == (
        UserMessage("first words"),
        UserMessage("never push"),
        Fact("probe", "a result was suspect"),
    )


def test_a_call_that_finishes_after_others_went_is_still_found() -> None:
    recorder = long_session(MOST_ENTRIES + 50)

    recorder.hear(ToolFinished(f"c{MOST_ENTRIES + 40}", Outcome.ERROR))
    recorder.hear(ToolFinished("c3", Outcome.OK))  # gone long ago

    ended = [
        one for one in recorder.transcript.entries if isinstance(one, PriorCall) and one.outcome
    ]
    assert ended == [PriorCall("bash", {"command": f"x {MOST_ENTRIES + 40}"}, Outcome.ERROR)]


def test_what_stays_moves_by_whole_steps_so_that_prompts_keep_what_they_share() -> None:
    recorder = heard(UserPrompt("first words"))
    before: dict[int, int] = {}
    for number in range(3_000):
        recorder.hear(call(number))
        if number % 7 == 0:
            recorder.hear(UserPrompt(f"and {number}"))
        places = {id(one): place for place, one in enumerate(recorder.told)}
        calls = [id(one) for one in recorder.told if isinstance(one, PriorCall)]
        moved = {before[one] - places[one] for one in calls if one in before}
        assert moved <= {0, STEP}
        before = places


def test_long_inputs_are_cut_in_their_strings_and_keep_what_they_name() -> None:
    recorder = heard(
        ToolProposed("c", "write", {"file_path": "/w/p/a.py", "content": "x" * (2 * LONGEST_ENTRY)})
    )

    [entry] = recorder.transcript.entries
    assert isinstance(entry, PriorCall)
    assert entry.input["file_path"] == "/w/p/a.py"
    assert len(str(entry.input["content"])) < LONGEST_STRING + 100


def test_very_many_short_strings_are_not_kept() -> None:
    recorder = heard(ToolProposed("c", "write", {"lines": ["ab"] * LONGEST_ENTRY}))

    assert recorder.transcript.entries == (PriorCall("write", {"input": "too long to be kept"}),)


def test_calls_that_never_finish_are_not_waited_for_without_end() -> None:
    recorder = long_session(3_000)

    assert recorder.running("c2999")
    assert not recorder.running("c0")


entries = st.one_of(
    st.builds(UserMessage, st.sampled_from(["do it", "w" * 70_000])),
    st.builds(Fact, st.just("f"), st.just("text")),
    st.builds(
        PriorCall, st.just("bash"), st.sampled_from([{"c": "ls"}, {"c": "y" * 1_000_000}, {"c": 1}])
    ),
)


@given(st.lists(st.tuples(entries, st.integers(1, 400)), max_size=12))
def test_whatever_is_heard_memory_is_bounded_and_in_order(
    runs: list[tuple[UserMessage | Fact | PriorCall, int]],
) -> None:
    memory = Memory()
    last = -1
    for entry, times in runs:
        for _ in range(times):
            last = memory.add(entry)
        assert len(memory.entries) <= MOST_ENTRIES
        assert memory._characters <= max(MOST_CHARACTERS, FEWEST * LONGEST_ENTRY)
        assert memory.get(last) is not None
    assert memory._numbers == sorted(set(memory._numbers))


def test_the_prompt_of_a_long_session_still_holds_what_a_budget_would_keep() -> None:
    recorder = long_session(5_000)
    recorder.hear(UserPrompt("last words"))

    kept = select(recorder.transcript.entries, Limits(), str)

    texts = list(kept.values())
    assert any("first words" in text for text in texts)
    assert any("last words" in text for text in texts)
    assert any("no longer kept" in text for text in texts)
