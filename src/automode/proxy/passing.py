"""What a client says, frame by frame: each goes its way beside the stream."""

import asyncio
from collections.abc import Callable, Coroutine

from automode.proxy.lines import StandardInput, StandardOutput, TooLong, frames
from automode.proxy.messages import NO_REQUEST, error, written


async def let_pass(
    client_in: StandardInput,
    client_out: StandardOutput,
    passed: Callable[[bytes], Coroutine[object, object, None]],
    passing: set[asyncio.Task[None]],
) -> None:
    """Until the client says no more. Whatever is under way then stands in `passing`."""
    try:
        async for frame in frames(client_in.read):
            task = asyncio.ensure_future(passed(frame))
            passing.add(task)
            task.add_done_callback(passing.discard)
            await asyncio.sleep(0)  # in the order in which they came
    except TooLong as trouble:
        await client_out.write(written(error(None, NO_REQUEST, f"automode: {trouble}")))
