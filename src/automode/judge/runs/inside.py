"""What a script or a target does, followed into the scripts and targets that it runs itself."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

from automode.core.call import Shell, ToolCall
from automode.core.paths import absolute, exactly_within
from automode.core.workspace import Kind
from automode.judge.calls.code_deeds import HIDES, python_deeds, script_deeds
from automode.judge.calls.needs import REACHES, Named, is_met
from automode.judge.calls.packages import Need
from automode.judge.calls.tasks import REACHES_FAR, RUNS, USUAL
from automode.judge.deeds import Weight, deeds
from automode.judge.places import where
from automode.judge.runs.artefacts import Artefacts, built_first, runs_only_made
from automode.judge.runs.commits import OTHERS
from automode.judge.runs.package_lists import Put, new_in
from automode.judge.runs.shell_files import Prepared, ShellFile, is_shell
from automode.judge.runs.targets import Look, program_of, texts_of
from automode.judge.runs.written_code import READ
from automode.judge.words import patterns, word_lists
from automode.programs.call_facts import CallFacts
from automode.shell.script import HOLE, Command, Script, Word

_W = word_lists("running")
_P = patterns("running")
_TARGETS_W = word_lists("targets")
UNREAD = "runs-unread"
DEEPEST = 4
MOST_TEXTS = 40
LONGEST_SCRIPT = 50_000
_PACKAGES = ("go", "cargo")
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_ENVIRONMENT = re.compile(r"^(?:\./)?\.?venv/bin/(?=[\w.-]+$)")
_ENDS = (".py", "/__main__.py")
_PYTHON_SHEBANGS = ("#!/usr/bin/env python", "#!/usr/bin/python")
# What lies there is a package's.
_BROUGHT = frozenset({".venv", "venv", "node_modules", "vendor", "site-packages"})
_COMMANDS_P = patterns("command_deeds")
_HINTS = (_COMMANDS_P.acting, _COMMANDS_P.reaching)


@dataclass(frozen=True, slots=True)
class Work:
    """What a script does by itself. `needs`: what it runs, and what has to be named."""

    deeds: tuple[str, ...]
    needs: tuple[Need, ...]
    whole: bool  # it was read in full


Within: TypeAlias = Callable[[CallFacts], Work]


@dataclass(frozen=True, slots=True)
class Found:
    """`sure`: there is nothing in it that nobody knows."""

    deeds: tuple[str, ...] = ()
    sure: bool = False
    projects: bool = False  # a program of the project, that was there

    def is_harmless(self) -> bool:
        return self.sure and all(deeds()[one].weight < Weight.LASTING for one in self.deeds)


@dataclass(slots=True)
class Inside:
    """Follows what one call runs, for one state of the files."""

    facts: CallFacts
    within: Within
    named: Named
    look: Look
    unread: Callable[[str], bool]  # whether this session wrote the file, and nobody can tell what
    made: Artefacts  # before the call
    against: Callable[[str, str], str | None]  # what speaks against code of the project
    scripts: list[CallFacts] = field(default_factory=list)  # that were read on the way
    # By file and name, whether it is harmless.
    targets: dict[tuple[str, str], bool] = field(default_factory=dict)
    _unread: dict[str, bool] = field(default_factory=dict)
    _open: list[Need] = field(default_factory=list)
    _read: int = 0

    def taken(self) -> list[CallFacts]:
        """The scripts that were read since the last time."""
        found, self.scripts = self.scripts, []
        return found

    def of_need(self, need: Need) -> Found | None:
        """None where nothing of it can be read."""
        if need in self._open or len(self._open) >= DEEPEST:
            return None
        self._open.append(need)
        try:
            return self._of_target(need) or self._of_package(need) or self._of_file(need)
        finally:
            self._open.pop()

    def _of_target(self, need: Need) -> Found | None:
        texts = texts_of(need, self.facts.workspace, self.look) if need.line else ()
        found: list[str] = []
        sure = True
        for one in texts:
            own = self.of_text(one.text, one.folder)
            own = replace(own, sure=own.sure and one.sure)
            self.targets[one.file, one.name] = own.is_harmless()
            found += own.deeds
            sure = sure and own.sure
        return Found(tuple(dict.fromkeys(found)), sure) if texts else None

    def located(self, need: Need) -> Need:
        """A module that is told to run, and a program that the project declares, as their files."""
        place = self.facts.workspace
        near = need.deed == RUNS and exactly_within(need.cwd, place.root)
        if not near or is_met(need, self.named, place):
            return need
        module = need.name if need.line[1:2] == ("-m",) else ""
        if not need.line:
            program = _ENVIRONMENT.sub("", need.name)
            module = program_of(program, self.look(f"{place.root}/pyproject.toml") or "")
        if not _MODULE.fullmatch(module):
            return need
        stem = module.replace(".", "/")
        for at in dict.fromkeys((need.cwd, place.root)):
            for path in (f"{at}{src}/{stem}{end}" for src in ("", "/src") for end in _ENDS):
                if exactly_within(path, place.root) and self.look(path) is not None:
                    return replace(need, name=path, line=())
        return need

    def _of_package(self, need: Need) -> Found | None:
        """The sources with which a program begins that `go run` and `cargo run` build."""
        if need.line[1:2] != ("run",) or need.line[0] not in _PACKAGES:
            return None
        name, at, place = need.name, need.cwd, self.facts.workspace
        if need.line[0] == "go":
            folder = absolute(next((one for one in need.line[2:] if one[:1] == "."), "."), at)
            names = place.files.names(folder, MOST_TEXTS)
            own = [one for one in names if one.endswith(".go") and not one.endswith("_test.go")]
            paths = [f"{folder}/{one}" for one in own] if len(names) < MOST_TEXTS else []
        else:
            named = [
                f"{at}/{one}"
                for one in (f"src/bin/{name}.rs", f"examples/{name}.rs", f"src/bin/{name}/main.rs")
            ]
            paths = [one for one in named if self.look(one) is not None] or [f"{at}/src/main.rs"]
        texts = [(one, self.look(one)) for one in paths if exactly_within(one, place.root)]
        found = [self.of_file(one, text, at) for one, text in texts if text is not None]
        if not found or len(found) < len(paths):
            return None
        told = [one for each in found if each for one in each.deeds]
        return Found(tuple(dict.fromkeys(told)), all(one is not None and one.sure for one in found))

    def _of_file(self, need: Need) -> Found | None:
        need = self.located(need)
        full = absolute(need.name, need.cwd)
        text = self.look(full) if need.name else None
        if text is None and need.name and not self.made.came_from_elsewhere(full):
            # What this call writes into it is read by itself.
            text = self.facts.workspace.files.text(full, LONGEST_SCRIPT)
            text = None if text and len(text) >= LONGEST_SCRIPT - 8 else text
        return None if text is None else self.of_file(full, text, need.cwd)

    def is_projects(self, full: str) -> bool:
        """Whether it is a program that lies in the project and was there. What this session put
        into it is read by itself."""
        place, made = self.facts.workspace, self.made
        own = exactly_within(full, place.root) and place.root != place.home
        brought = not _BROUGHT.isdisjoint(full.split("/")) or made.came_from_elsewhere(full)
        there = own and not brought and place.files.kind(full) is Kind.FILE
        wrote = full in made.texts or full in made.touched
        hinted = any(one.search(full.removeprefix(place.root)) for one in _HINTS)
        return there and not hinted and (not wrote or full in made.put)

    def is_told_far(self, need: Need, script: Script, known: str = "") -> bool:
        """Whether a program of the project is given a path outside, or another machine. `known`:
        beginnings of words that nobody knows count, too."""
        if need.line or not self.is_projects(absolute(need.name, need.cwd)):
            return False
        for command in script.commands:
            texts = [one.text for one in command.words]
            if need.name in texts:
                given = command.words[texts.index(need.name) + 1 :]
                if any(self._is_far_word(one, command, known) for one in given):
                    return True
        return False

    def _is_far_word(self, word: Word, command: Command, known: str) -> bool:
        text = word.text.partition("=")[2] if word.text[:1] == "-" else word.text
        if known and text[:1] == known and not word.plain:
            return True
        far = text[:1] in ("/", "~") or ".." in text.split("/")
        outside = far and where(text, command, self.facts.workspace) in ("near", "outside")
        return outside or REACHES_FAR.search(text) is not None

    def of_file(
        self, full: str, text: str, folder: str, put: Sequence[str] | None = None
    ) -> Found | None:
        """A script that runs in a folder. `put`: only what this session put into it counts."""
        place = self.facts.workspace
        if is_shell(full, text):
            folder = place.root if HOLE in folder else folder
            at = replace(place, cwd=folder)
            file = ShellFile(full, text[:LONGEST_SCRIPT], put, at, self._there)
            script, called = file.read(self.facts.reader)
            found = self.of_text(text, folder, script)
            own = UNREAD if any(map(self._is_unread, called)) else ""
            whole = put is None and len(text) < LONGEST_SCRIPT
            found = replace(found, projects=whole and self.is_projects(full))
            return replace(found, deeds=(*found.deeds, own), sure=False) if own else found
        path = f"{full}.py" if text.startswith(_PYTHON_SHEBANGS) else full
        if not path.endswith(READ):
            return None
        if put is None and self.is_projects(full) and self.against(path, text) is None:
            return Found((), sure=True, projects=True)
        started, command = partial(self._started, folder=folder), Command((), cwd=folder)
        if path.endswith(".py"):
            found_deeds = tuple(python_deeds(text, command, place, started))
        else:
            found_deeds = tuple(script_deeds(text, full, command, place, started, whole=True))
        return Found(found_deeds, "code-acts" not in found_deeds)

    def _there(self, path: str) -> str | None:
        there = self.facts.workspace.files.text(path, LONGEST_SCRIPT)
        return self.made.texts.get(path) if there is None else there

    def _started(self, text: str, folder: str) -> tuple[str, ...] | None:
        found = self.of_text(text, folder)
        return found.deeds if found.sure else None

    def of_text(self, text: str, folder: str, script: Script | None = None) -> Found:
        """A script for a shell. `script`: what counts of a file."""
        self._read += 1
        if self._read > MOST_TEXTS:
            return Found()
        place = replace(self.facts.workspace, cwd=folder)
        kept = text[:LONGEST_SCRIPT]
        reader = self.facts.reader
        reader = reader if script is None else Prepared(kept, script, reader)
        inner = CallFacts(ToolCall("bash", Shell(kept)), place, reader)
        self.scripts.append(inner)
        work = self.within(inner)
        built = built_first(inner.script, folder, self.made.copy())
        passing = runs_only_made(inner.script, place, self.made.copy()) if built else False
        found = [one for one in work.deeds if not (passing and one == "runs-scratch")]
        found = [one for one in found if script is None or one != HIDES]
        sure = work.whole and len(text.encode()) < LONGEST_SCRIPT
        for need in work.needs:
            if need.deed not in (RUNS, USUAL):
                anywhere = script is not None and need.deed == REACHES and not need.name
                found += [] if anywhere or is_met(need, self.named, place) else [need.deed]
                continue
            if need.deed == RUNS and is_met(need, self.named, place):
                continue
            if need.name and absolute(need.name, need.cwd) in built:
                continue
            found += self.deeds_of(need, self.of_need(need))
            found += [RUNS] if self.is_told_far(need, inner.script) else []
        sure = sure and _W.unknowns.isdisjoint(found)
        return Found(tuple(dict.fromkeys(found)), sure)

    def _is_unread(self, path: str) -> bool:
        if path not in self._unread:
            self._unread[path] = True  # while it is read: a script may run itself
            self._unread[path] = self.unread(path)
        return self._unread[path]

    def explains(self, path: str, put: Put) -> bool:
        """Whether a file of targets was changed in nothing but what was seen to be harmless, or
        what does not run."""
        ran = {name: harmless for (file, name), harmless in self.targets.items() if file == path}
        text = self.look(path)
        if not self.targets or text is None:
            return False
        if not path.endswith("/package.json"):
            return path.rpartition("/")[2] in _TARGETS_W.recipes and bool(ran) and all(ran.values())
        listed = new_in(path, text, put, self.facts.workspace)
        return listed is not None and all(ran.get(one, True) for one in listed.scripts)

    def deeds_of(self, need: Need, found: Found | None) -> Iterator[str]:
        """What the object of a need makes of the script that runs it: what has a usual name is only
        told by what is far-reaching in it."""
        if need.name and not need.line and self._is_unread(absolute(need.name, need.cwd)):
            yield UNREAD
        told = found.deeds if found else ()
        if "commits" in told:
            yield OTHERS  # nobody has looked whose changes it takes
        if need.deed == USUAL or (found is not None and found.projects):
            yield from _far(told)
            return
        yield from (one for one in told if is_heavy(one))
        if found is None or not (found.sure or _W.unknowns.intersection(found.deeds)):
            yield RUNS


def is_heavy(name: str) -> bool:
    return deeds()[name].weight is not Weight.LIGHT


def _far(found: Sequence[str]) -> Iterator[str]:
    """Of a thing with a usual name: what nobody expects of it. What is brought in by a name is a
    package; what comes from an address and runs may be anything."""
    yield from (one for one in found if one in _W.far)
    if "runs-fetched" in found and REACHES in found:
        yield "runs-fetched"
