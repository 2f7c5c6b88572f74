"""Calls that wait together share a look; none is judged by what was seen before it was proposed."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from automode.facts.shared_look import SharedLook

STEPS = st.lists(
    st.sampled_from(["call", "call that changes", "two calls", "change", "pass"]), max_size=30
)


@given(STEPS)
def test_no_call_is_shown_a_file_as_it_was_before_the_call_was_ready(steps: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        seen = asyncio.run(_played(steps, Path(folder) / "file"))
    assert len(seen) == sum(step.startswith("call") + 2 * (step == "two calls") for step in steps)
    assert all(shown >= ready for ready, shown in seen)


def test_a_task_that_decides_again_has_another_look() -> None:
    """Nothing needs to wait in between, and the task may have done anything."""

    async def played() -> list[object]:
        look = SharedLook()
        return [look.now(), look.now(), look.now()]

    assert len(set(asyncio.run(played()))) == 3


async def _played(steps: list[str], file: Path) -> list[tuple[int, int]]:
    """For each call: the number in the file when it became ready, and the one it was shown."""
    look, number = SharedLook(), 0
    seen: list[tuple[int, int]] = []

    def change() -> None:
        nonlocal number
        number += 1
        file.write_text(str(number))

    async def call(ready: int, step: str) -> None:
        shown = look.now().text(str(file), 100)
        seen.append((ready, int(shown or 0)))
        if step != "call":
            change()
        if step == "two calls":
            await call(number, "call")

    change()
    calls = []
    for step in steps:
        match step:
            case "change":
                change()
            case "pass":
                await asyncio.sleep(0)
            case _:
                calls.append(asyncio.ensure_future(call(number, step)))
    await asyncio.gather(*calls)
    return seen


def test_calls_that_wait_together_share_one_look() -> None:
    async def played() -> tuple[object, object]:
        look = SharedLook()

        async def call() -> object:
            return look.now()

        return await asyncio.gather(call(), call())

    first, second = asyncio.run(played())
    assert first is second


def test_the_next_call_has_a_look_of_its_own() -> None:
    async def played() -> tuple[object, object]:
        look = SharedLook()
        first = look.now()
        await asyncio.sleep(0)
        return first, look.now()

    first, second = asyncio.run(played())
    assert first is not second
