"""What was written, in the order of writing, and which programs would pick it up by themselves."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from functools import lru_cache

from automode.guards.executed import Sorted, picking_programs

_kept_programs = lru_cache(maxsize=4096)(picking_programs)


class WrittenPaths(Sorted):
    """At most `most` paths without regard to case, each with the path as people know it; the
    newest last. Which programs look for a path is found out once, when it comes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._paths: OrderedDict[str, str] = OrderedDict()
        self._picked: dict[str, dict[str, None]] = {}

    def __getitem__(self, folded: str) -> str:
        return self._paths[folded]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def add(self, paths: Mapping[str, str]) -> None:
        for folded, path in paths.items():
            if folded not in self._paths:
                for program in _kept_programs(folded):
                    self._picked.setdefault(program, {})[folded] = None
            self._paths[folded] = path
            self._paths.move_to_end(folded)
        while len(self._paths) > self._most:
            oldest, _ = self._paths.popitem(last=False)
            for program in _kept_programs(oldest):
                self._picked.get(program, {}).pop(oldest, None)

    def picked_up(self, program: str) -> Iterator[str]:
        """Those that the program looks for by itself and runs code of."""
        return (self._paths[folded] for folded in self._picked.get(program, ()))
