"""What a call brings in: by the lists of packages that this session changed, and by names that the
project has already."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from automode.core.paths import exactly_within
from automode.judge.calls.needs import Named, is_met
from automode.judge.calls.packages import Need, known_package, real_name
from automode.judge.calls.tasks import INSTALLS
from automode.judge.runs.artefacts import Artefacts
from automode.judge.runs.inside import UNREAD, Inside
from automode.judge.runs.package_lists import (
    Put,
    belongs,
    by_themselves,
    installs,
    lists_of,
    locks_of,
    new_in,
)
from automode.judge.runs.python_lists import (
    leads_to,
    local_sources,
    named_lists,
    places_outside,
    projects,
)
from automode.judge.runs.targets import package_of, table
from automode.shell.script import Command

MOST_LISTS = 60
Texts = Callable[[str], Iterator[tuple[str | None, Put]]]
"""What may be in a list when it is read, with what the session put in."""


@dataclass(frozen=True, slots=True)
class Installing:
    inside: Inside
    named: Named
    before: Artefacts
    written: Artefacts
    texts: Texts

    def needs(self, commands: Sequence[Command]) -> Iterator[Need]:
        """What has to be named of what the lists of this session say."""
        place = self.inside.facts.workspace
        for command in commands:
            kind = installs(command)
            if not kind:
                continue
            for path in self._lists(command, kind):
                yield from self._of_list(path, kind)
            for folder in places_outside(command, place):
                yield Need("writes-outside", folder)
            for path in (*named_lists(command, place.cwd), *local_sources(command, place.cwd)):
                inside = any(exactly_within(path, one) for one in place.folders)
                if not inside and path not in self.written.texts:
                    yield Need(INSTALLS, path)

    def _lists(self, command: Command, kind: str) -> Iterator[str]:
        """The lists and locks of this session, also those that others lead to."""
        place, written = self.inside.facts.workspace, self.written.texts
        found = [
            one for find in (lists_of, locks_of) for one in find(command, kind, place, written)
        ]
        if kind == "python":
            found += [*named_lists(command, place.cwd), *projects(command, place)]
        seen: dict[str, None] = {}
        while found and len(seen) < MOST_LISTS:
            path = found.pop(0)
            if path not in seen and kind == "python":
                for text, _ in self.texts(path):
                    found += leads_to(path, text or "")
            seen[path] = None
        yield from (one for one in seen if one in written)

    def _of_list(self, path: str, kind: str) -> Iterator[Need]:
        facts, folder = self.inside.facts, path.rpartition("/")[0]
        for text, put in self.texts(path):
            listed = None if text is None else new_in(path, text, put, facts.workspace)
            if text is None or listed is None:
                yield Need(UNREAD, path)
                continue
            for name in listed.packages:
                need = Need(INSTALLS, name, folder, line=(kind,))
                known = known_package(name, kind) or is_met(need, self.named, facts.workspace)
                if not known and not self.has(need):
                    yield need
            scripts = table(package_of(text).get("scripts"))
            for name in by_themselves(listed.scripts):
                if not self.inside.of_text(str(scripts.get(name)), folder).is_harmless():
                    yield Need(UNREAD, path, why=f"has `{name}` run when it is installed")

    def has(self, need: Need) -> bool:
        """Whether the project has a package already, or somebody said yes to it in this session."""
        if need.deed != INSTALLS or not need.line:
            return False
        name, kind = real_name(need.name), need.line[0]
        if (kind, name) in self.before.installed:
            return True
        place = self.inside.facts.workspace
        return belongs(name, kind, need.cwd or place.cwd, place, self.written.texts)
