"""Merged values by key, each as the type its row promises."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from automode.config.json_tree import Scalar
from automode.core.errors import BadSettings

T = TypeVar("T", bool, int, float, str)


@dataclass(frozen=True, slots=True)
class Values:
    by_key: Mapping[str, Scalar]

    def flag(self, key: str) -> bool:
        return self._given(key, self._maybe(key, bool))

    def text(self, key: str) -> str:
        return self._given(key, self._maybe(key, str))

    def whole(self, key: str) -> int:
        return self._given(key, self._maybe(key, int))

    def maybe_text(self, key: str) -> str | None:
        return self._maybe(key, str)

    def maybe_whole(self, key: str) -> int | None:
        return self._maybe(key, int)

    def maybe_number(self, key: str) -> float | None:
        value = self.by_key[key]
        return float(value) if isinstance(value, int) else self._maybe(key, float)

    def _maybe(self, key: str, kind: type[T]) -> T | None:
        value = self.by_key[key]
        if value is None or isinstance(value, kind):
            return value
        raise BadSettings(f"`{key}` holds a value that its row does not allow")

    def _given(self, key: str, value: T | None) -> T:
        if value is None:
            raise BadSettings(f"`{key}` has neither a value nor a default")
        return value
