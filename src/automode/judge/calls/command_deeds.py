"""Which deeds a command is: by its words, its files, its code, and what its program does."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise, takewhile

from automode.core.paths import absolute
from automode.core.workspace import Workspace
from automode.guards.guard import option_values
from automode.guards.reads.secret_reads import leads_to_credential
from automode.judge.calls import databases, file_deeds, network, packages, shown_files
from automode.judge.calls.code_deeds import (
    HIDES,
    LONGEST_CODE,
    Within,
    inline_deeds,
    is_shadowed,
    run_deed,
    steers,
)
from automode.judge.calls.file_deeds import How, Touch
from automode.judge.deeds import Weight, deeds
from automode.judge.places import where
from automode.judge.words import patterns, read_words, word_lists, word_table
from automode.programs.call_facts import CommandFacts
from automode.programs.deeds import always_undescribed
from automode.programs.row import EFFECTS, Kind, Row
from automode.programs.table import of_kind, programs
from automode.programs.use import Effect
from automode.shell.options import may_split
from automode.shell.script import HOLE, Command, Word

_P = patterns("command_deeds")
_RUNNING_P = patterns("running")
_W = word_lists("command_deeds")
# Between the plain words and the options of a command.
_MARK = " ¦ "
_RUNNERS = _W.shells | _W.interpreters
_LINE_COUNTS = _W.interpreters | network.CLIENTS
_SOCKETS = ("/dev/tcp/", "/dev/udp/")
_LETTERS = re.compile(r"-[avzrhn]{2,}")
_UNDONE = re.compile(r"--dry-?run=(?!client$|server$|true$)")
_GLOB = re.compile(r"[*?\[]")
_OPTION = re.compile(r"(?m)(?:^|\s)-")
_REACHING = Effect.RUNS | Effect.REMOTE_WRITE | Effect.SECRETS | Effect.SYSTEM
USUAL_PLACES = ("/usr/", "/bin/", "/sbin/", "/opt/homebrew/", "/opt/local/")
LONGEST_WORD = 80
MOST_WORDS = 60
MOST_NAMES = 1_000
FETCHING = frozenset("npx bunx pnpx uvx".split())
CLIENTS = of_kind("client")
# Their first word says what they do.
_OBEYING = CLIENTS | frozenset("git docker podman npm pnpm yarn make go cargo".split())
_READ = (Kind.READS, Kind.TREE, Kind.LISTS)
_NO_STARTERS = of_kind("file-tool")
_CHECKERS = of_kind("checker")
_FINDERS = of_kind("searcher") | {"find", "fd", "ls"}


def line_of(command: Command) -> str:
    """What follows the program: its plain words, a mark, its options. Long words are cut: options
    are short, and a message of a commit must not cost more than its script."""
    plain: list[str] = []
    options: list[str] = []
    skipped = False
    for word in command.args:
        text = word.text[:LONGEST_WORD].replace(HOLE, "?").replace("¦", "?").replace("\n", " ")
        if skipped:
            skipped = False
            options.append(text)
        elif text.startswith("-") and len(text) > 1:
            options.append(text)
            skipped = not plain and text in _W.valued
        else:
            plain.append(text)
    return " ".join(plain[:MOST_WORDS]) + _MARK + " ".join(options[:MOST_WORDS])


def is_heavy(known: CommandFacts) -> bool:
    """Whether the rows say of the command what needs a user's word."""
    return any(deeds()[deed].weight >= Weight.LASTING for deed in known.deeds)


def runs_inline(name: str, command: Command, line: str) -> bool:
    """Whether an interpreter is given code, and no file. What follows `-m` is the module's."""
    if name not in _W.interpreters:
        return False
    first = list(takewhile(lambda one: one[:1] == "-", (word.text for word in command.args)))
    if command.fed is None and name in _W.pythons and first:
        code = next((one for one in first if one == "-m" or one[-1:] == "c"), "")
        return code not in ("", "-m") or (not code and _P.inline.search(line) is not None)
    return command.fed is not None or _P.inline.search(line) is not None


def direct_deeds(known: CommandFacts, within: Within | None = None) -> Iterator[str]:
    """Names in `DEEDS`, the same one perhaps more than once."""
    command, workspace = known.command, known.workspace
    yield from file_deeds.of_redirects(command, workspace)
    if command.elevated:
        yield "elevates"
    if any(one.target.text.startswith(_SOCKETS) for one in command.redirects):
        yield "listens"
    if command.program == "time":
        yield from file_deeds.report_deeds(command, workspace)
    if not command.words or command.transparent:
        return
    name = command.program.removesuffix(".exe")
    line = line_of(command) if name in _LINE_COUNTS else ""
    here = name in network.CLIENTS and network.stays_here(command)
    yield from ["sends-here" if here and deed == "sends" else deed for deed in known.deeds]
    yield from _always(name)
    yield from file_deeds.deeds_of(name, command, workspace)
    yield from _about_code(name, command, line, workspace, within)
    if any(steers(one, command, workspace) for one in command.assignments):
        yield "computes-program"
    yield from _about_network(name, line, command, here=here)
    if _hides_option(known):
        yield HIDES
    if name in _W.databases and any(one.op == "<" for one in command.redirects):
        yield "changes-database"
    if name in _W.databases and command.fed is not None and known.program is not None:
        yield from known.program.deeds((*command.args, Word(command.fed)))


def _hides_option(known: CommandFacts) -> bool:
    """Whether a word that is only known when it runs may be an option that does worse than the
    rest of the command, or its sub-command: `find src "$x"`, `npm "$x"`."""
    given = known.given
    if known.program is not None and known.program.hides_verb(known.command.args):
        return True
    if given is None or not _grave_options(given.row):
        return False
    # What follows `-exec` is a command of its own. Only a word that splits can end it.
    own = list(takewhile(lambda one: given.row.effects.get(one.text) != "runs", given.args))
    unclear = [one for one in own if one.text.replace(HOLE, "…") in given.options.unclear]
    return any(HOLE in one.text for one in unclear) or any(
        may_split(one) for one in given.args if one not in given.options.operands or one in unclear
    )


_GRAVE: dict[str, bool] = {}


def _grave_options(row: Row) -> bool:
    if row.name not in _GRAVE:
        base = row.base.effect
        keys = (key for key in row.effects.values() if key == "deletes" or EFFECTS[key] & _REACHING)
        lines = ((deed, text) for deed, text in row.deeds if deed != "like")
        _GRAVE[row.name] = any(EFFECTS[key] & ~base for key in keys) or any(
            deeds()[deed].weight >= Weight.LASTING and _OPTION.search(text) for deed, text in lines
        )
    return _GRAVE[row.name]


def text_deeds(text: str) -> Iterator[str]:
    """For a script in a language that is not read: what its text looks like."""
    rows = read_words("unread_scripts")["patterns"]
    yield from (deed for deed, pattern in rows.items() if re.search(pattern, text))


def _about_code(
    name: str, command: Command, line: str, workspace: Workspace, within: Within | None
) -> Iterator[str]:
    yield from _about_program(name, command, workspace)
    if name in _W.interpreters:
        # By the name of the script: `python laZagne.py`.
        script = next(file_deeds.plain_words(command), "").rsplit("/", 1)[-1]
        always = (*_always(script), *_always(script.rpartition(".")[0]))
        yield from (deed for deed in always if deed == "attacks")
        inline = runs_inline(name, command, line)
        yield "runs-code" if inline else "runs-own"
        if inline:
            yield from inline_deeds(name, command, workspace, within)
        modules = [b.text for a, b in pairwise(command.args) if a.text == "-m"]
        if "http.server" in modules and not _serves_here(command, workspace):
            yield "listens"
        if name in _W.pythons and is_shadowed(_W.libraries & {*modules}, command, workspace):
            yield "code-acts"
    if name in _RUNNERS and _runs_what_comes_in(name, command):
        yield "runs-fetched"
    elif name in _W.shells and command.args:
        yield run_deed(next(file_deeds.plain_words(command), "."), command, workspace)
    if command.remote:
        yield "remote-shell"


def _serves_here(command: Command, workspace: Workspace) -> bool:
    """Whether what `http.server` shows to others lies in the workspace."""
    given = option_values(word.text for word in command.args)
    folders = [value for option, value in given if option in ("-d", "--directory") and value]
    at = folders[-1] if folders else "."
    return command.cwd is not None and where(at, command, workspace) not in ("near", "outside")


def _runs_what_comes_in(name: str, command: Command) -> bool:
    if command.position > 0 and name in _W.shells:
        return True
    piped = command.position > 0 and not any(w.text not in ("-", "") for w in command.args)
    return piped or any("<(" in w.text for w in command.args)


def _about_program(name: str, command: Command, workspace: Workspace) -> Iterator[str]:
    """By where the program lies."""
    first = command.words[0].text
    if HOLE in first or _GLOB.search(first, 1) or not first.isascii():
        yield "computes-program"
    elif name in ("source", "."):
        yield "runs-own" if command.args and command.args[0].value else "computes-program"
    elif "/" in first and not first.startswith(USUAL_PLACES):
        yield run_deed(first, command, workspace)


def _always(name: str) -> tuple[str, ...]:
    program = programs().get(name)
    return (*always_undescribed().get(name, ()), *(program.always if program is not None else ()))


def _about_network(name: str, line: str, command: Command, *, here: bool) -> Iterator[str]:
    if name in network.CLIENTS:
        yield "sends-here" if here else "fetches"
        if network.goes_elsewhere(command):
            yield "sends"
        if here and network.controls(command):
            yield "acts-remotely"
        elif here and _P.changing.search(line):
            yield "changes-here"
        if any(one.startswith("file:") for one in network.targets(command)):
            yield "collects"
        return
    for word in command.args:
        if word.text.startswith("/dev/tcp/"):
            yield "listens"


def rehearses(command: Command) -> bool:
    """Whether it only tells what it would do: `npm publish --dry-run`. An option that is not listed
    may have it do something all the same."""
    rows = word_table("command_deeds", "rehearses").get(command.program, frozenset[str]())
    words = [word.text for word in command.args]
    if not rows or command.assignments or any(HOLE in one for one in words):
        return False
    first = next((one for one in words if one[:1] != "-"), "")
    given = [one for one in words if one[:1] == "-"]
    options = {one.partition("=")[0] for one in given if not _LETTERS.fullmatch(one)}
    options |= {f"-{letter}" for one in given if _LETTERS.fullmatch(one) for letter in one[1:]}
    if not options <= _W.rehearsing or any(map(_UNDONE.match, given)):
        return False
    return any(
        option in {first, *options} and sub in ("", first)
        for sub, _, option in (row.rpartition(":") for row in rows)
    )


def deeds_of(known: CommandFacts, within: Within | None = None) -> Iterator[str]:
    """Names in `DEEDS`, the same one perhaps more than once."""
    command, effect, workspace = known.command, known.effect, known.workspace
    found = list(direct_deeds(known, within))
    spared = databases.spared(command, workspace)
    found = found if spared is None else [spared, *_without_changes(found)]
    if rehearses(command):
        every = (*found, *_of_effect(known, effect, found))
        yield from (deed for deed in every if deed in _W.rehearsed)
        yield from ("develops", "fetches")
    else:
        yield from found
        explained = _of_effect(known, effect, found)
        yield from explained if spared is None else _without_changes(explained)
    yield from _row_writes(known)
    if Effect.SECRETS in effect and not command.transparent:
        yield "reads-secret"
    read = [one.word.text for one in known.touched_files if one.kind in _READ]
    named = _shown_words(command)
    code = _names_in_code(command) if command.program in _W.texts_with_files else ()
    if any(leads_to_credential(one, command.cwd, workspace) for one in (*read, *named, *code)):
        yield "reads-secret"
    yield from shown_files.search_deeds(command, workspace)


def _shown_words(command: Command) -> Iterator[str]:
    """The words that may be files of which it shows something: not what it takes away or only puts
    something into, nor what it only names."""
    program = command.program
    words = file_deeds.plain_words(command)
    names = program == "git" and _W.git_names.intersection(islice(words, 1))
    if names or program in _W.listing:
        return iter(())
    if program in ("rm", "unlink"):  # a pattern may be of other files than are meant
        return (one for one in words if _GLOB.search(one))
    put = {one.path for one in file_deeds.touches(command)} if program in _W.puts else set[str]()
    return (one for one in file_deeds.plain_words(command) if one not in put)


def _without_changes(found: Iterable[str]) -> list[str]:
    return [deed for deed in found if deed not in databases.CHANGES]


def _row_writes(known: CommandFacts) -> Iterator[str]:
    """Of files that the table of programs knows to be written: `tree -o x`, `find -fprint x`."""
    command = known.command
    if command.program in file_deeds.MAY_TOUCH or command.transparent:
        return
    for one in known.touches:
        if one.kind is not Kind.WRITES or one.word.text in file_deeds.DEVICES:
            continue
        if command.program in _CHECKERS:
            yield "writes-here"  # it puts what is there in order, wherever that is
        else:
            how = How.EMPTIES if _overwrites(one.word.text, known) else How.WRITES
            touch = Touch(one.word.text, how)
            yield from file_deeds.of_touch(touch, command, known.workspace)


def _overwrites(start: str, known: CommandFacts) -> bool:
    """Whether files that begin so are written, and there are such files already."""
    if known.command.program not in _W.overwriting:
        return False
    at, files = known.command.cwd or known.workspace.cwd, known.workspace.files
    start = absolute(start, at)
    folder = start.rpartition("/")[0]
    there = [absolute(one.word.text, at) for one in known.touches if one.kind is Kind.READS]
    there += [f"{folder}/{name}" for name in files.names(folder, MOST_NAMES)]
    return any(one.startswith(start) for one in there)


def _names_in_code(command: Command) -> Iterator[str]:
    """Files that code may open: `awk 'BEGIN { getline x < "notes.txt" }'`, `awk -v f=notes.txt`,
    `sed 'r notes.txt'`."""
    for word in command.args:
        found = _P.quoted.findall(word.text[:LONGEST_CODE])
        yield from (one for pair in found for one in pair if one)
        yield word.text.rpartition("=")[2]


def writes_where_told(commands: Sequence[Command], workspace: Workspace) -> bool:
    """Whether something is written to what a builtin was given, and that lies outside: `set -- ~/x;
    echo y > "$1"`."""
    told = [word for one in commands if one.program in ("set", "read") for word in one.args]
    told += [
        redirect.target
        for one in commands
        for redirect in one.redirects
        if one.program in ("read", "mapfile", "readarray") and not redirect.writes
    ]
    if not any(
        touch.path[:1] == HOLE for one in commands for touch in file_deeds.redirect_touches(one)
    ):
        return False
    places = (where(one.text, Command(()), workspace) for one in told if "/" in one.text)
    return any(place in ("near", "outside") for place in places)


def writes_what_is_found(commands: Sequence[Command], workspace: Workspace) -> bool:
    """Whether all that is found in a folder outside is written: `grep -rl x .. | xargs sed -i`."""
    for command in commands:
        if {"xargs", "find", "fd"}.isdisjoint(command.via):
            continue
        if not any(
            HOLE in one.path and one.how is How.WRITES for one in file_deeds.touches(command)
        ):
            continue
        for one in commands:
            before = one.pipeline == command.pipeline and one.position < command.position
            finds = before or one.program in command.via
            words = file_deeds.plain_words(one) if finds and one.program in _FINDERS else ()
            if any(where(word, one, workspace) in ("near", "outside") for word in words):
                return True
    return False


def _of_effect(known: CommandFacts, effect: Effect, found: list[str]) -> Iterator[str]:
    """What the table of words has no row for, the table of programs may know."""
    command, place = known.command, known.workspace
    heaviest = max([deeds()[name].weight for name in found], default=Weight.LIGHT)
    light = heaviest is Weight.LIGHT
    if command.program in FETCHING and Effect.DEVELOPMENT not in effect:
        words = line_of(command).partition(_MARK)[0].split()
        name = command.program
        own = packages.generates(name, words, command)
        own = own or packages.is_known_checker(name, words, command)
        if not own and not packages.is_installed(name, words, command, place):
            yield "runs-fetched"
    client = command.program in CLIENTS and not _P.plans.match(line_of(command))
    if client and effect & ~Effect.REMOTE_READ and light:
        yield "deploys"  # of a service's own client what is not known to read may do anything
    if Effect.DEVELOPMENT in effect:
        yield "develops"
    if command.transparent:
        return
    yield from _unexplained_deeds(command, effect, found, heaviest)
    if effect & (Effect.WRITES | Effect.DEVELOPMENT) is Effect.WRITES and not found:
        yield from _unexplained_writes(command, place)
    unknown = Effect.UNKNOWN in effect or "runs-own" in found
    if unknown and light:
        # A script of sed puts words into texts: they are no orders.
        edits = command.program in ("sed", "gsed")
        plain = () if edits else file_deeds.plain_words(command)
        told = " ".join((command.program, *islice(plain, 3)))
        orders = () if "runs-own" in found else tuple(_orders(command))
        if any(map(_P.ends.fullmatch, orders)):
            yield "services"
        elif _P.acting.search(told) or any(map(_P.takes.fullmatch, orders)):
            yield "acts-unknown"


def _orders(command: Command) -> Iterator[str]:
    """What may tell a program to end, take away or change something: its sub-command, and long
    options."""
    if command.program not in _NO_STARTERS | _W.listing and "/" not in command.words[0].text:
        yield from islice(file_deeds.plain_words(command), 2)
        texts = (word.text for word in command.args if word.text[:2] == "--")
        yield from (text[2:].partition("=")[0] for text in texts)


def acting_words(command: Command) -> list[str]:
    """What a program that nobody described is told to do."""
    told = " ".join(islice(file_deeds.plain_words(command), 3))
    orders = [one for one in _orders(command) if _P.takes.fullmatch(one)]
    return [found.casefold() for found in (*_P.acting.findall(told), *orders)]


def _unexplained_deeds(
    command: Command, effect: Effect, found: list[str], heaviest: Weight
) -> Iterator[str]:
    """For each effect that no deed found so far accounts for, the deed that does."""
    if Effect.UNKNOWN in effect:
        yield "runs-unknown"
    reads = databases.queries(command)
    database = command.program in _W.databases and not reads
    if database and heaviest is Weight.LIGHT and effect & (Effect.UNKNOWN | Effect.WRITES):
        yield "changes-database"  # what is not known to read
    if Effect.REMOTE_WRITE in effect and heaviest < Weight.SHARED and "sends-here" not in found:
        yield "acts-remotely"
    if Effect.SYSTEM in effect and heaviest is Weight.LIGHT:
        yield "services"
    if Effect.NETWORK in effect and Effect.DEVELOPMENT not in effect and not found:
        yield "fetches"
    told_elsewhere = "xargs" in command.via and command.program in _OBEYING
    if told_elsewhere and command.program == "git" and command.args[0].text == "checkout":
        yield "discards"  # what is read may be names of files
    if not reads and (
        (Effect.RUNS in effect and _starts_around(command, effect, found))
        or (Effect.UNKNOWN in effect and _wraps(command))
        or (told_elsewhere and all(word.could_be_flag for word in command.args))
    ):
        yield "computes-program"


def _unexplained_writes(command: Command, workspace: Workspace) -> Iterator[str]:
    """It writes, and nobody told where: each path outside that it names may be the place. Code may
    name one, too: `awk '{print > "/etc/x"}'`."""
    named = (path for word in command.args for path in _P.outside_path.findall(word.text))
    places = (where(path, command, workspace) for path in islice(named, MOST_WORDS))
    if any(place in ("near", "outside") for place in places):
        yield "writes-outside"


def _starts_around(command: Command, effect: Effect, found: list[str]) -> bool:
    """Whether it starts a program where nobody would look for one."""
    if command.program in _NO_STARTERS:
        return True
    plainly = command.program in _W.builders or Effect.DEVELOPMENT in effect or found
    return not plainly and all(word.text != "--help" for word in command.args)


def _wraps(command: Command) -> bool:
    obeys = command.program in _OBEYING  # its own words say what it does
    words = islice(file_deeds.plain_words(command), 2)
    # `./shop rm 3` tells a program to take something of its own away.
    outside = _RUNNING_P.no_subcommand.search(command.text) is not None
    return not obeys and any(word in _W.wrapped and (word != "rm" or outside) for word in words)
