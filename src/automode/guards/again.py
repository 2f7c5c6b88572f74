"""A layer that need not think twice about a script: see `core.looks`."""

from dataclasses import replace

from automode.core.call import Shell, ToolCall
from automode.core.layer import Answer, Layer, Trail
from automode.core.looks import Looks, Remembered
from automode.core.session import Session
from automode.shell.reader import Reader

MOST_KEPT = 16_384
_KEPT = Remembered[Answer](MOST_KEPT)
"""Shared by the gates of all projects, so that many of them take no more memory than one."""

LONGEST_SCRIPT = 4_096  # characters: long ones seldom come again


class Again:
    """Around a layer that looks at nothing but a shell call, its reading and the workspace. Another
    reading of the same text is judged anew."""

    def __init__(self, layer: Layer, reader: Reader) -> None:
        self._layer = layer
        self._reader = reader
        self._name = object()  # another gate may judge the same script by other rules

    @property
    def name(self) -> str:
        return self._layer.name

    async def __call__(self, call: ToolCall, session: Session, trail: Trail) -> Answer:
        action, place = call.action, session.workspace
        plain = isinstance(action, Shell) and action.dialect == "bash"
        if not isinstance(action, Shell) or not plain or len(action.command) > LONGEST_SCRIPT:
            return await self._layer(call, session, trail)
        key = (
            self._name,
            action.command,
            place.cwd,
            place.root,
            place.home,
            place.roots,
            place.temporary,
        )
        reading = self._reader.full(action.command, place)
        known = _KEPT.known(key, reading, place.files)
        if known is not None:
            return known.answer
        looks = Looks(place.files)
        seen = replace(session, workspace=replace(place, files=looks))
        answer = await self._layer(call, seen, trail)
        _KEPT.keep(key, reading, looks, answer)
        return answer
