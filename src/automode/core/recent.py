"""A mapping that keeps its newest entries."""

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(OrderedDict[K, V]):
    """At most `most` entries: whatever was set longest ago goes first."""

    def __init__(self, most: int, entries: Iterable[tuple[K, V]] = ()) -> None:
        super().__init__()
        self.most = most
        for key, value in entries:
            self[key] = value

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        while len(self) > self.most:
            self.popitem(last=False)
