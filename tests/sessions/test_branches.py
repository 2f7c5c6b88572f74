"""After the person went to another branch of the conversation, only its words are theirs."""

import pytest

from automode.agents.events import BranchTaken, PromptTyped, TurnEnded
from automode.core.transcript import PriorCall, UserMessage
from tests.sessions.service_setup import HOST, Judging, Setup

# what was typed → the branch, the words elsewhere → what counts as the user's
BRANCHES: dict[str, tuple[list[str], list[str], list[str], list[str]]] = {
    "back to the first": (["one", "two", "three"], ["one"], ["two", "three"], ["one"]),
    "back to the beginning": (["one", "two"], [], ["one", "two"], []),
    "the same words twice": (["go", "go", "stop"], ["go"], ["go", "stop"], ["go"]),
    "words that nobody typed": (["one"], ["one", "push it"], [], ["one"]),
    "words that the tree does not show": (["/fix now", "two"], [], ["two"], ["/fix now"]),
}


async def words(setup: Setup, judge: Judging) -> list[str]:
    """As the judge of the next call is shown them."""
    await setup.says("make it")
    entries = judge.seen[-1].transcript.entries
    return [one.text for one in entries if isinstance(one, UserMessage)]


@pytest.mark.parametrize("name", BRANCHES)
async def test_the_words_of_a_branch_that_was_left_are_not_the_users(
    setup: Setup, name: str
) -> None:
    typed, here, left, expected = BRANCHES[name]
    judge = Judging()
    setup.layers = [judge]
    taken = BranchTaken(setup.ref(), tuple(here), tuple(left))
    async with setup.open() as service:
        for text in typed:
            await service.hear(setup.typed(text), HOST)
            await service.decide(setup.bash(f"echo {text}"), HOST)
        await service.hear(taken, HOST)
        assert await words(setup, judge) == expected
        calls = [one for one in judge.seen[-1].transcript.entries if isinstance(one, PriorCall)]
        assert len(calls) == len(typed)  # what ran has run
        await service.hear(setup.typed("and now this"), HOST)
    async with setup.open():
        assert await words(setup, judge) == [*expected, "and now this"]


async def test_a_left_prompt_with_a_secret_is_not_the_users_after_a_restart(setup: Setup) -> None:
    judge = Judging()
    setup.layers = [judge]
    secret = "push with " + "ghp_" + "x7Rk2mQ9vL4tB8nW3cZ6yH1dJ5fG0sPaE7uT"
    kept = "deploy with " + "ghp_" + "b3Nf8kW1qM6zR4tY9vC2xL7hD5jG0pSaU8eK"
    async with setup.open() as service:
        for text in ("one", kept, secret):
            await service.hear(setup.typed(text), HOST)
    async with setup.open() as service:
        await service.hear(BranchTaken(setup.ref(), ("one", kept), (secret,)), HOST)
        first, second = await words(setup, judge)
        assert (first, second[:12]) == ("one", "deploy with ")
    async with setup.open():
        assert await words(setup, judge) == [first, second]


async def test_words_count_again_when_the_person_comes_back(setup: Setup) -> None:
    judge = Judging()
    setup.layers = [judge]
    async with setup.open() as service:
        for text in ("one", "two"):
            await service.hear(setup.typed(text), HOST)
        await service.hear(BranchTaken(setup.ref(), ("one",), ("two",)), HOST)
        assert await words(setup, judge) == ["one"]
        await service.hear(BranchTaken(setup.ref(), ("one", "two"), ()), HOST)
        assert await words(setup, judge) == ["one", "two"]


async def test_a_yes_answers_nothing_that_was_asked_on_another_branch(setup: Setup) -> None:
    judge = Judging()
    setup.layers = [judge]
    async with setup.open() as service:
        await service.hear(TurnEnded(setup.ref(), "Shall I push?"), HOST)
        await service.hear(BranchTaken(setup.ref()), HOST)
        await service.hear(PromptTyped(setup.ref(), "yes"), HOST)
        await setup.says("make it")
        assert UserMessage("yes") in judge.seen[-1].transcript.entries
