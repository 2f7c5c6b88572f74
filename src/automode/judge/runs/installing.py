"""What a call brings in: by the lists of packages that this session changed, and by names that the
project has already."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from automode.core.paths import absolute, exactly_within
from automode.judge.calls.needs import Named, is_met
from automode.judge.calls.packages import Need, known_package, real_name
from automode.judge.calls.tasks import INSTALLS
from automode.judge.runs.artefacts import Artefacts
from automode.judge.runs.imported import (
    FETCHING,
    adds_imports,
    fetched_by_code,
    fetched_by_file,
    go_imports,
    modules_of,
    own_modules,
)
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

_BUILT = re.compile(r"^(?:[\w./-]+/)?(?:dist|wheelhouse|target/wheels)/[\w.*+-]+\.(?:whl|tar\.gz)$")
MOST_LISTS = 60
READ_BY_DENO = tuple("/deno.json /deno.jsonc /import_map.json .ts .tsx .js .jsx .mts .mjs".split())
Texts = Callable[[str], Iterator[tuple[str | None, Put]]]
"""What may be in a list when it is read, with what the session put in."""


def brings(command: Command) -> bool:
    """Whether it may bring in packages."""
    return bool(installs(command)) or command.program in FETCHING


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
            for name in fetched_by_code(command, place):
                yield from self._unless_known(
                    Need(INSTALLS, name, command.cwd or "", line=("node",))
                )
            if command.program == "deno":
                yield from self._of_deno()
            if adds_imports(command):
                yield from self._of_go()
            kind = installs(command)
            if not kind:
                continue
            for path in self._lists(command, kind):
                yield from self._of_list(path, kind)
            for folder in places_outside(command, place):
                yield Need("writes-outside", folder)
            at = command.cwd or place.cwd
            folders = (one for one in local_sources(command, at) if not exactly_within(one, at))
            for path in (*named_lists(command, at), *folders):
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
                yield from self._unless_known(Need(INSTALLS, name, folder, line=(kind,)))
            scripts = table(package_of(text).get("scripts"))
            for name in by_themselves(listed.scripts):
                if not self.inside.of_text(str(scripts.get(name)), folder).is_harmless():
                    yield Need(UNREAD, path, why=f"has `{name}` run when it is installed")

    def _is_built_here(self, need: Need) -> bool:
        """`dist/*.whl` of the project."""
        place = self.inside.facts.workspace
        full = absolute(need.name, need.cwd or place.cwd)
        foreign = self.before.came_from_elsewhere(full) or self.written.came_from_elsewhere(full)
        folder, put = full.rpartition("/")[0], (*self.written.fetched, *self.written.texts)
        brought = any(exactly_within(one, folder) and one != folder for one in put)
        return exactly_within(full, place.root) and not foreign and not brought

    def _unless_known(self, *needs: Need) -> Iterator[Need]:
        """The first, unless one of them is known: itself, or what it is a part of."""
        place = self.inside.facts.workspace
        known = any(
            known_package(one.name, one.line[0]) or is_met(one, self.named, place) or self.has(one)
            for one in needs
        )
        yield from () if known else needs[:1]

    def _sources(self, ends: tuple[str, ...]) -> list[str]:
        """Files of this session in the workspace."""
        folders = self.inside.facts.workspace.folders
        own = [one for one in self.written.texts if any(exactly_within(one, at) for at in folders)]
        return [one for one in own if one.endswith(ends)][-MOST_LISTS:]

    def _of_go(self) -> Iterator[Need]:
        """What sources of this session import, and no list names."""
        sources, place = self._sources((".go",)), self.inside.facts.workspace
        own = own_modules([*sources, *self._sources(("/go.mod",))], place)
        begins = any("init" in one.text for one in self.inside.facts.script.commands)
        if not (own or begins):
            return  # without a go.mod nothing comes in
        for path in sources:
            imports = {one for text, put in self.texts(path) for one in go_imports(text or "", put)}
            for parts in map(modules_of, sorted(imports)):
                if own.isdisjoint(parts):
                    folder = path.rpartition("/")[0]
                    needs = [Need(INSTALLS, one, folder, line=("go",)) for one in parts]
                    yield from self._unless_known(*needs)

    def _of_deno(self) -> Iterator[Need]:
        for path in self._sources(READ_BY_DENO):
            names = {
                one
                for text, put in self.texts(path)
                for one in fetched_by_file(path, text or "", put)
            }
            for name in sorted(names):
                folder = path.rpartition("/")[0]
                yield from self._unless_known(Need(INSTALLS, name, folder, line=("node",)))

    def has(self, need: Need) -> bool:
        """Whether the project has a package already, or somebody said yes to it in this session."""
        if need.deed == INSTALLS and _BUILT.search(need.name):
            return self._is_built_here(need)
        if need.deed != INSTALLS or not need.line:
            return False
        name, kind = real_name(need.name), need.line[0]
        if (kind, name) in self.before.installed:
            return True
        place = self.inside.facts.workspace
        return belongs(name, kind, need.cwd or place.cwd, place, self.written.texts)
