"""Deadlines that share one timer: each rings once and in time, unless it was called off."""

import asyncio
from collections.abc import Callable
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from automode.daemon.alarms import Alarms

PATIENCE = 30.0
LATEST = 0.02

# Which owner, after how many seconds, and whether it is called off right away.
SET = st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.005, 0.01, LATEST]), st.booleans())


@given(st.lists(SET, max_size=8))
def test_what_is_set_last_rings_once_and_what_is_called_off_never(
    steps: list[tuple[int, float, bool]],
) -> None:
    async def rung() -> list[int]:
        alarms, heard, over = Alarms(), list[int](), asyncio.Event()
        for number, (owner, seconds, off) in enumerate(steps):
            alarms.set(owner, seconds, partial(heard.append, number))
            if off:
                alarms.call_off(owner)
        alarms.set("the last one", 2 * LATEST, over.set)
        await asyncio.wait_for(over.wait(), PATIENCE)
        return heard

    last = {owner: number for number, (owner, _, _) in enumerate(steps)}

    assert sorted(asyncio.run(rung())) == sorted(one for one in last.values() if not steps[one][2])


def ringing(first: Callable[[Alarms], None]) -> list[str]:
    """Who rings when two are due at once, of which the first one does something else as well."""

    async def rung() -> list[str]:
        heard, over, alarms = list[str](), asyncio.Event(), Alarms()
        asyncio.get_running_loop().set_exception_handler(lambda *_: heard.append("failed"))
        alarms.set("first", 0.0, lambda: first(alarms))
        alarms.set("second", 0.0, lambda: heard.append("second"))
        alarms.set("the last one", LATEST, over.set)
        await asyncio.wait_for(over.wait(), PATIENCE)
        return heard

    return asyncio.run(rung())


def test_one_that_rings_may_call_off_another() -> None:
    assert ringing(lambda alarms: alarms.call_off("second")) == []


def test_one_that_fails_keeps_no_other_from_ringing() -> None:
    def fails(alarms: Alarms) -> None:
        raise ZeroDivisionError

    assert ringing(fails) == ["failed", "second"]


def test_an_earlier_one_does_not_wait_for_a_later_one() -> None:
    async def first() -> str:
        alarms, heard = Alarms(), asyncio.Queue[str]()
        alarms.set("later", 10 * PATIENCE, lambda: heard.put_nowait("later"))
        alarms.set("sooner", 0.0, lambda: heard.put_nowait("sooner"))
        return await asyncio.wait_for(heard.get(), PATIENCE)

    assert asyncio.run(first()) == "sooner"
