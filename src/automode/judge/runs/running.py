"""What a command runs: unnamed scripts and tests that this session wrote are what is in them."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

from automode.core.paths import absolute, exactly_within
from automode.core.session import Session
from automode.core.transcript import Outcome
from automode.core.workspace import Kind, Workspace
from automode.guards.session_files import (
    WHOLE,
    every_command,
    executed_files,
    is_picked_up,
    may_execute,
    run_files,
    written_by,
)
from automode.judge.calls.code_deeds import loaded_paths, may_be_loaded
from automode.judge.calls.file_deeds import (
    DELETERS,
    plain_words,
    touches,
)
from automode.judge.calls.needs import Named, is_met
from automode.judge.calls.packages import Need
from automode.judge.calls.tasks import RUNS, USUAL, is_test, texts_of_command
from automode.judge.calls.tool_deeds import PATH_FIELDS
from automode.judge.runs.artefacts import (
    REPLACERS,
    Artefacts,
    artefacts,
    git_parts,
    latest,
)
from automode.judge.runs.edited import after_call
from automode.judge.runs.embedded import against_examples, collected, generators
from automode.judge.runs.far import far_from
from automode.judge.runs.inside import UNREAD, Inside, Within
from automode.judge.runs.installing import Installing, brings
from automode.judge.runs.looking import only_compiles, reads_settings
from automode.judge.runs.own import LONGEST_FILE, Own, shadows
from automode.judge.runs.package_lists import Put, kind_of, new_in
from automode.judge.runs.settings_files import is_plain
from automode.judge.runs.settings_places import are_settings, led_outside
from automode.judge.runs.shell_files import is_for_itself, is_shell
from automode.judge.runs.written_code import SOURCES, UNTOLD, Far, in_code
from automode.judge.words import keys_by_word, patterns, word_lists
from automode.programs.call_facts import CallFacts
from automode.shell.script import HOLE, Command, Script

_P = patterns("running")
_W = word_lists("running")
_ARTEFACTS_W = word_lists("artefacts")
_NEEDS_W = word_lists("needs")
PYTHONS = ("python", "pypy", "uv")
MOST_LOADED = 60
LONGEST_LINE = 400
# They do what the files of a folder say.
_BUILDERS = _NEEDS_W.project | frozenset(
    "docker docker-compose podman go deno swift zig bazel".split()
)
_ACTIVATE = "/bin/activate"
_SOURCE = re.compile(r"(?<![\w./~-])[\w-][\w./-]*\.py\b")


def running_deeds(
    facts: CallFacts, needs: Sequence[Need], named: Named, session: Session, within: Within
) -> Iterator[Need]:
    """What the objects of a script make of it, each with its object. A script that nobody named is
    what is in it, and so is a file that this session wrote."""
    place, script = session.workspace, facts.script
    run = [need for need in needs if need.deed in (RUNS, USUAL)]
    unmet = [need for need in needs if need not in run and not is_met(need, named, place)]
    bring = any(map(brings, script.commands)) or any(map(reads_settings, script.commands))
    running = [command for command in script.commands if not only_compiles(command)]
    tests = any(_P.testing.search(command.text[:LONGEST_LINE]) for command in running)
    edited = _edited_files(script, place.cwd)
    executed = [one for one in executed_files(facts, session) if one not in edited]
    if not any(map(may_execute, running)):
        executed = [one for one in executed if not is_test(one)]
    built = [command for command in script.commands if command.program in _BUILDERS]
    loaded = [one for command in running for one in loaded_paths(command, place)]
    if not (run or executed or tests or built or loaded or bring):
        yield from unmet
        return
    before = artefacts(facts, session)
    written, itself = _with_call(facts, before)
    if built and _builds_foreign(script, written, place.cwd):
        yield Need("runs-cloned", "")
    seen = cache(partial(files_seen, session, named))
    shared = [path for path in written.texts if path.endswith("/conftest.py")]
    around = tuple(text for _, text in texts_of(shared, facts, session) if text)
    files = _Files(facts, within, named, before, written, itself, seen, around)
    installing = Installing(files.inside, named, before, written, files.list_texts)
    yield from (need for need in unmet if not installing.has(need))
    yield from installing.needs(script.commands)
    run = [files.inside.located(need) for need in run]
    for need in run:
        yield from _of_script(files.inside, need, (before, written), itself)
        for one in files.inside.taken() if need.deed == RUNS else ():
            running += [each for each in one.script.commands if not only_compiles(each)]
            executed += executed_files(one, session)
    yield from files.within_files(running)
    yield from files.settings()
    yield from _of_loaded(loaded, before, written)
    texts = before.texts | written.texts
    executed += [one for one in texts if any(may_be_loaded(one, path) for path in loaded)]
    tests = any(_P.testing.search(one.text[:LONGEST_LINE]) for one in running)
    if tests:
        executed += filter(_is_source_of_tests, written.texts)
    for path in dict.fromkeys(executed):
        why = files.against_running(path)
        if why is not None and not files.is_explained(path, run):
            yield Need(UNREAD, path, why=why)
    if executed or tests or run or set(built) & set(running):
        yield from files.loaded_sources(executed, _loaded_by(running))


def _loaded_by(running: Iterable[Command]) -> tuple[str, ...]:
    """The endings of what programs load: of every language, where one may start any other."""
    known = keys_by_word("running", "loads")
    found = [known.get(one.program, "") for one in running if may_execute(one)]
    return SOURCES if "" in found else tuple(end for one in found for end in one.split("|"))


def _is_source_of_tests(path: str) -> bool:
    return is_test(path) and path.endswith(SOURCES)


def _of_loaded(loaded: Iterable[str], before: Artefacts, written: Artefacts) -> Iterator[Need]:
    for one in loaded:
        if before.came_from_elsewhere(one) or written.came_from_elsewhere(one):
            yield Need("runs-fetched", one)


@dataclass(slots=True)
class _Files:
    """What is in files while the call runs, with what it runs out of them."""

    facts: CallFacts
    within: Within
    named: Named
    before: Artefacts
    written: Artefacts
    itself: Container[str]  # the files that the call writes
    seen: Callable[[], frozenset[str]]
    around: tuple[str, ...] = ()  # what stands in the session's `conftest.py`
    inside: Inside = field(init=False)

    def __post_init__(self) -> None:
        self.inside = Inside(
            self.facts, self.within, self.named, self._look, self._is_own, self.before, self._far_in
        )

    def _far_in(self, path: str, text: str) -> str | None:
        return in_code(text, None, *self._own(path), direct=True)

    def against_running(self, path: str) -> str | None:
        """What speaks against a file of the session that runs now; None for nothing."""
        own, far = self._own(path)
        if self.facts.workspace.files.kind(path) is Kind.FOLDER:
            return None
        states = _states(path, self.before, self.written, self.itself, self.facts)
        every = (_against_running(self.inside, *one, own, far) for one in states)
        return next((one for one in every if one is not None), None)

    def loaded_sources(self, executed: Sequence[str], endings: tuple[str, ...]) -> Iterator[Need]:
        """Sources of the session that what runs may load, and against which something speaks."""
        inside = self.facts.workspace.folders
        written = self.written.texts
        near = [one for one in written if any(exactly_within(one, folder) for folder in inside)]
        if endings == SOURCES:
            yield from self._loaded_scripts(one for one in near if one not in executed)
        sources = [one for one in near if one.endswith(endings)]
        for path in dict.fromkeys(sources[-MOST_LOADED:]):
            if path in executed:
                continue
            own, far = self._own(path)
            for one, now in _states(path, self.before, self.written, self.itself, self.facts):
                text = _text(path, one, self.facts.workspace, now=now)
                put = one.put.get(path)
                direct = shadows(path, self.facts.workspace)
                why = None if text is None else in_code(text, put, own, far, direct=direct)
                if why is not None:
                    yield Need(UNREAD, path, why=why)
                    break

    def _loaded_scripts(self, paths: Iterable[str]) -> Iterator[Need]:
        """Shell scripts of the session that what runs may start."""
        for path in paths:
            there = self.facts.workspace.files.text(path, LONGEST_FILE) or ""
            loaded = there != "" and is_shell(path, there) and not is_for_itself(path)
            if loaded and self.against_running(path) is not None:
                yield Need(UNREAD, path, why=UNTOLD)

    def within_files(self, running: Sequence[Command]) -> Iterator[Need]:
        """What runs of files that hold something else besides."""
        written = self.written.texts
        yield from generators(self.inside, written, self.list_texts)
        tests = any(_P.testing.search(one.text[:LONGEST_LINE]) for one in running)
        for path in collected(running, written, self.facts.workspace) if tests else ():
            own, far = self._own(path if path.endswith(".py") else f"{path}.py")
            for text, put in self.list_texts(path):
                why = against_examples(text or "", put, own, far)
                if why is not None:
                    yield Need(UNREAD, path, why=why)

    def settings(self) -> Iterator[Need]:
        """Places outside to which settings of this session lead what runs."""
        place, written = self.facts.workspace, self.written.texts
        made = {one.rpartition("/")[2].removesuffix(".py") for one in written if one[-3:] == ".py"}
        for path in filter(
            are_settings, written if any(map(reads_settings, self.facts.script.commands)) else ()
        ):
            for text, put in self.list_texts(path):
                found = led_outside(path, text or "", put, made, place)
                yield from (one for one in found if not is_met(one, self.named, place))

    def _own(self, path: str) -> tuple[Own, Far]:
        place = self.facts.workspace
        own = Own(place, path, frozenset(self.written.texts), self.around, self.seen)
        return own, far_from(own, self.facts, self.within, self.named)

    def is_explained(self, path: str, run: Sequence[Need]) -> bool:
        """Whether it holds names for what runs, and nothing runs of it but what was read."""
        if path in self.itself or self.before.texts.get(path) is None:
            return False
        commands = self.facts.remember("every-command", every_command)
        lines = {need.line for need in run}
        here = {path.casefold(): path}
        named = path.endswith("/package.json")
        return self.inside.explains(path, _put_into(path, self.before)) and all(
            texts_of_command(one) in lines or (named and not _P.runs_scripts.search(one.text))
            for one in commands
            if may_execute(one) and next(run_files(one, commands, here, self.facts.workspace), None)
        )

    def list_texts(self, path: str) -> Iterator[tuple[str | None, Put]]:
        """What may be in a list of packages when the call reads it."""
        for one, now in _states(path, self.before, self.written, self.itself, self.facts):
            text = _text(path, one, self.facts.workspace, now=now)
            yield text, _put_into(path, one)

    def _is_own(self, path: str) -> bool:
        written = path in self.before.texts or path in self.itself
        return written and self.against_running(path) is not None

    def _look(self, path: str) -> str | None:
        """What is in a file, where all of it is known."""
        if path in self.itself or self.before.came_from_elsewhere(path):
            return None
        there = self.facts.workspace.files.text(path, LONGEST_FILE)
        if there is None:
            return None if path in self.before.put else self.before.texts.get(path)
        # Else it may have been cut, within a letter too.
        return there if len(there.encode()) < LONGEST_FILE - 8 else None


def _put_into(path: str, written: Artefacts) -> Put:
    return Put(written.put.get(path), written.stood.get(path, frozenset()))


def _states(
    path: str, before: Artefacts, written: Artefacts, itself: Container[str], facts: CallFacts
) -> Iterator[tuple[Artefacts, bool]]:
    """What may be in a file when it runs: what was there before, and what the call itself writes.
    Where it fails to write, the earlier text runs."""
    if path in itself:
        yield written, True
    if path in before.texts if path in itself else not _is_gone(path, before, facts):
        yield before, False


def _is_gone(path: str, written: Artefacts, facts: CallFacts) -> bool:
    """Whether there is no such file any more, and this call brings it back by nothing."""
    inside = any(exactly_within(path, one) for one in facts.workspace.folders)
    verbs = (git_parts(one, "/")[1] for one in facts.script.commands if one.program == "git")
    back = inside and not _ARTEFACTS_W.git_changes.isdisjoint(verbs)
    if path.endswith(WHOLE) or back:
        return False
    if path in written_by(facts).values() and path in written.texts:
        return False
    if Own(facts.workspace, path).is_there():
        return facts.workspace.files.kind(path) is Kind.MISSING
    return path in written.gone


def _with_call(facts: CallFacts, before: Artefacts) -> tuple[Artefacts, frozenset[str]]:
    """What is in the files while this call runs, and those of them that it writes itself. What it
    writes twice, or after something ran, may be another text when it is run."""
    if not written_by(facts):
        return before, frozenset()
    found = before.copy()
    own: set[str] = set()
    running = False
    for command in facts.script.commands:
        found.touched = set()
        if command.program != "git" and command.program not in DELETERS:
            found.add(command, facts.workspace.cwd)
        unsure = running or command.program in REPLACERS
        for path in found.touched if unsure else found.touched & own:
            found.edit(path, None)
        own |= found.touched
        running = running or (may_execute(command) and not only_compiles(command))
    found.touched = own
    found.lose(facts)
    found.built = before.built
    return found, frozenset(own)


def _builds_foreign(script: Script, written: Artefacts, here: str) -> bool:
    """Whether a project is built or run that came from elsewhere, even by the script itself."""
    found = Artefacts(fetched=set(written.fetched))
    for command in script.commands:
        at = command.cwd or here
        folders = [at, *(absolute(one, at) for one in plain_words(command))]
        if command.program in _BUILDERS and any(map(found.builds_foreign, folders)):
            return True
        found.add(command, here)
    return False


def files_seen(session: Session, named: Named) -> frozenset[str]:
    """Files that are there: an earlier call read or changed them, or the user names them."""
    here = session.workspace.cwd
    found = {absolute(one, here) for one in _SOURCE.findall(named.told)}
    for one in latest(session):
        paths = (
            (one.input.get(name) for name in PATH_FIELDS)
            if one.outcome is not Outcome.ERROR
            else ()
        )
        found |= {absolute(path, here) for path in paths if isinstance(path, str)}
    return frozenset(found)


def _edited_files(script: Script, here: str) -> set[str]:
    """Files that perl edits in place: beside code on the command line they are no scripts."""
    return {
        absolute(touch.path, command.cwd or here)
        for command in script.commands
        if command.program == "perl"
        for touch in touches(command)
    }


def _of_script(
    inside: Inside, need: Need, states: tuple[Artefacts, Artefacts], itself: Container[str]
) -> Iterator[Need]:
    """`states`: before the call, and with what it writes itself."""
    facts, named, place = inside.facts, inside.named, inside.facts.workspace
    found = inside.of_need(need) if need.line and not _is_named(need, named, place) else None
    if need.line and (found is not None or need.deed == USUAL):
        yield from (replace(need, deed=one) for one in inside.deeds_of(need, found))
        return
    full = absolute(need.name, need.cwd)
    own = full.removesuffix(_ACTIVATE)
    earlier, written = states
    before = _before(full, facts.script, place.cwd, earlier)
    if written.came_from_elsewhere(full) or before.came_from_elsewhere(full):
        yield replace(need, deed="runs-fetched")
    elif (
        need.deed == USUAL
        and _is_own_work(need.name)
        and not _is_untouched(full, written, before.touched, place)
    ):
        unnamed = replace(need, deed=RUNS)
        yield from () if is_met(unnamed, named, place) else (unnamed,)
    elif not is_met(need, named, place) and not (
        own in earlier.built | before.built or earlier.runs_built(full) or before.runs_built(full)
    ):
        there = full in earlier.texts or place.files.kind(full) is Kind.FILE
        deeds: list[str] = []
        if full not in itself or there:  # where it fails to write, the earlier text runs
            deeds += _of_file(inside, need, earlier, now=False)
        if full in itself:
            deeds += _of_file(inside, need, written, now=True)
        deeds += [RUNS] if inside.is_told_far(need, facts.script, HOLE) else []
        yield from (replace(need, deed=name) for name in deeds)


def _is_named(need: Need, named: Named, place: Workspace) -> bool:
    """Of what has a usual name, the whole command has to be said: "run make install"."""
    if need.deed == RUNS:
        return is_met(need, named, place)
    words = [one for one in need.line if one not in ("run", need.name)]
    return any(named.has(f"{words[0]} {one}{need.name}".casefold()) for one in ("", "run "))


def _is_own_work(name: str) -> bool:
    """Whether only the project's own is usual by this name."""
    return name[:2] == "./" or name.endswith(_ACTIVATE)


def _is_untouched(full: str, written: Artefacts, now: set[str], place: Workspace) -> bool:
    """Whether it lies in the project, or is an environment that this session made, and this
    session wrote nothing below it."""
    folder = full.removesuffix(_ACTIVATE)
    inside = folder in written.built or any(exactly_within(folder, one) for one in place.folders)
    put = (*written.texts, *written.touched, *written.fetched, *now)
    return inside and not any(one.startswith(f"{folder}/") for one in put)


def _before(full: str, script: Script, here: str, written: Artefacts) -> Artefacts:
    """What the script itself compiles and fetches before it runs `full`."""
    found = Artefacts(dict(written.texts), set(written.fetched))
    for command in script.commands:
        if command.words and absolute(command.words[0].text, command.cwd or here) == full:
            break
        found.add(command, here)
    return found


def _text(full: str, written: Artefacts, place: Workspace, *, now: bool) -> str | None:
    """What is in the file, or what this session is known to have put there. `now`: this very call
    writes it, and the disk does not have it yet."""
    there = place.files.text(full, LONGEST_FILE)
    text = written.texts.get(full)
    if there is None or (now and text is not None and full not in written.put):
        return text
    # What the call puts into it is read as a part of it.
    put = () if text is None else written.put.get(full, (text,))
    return "\n".join([there, *(one for one in put if now and one not in there)])


def texts_of(
    paths: Iterable[str], facts: CallFacts, session: Session
) -> Iterator[tuple[str, str | None]]:
    """What may be in each of the files when it runs, as `_states`; None where this session or the
    call wrote it and nobody can tell."""
    before = artefacts(facts, session)
    written, itself = _with_call(facts, before)
    for path in paths:
        text = _text(path, before, session.workspace, now=False)
        if text is not None or path in before.texts:
            yield path, text
        if path in itself:
            yield path, _text(path, written, session.workspace, now=True)


def _of_file(inside: Inside, need: Need, written: Artefacts, *, now: bool) -> Iterator[str]:
    full = absolute(need.name, need.cwd)
    text = _text(full, written, inside.facts.workspace, now=now)
    found = None if text is None else inside.of_file(full, text, need.cwd)
    return inside.deeds_of(need, found)


def _against_running(
    inside: Inside,
    written: Artefacts,
    now: bool,  # noqa: FBT001 - one of the states of a file
    own: Own,
    far: Far,
) -> str | None:
    """What speaks against a file that this session wrote and that runs now; None for nothing."""
    facts, full = inside.facts, own.path
    text, put = _text(full, written, facts.workspace, now=now), written.put.get(full)
    if now and text and written.texts.get(full) is None:
        made = inside.made
        earlier = made.put.get(full) if full in made.texts else ()
        text, put = after_call(full, text, earlier, facts.script, facts.workspace.cwd)
    if not text or written.came_from_elsewhere(full):
        return UNTOLD
    test = is_test(full)
    if full.endswith(SOURCES):
        picked = is_picked_up(full) and not full.endswith(".py")
        direct = test or picked or full.endswith("/conftest.py") or full in _started_files(facts)
        return in_code(text, put, own, far, direct=direct)
    if now and not test and is_picked_up(full):
        return UNTOLD
    if kind_of(full):
        listed = new_in(full, text, _put_into(full, written), facts.workspace)
        texts = (one.text for one in facts.script.commands)
        starts = listed is not None and listed.scripts and any(map(_P.runs_scripts.search, texts))
        return UNTOLD if listed is None or starts else None
    if is_plain(full, text):
        return None
    done = inside.of_file(full, text, facts.workspace.cwd, put)
    return None if done is not None and done.is_harmless() else UNTOLD


def _started_files(facts: CallFacts) -> Iterator[str]:
    """What an interpreter, or a shell, is told to start."""
    for command in facts.script.commands:
        starts = command.program.startswith(PYTHONS) or command.program in _W.starting
        words = command.words if starts else command.words[:1]
        at = command.cwd or facts.workspace.cwd
        yield from (absolute(word.text, at) for word in words if word.value is not None)
