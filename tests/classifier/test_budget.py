"""What is kept when not everything fits, and how steady the choice is."""

from hypothesis import given
from hypothesis import strategies as st

from automode.classifier.budget import FACT_TOKENS, Limits, select, tokens
from automode.core.transcript import AgentText, Entry, Fact, PriorCall, UserMessage

LIMITS = Limits(user_tokens=100, call_tokens=100)


def call(index: int) -> PriorCall:
    return PriorCall("bash", {"command": f"{index}"})


def render(entry: Entry) -> str:
    return "x" * 40  # ten tokens each


def kept(entries: list[Entry], limits: Limits = LIMITS) -> list[int]:
    return list(select(entries, limits, render))


def test_everything_is_kept_while_it_fits_and_a_flood_of_calls_pushes_out_no_words_or_facts() -> (
    None
):
    flood = (call(i) for i in range(500))

    assert kept([]) == []
    assert kept([UserMessage("a"), call(1), Fact("f", "t"), call(2)]) == [0, 1, 2, 3]
    assert kept([UserMessage("never push"), Fact("probe", "suspect"), *flood])[:2] == [0, 1]


def test_the_first_and_the_latest_message_and_the_newest_call_are_always_kept() -> None:
    entries: list[Entry] = [
        UserMessage("first"),
        *(call(i) for i in range(50)),
        UserMessage("last"),
    ]
    entries += [call(i) for i in range(50)]
    tiny = Limits(user_tokens=1, call_tokens=1)

    assert kept(entries, tiny) == [0, 51, 101]


def test_the_newest_fill_each_budget() -> None:
    entries: list[Entry] = [UserMessage(str(i)) for i in range(40)]

    places = kept(entries)

    assert places[0] == 0
    assert places[-1] == 39
    assert places[1:] == list(range(places[1], 40))
    assert len(places) * 10 <= LIMITS.user_tokens


@given(st.lists(st.sampled_from("ucfa"), max_size=120), st.integers(10, 300))
def test_no_budget_is_exceeded_by_more_than_what_is_always_kept(
    kinds: list[str], room: int
) -> None:
    made: dict[str, Entry] = {
        "u": UserMessage("u"),
        "c": call(1),
        "f": Fact("f", "t"),
        "a": AgentText("a"),
    }
    entries = [made[kind] for kind in kinds]
    limits = Limits(user_tokens=room, call_tokens=room)

    counts = dict.fromkeys("ucfa", 0)
    for place in kept(entries, limits):
        counts[kinds[place]] += 1

    assert counts["c"] * 10 <= max(room, 10)
    assert counts["u"] * 10 <= max(room, 20)
    assert counts["f"] * 10 <= FACT_TOKENS


def test_the_window_moves_in_leaps() -> None:
    entries: list[Entry] = [call(i) for i in range(60)]
    starts = []
    for index in range(60, 260):
        entries.append(call(index))
        starts.append(kept(entries, Limits(call_tokens=400))[0])

    assert starts == sorted(starts)
    assert len(set(starts)) <= 200 / 8


def test_only_what_is_kept_is_rendered() -> None:
    rendered: list[Entry] = []

    def counting(entry: Entry) -> str:
        rendered.append(entry)
        return render(entry)

    entries: list[Entry] = [UserMessage("a"), *(call(i) for i in range(5000))]
    select(entries, LIMITS, counting)

    assert len(rendered) <= 1 + 100 / 10 + 1


def test_visible_mode_keeps_a_number_of_entries() -> None:
    entries: list[Entry] = [AgentText(str(i)) for i in range(300)]
    limits = Limits(visible=True, user_tokens=100_000, visible_entries=80)

    places = kept(entries, limits)

    assert 40 <= len(places) <= 80
    assert places[-1] == 299


def test_a_token_is_counted_as_four_characters() -> None:
    assert [tokens("x" * n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
