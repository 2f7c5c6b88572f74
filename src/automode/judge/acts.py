"""What the deeds of a call are done to: command by command, or by the fields of a tool."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from automode.core.call import Shell, ToolCall, Write
from automode.core.tool_input import input_texts
from automode.core.workspace import Workspace
from automode.guards.guard import option_values
from automode.judge.calls.network import COPIERS, copied_to, is_remote
from automode.judge.calls.tasks import RUNS
from automode.judge.calls.tool_deeds import tool_words
from automode.judge.consent.objects import (
    ANY_STATE,
    KNOWN,
    LONGEST_VALUE,
    MOST_NAMES,
    NOTHING,
    Name,
    Objects,
    file_name,
    names_in_statement,
    qualifiers_of,
)
from automode.judge.reading import Reading
from automode.judge.words import patterns, word_lists, word_table
from automode.programs.table import of_kind, programs
from automode.shell.script import HOLE, Command, Script

_TOOL_DEEDS_W = word_lists("tool_deeds")
_OBJECTS_P = patterns("objects")
_P = patterns("acts")
_W = word_lists("acts")
_LABELS = frozenset({"label", "labels", "labelids"})  # of a new thing they say little
_REPOSITORIES = frozenset({"repo", "repository"})
_INVERTED = re.compile(r"-[a-zA-Z]*v|--invert-match")
_WRITING = frozenset({"edits-protected", "edits-outside", "writes-outside"})
_MESSAGE = re.compile(r"-[a-zA-Z]*m")
_REF = re.compile(r"^\+?(?:[^:]*:)?(?:refs/(?:heads|tags|remotes)/)?")
_NUMBERS = "zero|null|cero|none one two three four five six seven eight nine ten".split()
_USUAL_REMOTES = frozenset({"origin", "upstream"})
# Their first words up to a verb are sub-commands: `aws rds delete-db-instance`.
_BY_SUBCOMMAND = of_kind("client") | _W.by_subcommand
LONGEST_PATH = 4
_CODE = re.compile(r"db\.[\w.]+\(")  # of MongoDB
_MUTATION = re.compile(r"\bmutation\b[^{]*\{\s*(?:\w+\s*:\s*)?(\w+)")


def tool_objects(call: ToolCall, workspace: Workspace) -> Objects:
    words = frozenset(tool_words(call.tool))
    server = frozenset(re.split(r"[^a-z0-9]+", call.tool.casefold())) - {"mcp", ""}
    free = _W.free if "create" in words else _W.free - _LABELS
    root = workspace.root.rstrip("/").rsplit("/", 1)[-1].casefold()
    names: list[Name] = []
    values: list[str] = []
    for field, value in call.input.items():
        for text in _texts(value):
            here = field.casefold() in _REPOSITORIES and text.casefold().rsplit("/", 1)[-1] == root
            if field.casefold() not in free and not here:
                values.append(text)
                names += _tool_names(field, text, firm=bool(_TOOL_DEEDS_W.safes & server))
    if isinstance(call.action, Write) and call.action.paths:
        names = [file_name(path) for path in call.action.paths]
    # Values that say what is to be done, whatever field they stand in.
    short = [one for one in call.input.values() if isinstance(one, str) and " " not in one]
    return Objects(
        tuple(dict.fromkeys(names))[:MOST_NAMES],
        words | server,
        _qualifiers([*values, *short, *words], workspace),
        f"{call.tool} {' '.join([*values, *_becomes(call.input)])}"
        f" {'draft' if call.input.get('draft') is True else ''}",
        verbs=words & KNOWN.verbs,
    )


def _qualifiers(words: Iterable[str], workspace: Workspace) -> frozenset[str]:
    """Where the project lies says nothing of what is done; on another machine it does."""
    root = re.escape(workspace.root.rstrip("/"))
    own = re.compile(rf"(?<![\w:@/.]){root}(?![\w.-])")
    return qualifiers_of(own.sub(".", one) for one in words)


def _becomes(given: Mapping[str, object]) -> Iterator[str]:
    for field, value in given.items():
        if field.casefold() in _W.becomes and isinstance(value, str):
            yield value
        elif _P.by_number.fullmatch(field):
            yield ANY_STATE


def _tool_names(field: str, text: str, *, firm: bool) -> Iterator[Name]:
    if _OBJECTS_P.any_statement.search(text) and " " in text:
        yield from (Name(one) for one in names_in_statement(text))
    elif text.casefold() not in KNOWN.plain | KNOWN.verbs | KNOWN.kinds:
        yield Name(text[:LONGEST_VALUE], field.casefold() in _W.places, firm=firm)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str) and value:
        yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, list | tuple):
        for one in value[:MOST_NAMES]:
            yield from _texts(one)
    elif isinstance(value, Mapping):
        for one in list(value.values())[:MOST_NAMES]:
            yield from _texts(one)


@dataclass(frozen=True, slots=True)
class Acts:
    """`of`: what each deed is done to. `together`: the deeds of each command."""

    of: Mapping[str, Objects]
    together: tuple[frozenset[str], ...]


def acts_of(call: ToolCall, reading: Reading, workspace: Workspace) -> Acts:
    if reading.script is not None:
        return _of_script(reading.script, reading, workspace)
    deeds = frozenset(reading.deeds)
    objects = NOTHING if isinstance(call.action, Shell) else tool_objects(call, workspace)
    if objects is not NOTHING:
        whole = " ".join([call.tool, *input_texts(call.input)])
        objects = replace(objects, whole=whole, here=_last(workspace.root))
    return Acts(dict.fromkeys(deeds, objects), (deeds,))


def _of_script(script: Script, reading: Reading, workspace: Workspace) -> Acts:
    found: dict[str, list[Objects]] = {}
    together: list[tuple[Command, frozenset[str]]] = []
    for command, own in zip(script.commands, map(set, reading.each), strict=False):
        objects = _of_command(command, script, workspace) if own else NOTHING
        if own and not {"xargs", "find", "fd"}.isdisjoint(command.via):
            known = tuple(name for name in objects.names if HOLE not in name.text)
            feeding = _feeders(command, script, workspace)
            objects = _merge([replace(objects, names=known), *feeding])
            other = tuple(name for name in objects.names if name.text != command.program)
            objects = replace(objects, names=other)
        for deed in own:
            if deed in _WRITING:
                names = tuple(file_name(path, made=True) for path in written_paths(command))
                found.setdefault(deed, []).append(replace(objects, names=names))
            else:
                found.setdefault(deed, []).append(objects)
        together.append((command, frozenset(own)))
    if RUNS in reading.deeds:
        started = [one for one in script.commands if one.words and not one.transparent]
        found[RUNS] = [_of_command(one, script, workspace, started=True) for one in started]
    whole = " ".join(word.text for one in script.commands for word in one.words)
    return Acts(
        {
            deed: replace(_merge(some), whole=whole, here=_last(workspace.root))
            for deed, some in found.items()
            if some
        },
        tuple(_join_wrapped(together)),
    )


def _join_wrapped(commands: list[tuple[Command, frozenset[str]]]) -> Iterator[frozenset[str]]:
    """A program that starts another one does what that one does."""
    for command, own in commands:
        inner = (other for one, other in commands if command.program in one.via)
        outer = (other for one, other in commands if one.program in command.via)
        yield own.union(*inner, *outer)


def _feeders(command: Command, script: Script, workspace: Workspace) -> Iterator[Objects]:
    """What a pipeline finds is what its end is done to."""
    for one in script.commands:
        leaves_out = one.program == "grep" and any(_INVERTED.match(word.text) for word in one.args)
        before = one.pipeline == command.pipeline and one.position < command.position
        if one.program in command.via or (before and not leaves_out):
            yield _of_command(one, script, workspace)


def written_paths(command: Command) -> list[str]:
    """The files that a command writes: where its output goes, or the last of its words."""
    targets = [one.target.text for one in command.redirects if one.writes]
    words = [word.text for word in command.args if not word.text.startswith("-")]
    return [path for path in targets or words[-1:] if not path.startswith("/dev/")]


def _merge(several: list[Objects]) -> Objects:
    if len(several) == 1:
        return several[0]
    return Objects(
        tuple(dict.fromkeys(name for one in several for name in one.names)),
        frozenset().union(*(one.kinds for one in several)),
        frozenset().union(*(one.qualifiers for one in several)),
        "\n".join(one.text for one in several),
        frozenset().union(*(one.programs for one in several)),
        # Of several commands each would have to be said.
        frozenset.intersection(*(one.verbs for one in several)),
    )


def _of_command(
    command: Command, script: Script, workspace: Workspace, *, started: bool = False
) -> Objects:
    """`started`: what is run has to be named, too."""
    names: list[Name] = []
    if started and command.program not in programs():
        names.append(Name(command.words[0].text))
    kinds = {command.program.casefold()}
    words = [word.text for word in command.args]
    if command.program == "kill" and any(HOLE in word for word in words):
        words = [word for word in words if HOLE not in word] + _asked_for(script)
    # Their first word is the database in which something is done.
    first = [word for word in words if not word.startswith("-")][:1]
    database = first if command.program in ("psql", "mysql", "mongosh") else []
    for text, location in _values(command, words):
        location = (location and " " not in text) or text in database
        if text.casefold() in KNOWN.kinds:
            kinds.add(text.casefold())
        whole = command.program == "git" and "/" not in text
        firm = location and command.program == "gh"
        names += [Name(one, location, whole=whole, firm=firm) for one in _names(text, command)]
    names += _amounts(words)
    names += [Name(one) for one in _last_kind(command)]
    names += [Name(one, firm=True) for one in _receivers(command, words)]
    here = workspace.root.rstrip("/").rsplit("/", 1)[-1].casefold()
    own = command.program == "helm" and words[:1] in (["upgrade"], ["install"])
    names = [one for one in names if not ((one.location or own) and _last(one.text) == here)]
    given = [one.value.text for one in command.assignments]
    texts = [*words, *given]
    names += [Name(one) for one in names_in_statement(command.fed or "")]
    names += [
        Name(one.value.text)
        for one in command.assignments
        if HOLE in one.value.text and _P.leads.search(one.name)
    ]
    return Objects(
        tuple(dict.fromkeys(names))[:MOST_NAMES],
        frozenset(kinds),
        _qualifiers(_without_prose(command, texts), workspace),
        " ".join([command.program, *words, *(text for text in given if " " not in text)]),
        frozenset({command.program.casefold()}),
        *_said_as(command, words),
    )


def _without_prose(command: Command, texts: list[str]) -> list[str]:
    """What a title or a message tells says nothing of where the command is done."""
    prose = _W.prose | word_table("acts", "messages").get(command.program, frozenset())
    before = ["", *texts]
    return [
        one
        for option, one in zip(before, texts, strict=False)
        if option not in prose and not ("=" in one and one.partition("=")[0] in prose)
    ]


def _amounts(words: list[str]) -> Iterator[Name]:
    """How many, or how much: another number than the user's is another deed."""
    for option, value in option_values(words):
        if _P.amounts.fullmatch(option):
            for number in re.findall(r"\d+", value):
                spelled = _NUMBERS[int(number)] if int(number) < len(_NUMBERS) else number
                said = rf"(?<![\w.]){number}(?![\w.]*\d)|\b(?:{spelled})\b"
                yield Name(number, called=re.compile(said), whole=True, firm=True)


def _receivers(command: Command, words: list[str]) -> Iterator[str]:
    """Where it goes, or who gets it: another remote, another repository, other people."""
    plain = [word for word in words if not word.startswith("-")]
    if command.program == "git" and plain[:1] == ["push"]:
        yield from (one for one in plain[1:2] if one not in _USUAL_REMOTES)
    if command.program == "gh" and plain[:1] in (["pr"], ["issue"]):
        for option, value in option_values(words):
            if option in _W.people and value not in ("@me", "@copilot", "copilot"):
                yield from value.split(",")
    if command.program == "gh" and plain[:1] == ["api"]:
        for text in words:
            yield from (one for one in _MUTATION.findall(text) if not _P.on_requests.fullmatch(one))


def _asked_for(script: Script) -> list[str]:
    """Of a process that is looked up: what it is looked up by."""
    return [
        part
        for one in script.commands
        if one.program in ("lsof", "pgrep", "fuser", "ss", "netstat", "pidof")
        for word in one.args
        for part in re.findall(r"\d{2,5}\b|^[a-z][\w.-]+", word.text)
    ]


def _values(command: Command, words: list[str]) -> Iterator[tuple[str, bool]]:
    """The words that are no options, and the values that options have after a sign of equality."""
    none = frozenset[str]()
    described = KNOWN.described | word_table("objects", "also_described").get(command.program, none)
    described -= word_table("objects", "not_described").get(command.program, none)
    skipped = location = False
    for text in words[_path_length(command, words) :]:
        if skipped:
            skipped = False
        elif text.startswith("-") and len(text) > 1:
            option, equals, value = text.partition("=")
            told = option in described or (command.program == "git" and _MESSAGE.fullmatch(option))
            skipped = bool(told) and not equals
            location = option in _W.locations and not equals
            if equals and not told:
                yield value, option in _W.locations
            continue
        else:
            yield text[:LONGEST_VALUE], location
        location = False


def _path_length(command: Command, words: list[str]) -> int:
    """How many of the first words say what is to be done, and name nothing."""
    if command.program not in _BY_SUBCOMMAND:
        return 0
    for place, text in enumerate(words[:LONGEST_PATH]):
        if not re.fullmatch(r"[a-z][a-z0-9:-]*", text):
            break
        told = text.split(":") if ":" in text else text.split("-")[:1]
        if not KNOWN.verbs.isdisjoint(told):
            return place + 1
    return 0


def _said_as(command: Command, words: list[str]) -> tuple[frozenset[str], str]:
    """The verbs of its sub-command, and both as people write them."""
    path = [word.casefold() for word in words[: max(1, _path_length(command, words))]]
    parts = {part for word in path for part in re.split(r"[:_-]", word)}
    plain = all(re.fullmatch(r"[a-z][a-z:-]*", word) for word in path)
    line = " ".join([command.program.casefold(), *path]) if path and plain else ""
    return frozenset(parts & KNOWN.verbs), line


def _last_kind(command: Command) -> Iterator[str]:
    """A thing may be called like a kind of things: `kubectl delete namespace test`."""
    words = [word.text.casefold() for word in command.args if not word.text.startswith("-")]
    common = KNOWN.kinds | KNOWN.verbs
    if len(words) > 1 and words[-1] in KNOWN.kinds - KNOWN.verbs and words[-2] in common:
        yield words[-1]


def _last(path: str) -> str:
    return path.strip("/").casefold().removesuffix(".git").rsplit("/", 1)[-1]


def _names(text: str, command: Command) -> Iterator[str]:
    if " " in text or "\n" in text:
        if _OBJECTS_P.any_statement.search(text):
            yield from names_in_statement(text)
        # What another shell is told is read as commands of their own.
        elif not command.transparent and command.program not in _W.shells:
            yield from re.findall(r"[\w.@/-]*[\d_/.@-][\w.@/-]*\w", text)[:MOST_NAMES]
        return
    if _CODE.match(text):
        yield from names_in_statement(text)
        return
    if command.program == "git" and ":" in text and "//" not in text and "@" not in text:
        text = _REF.sub("", text, count=1)
    if command.program in COPIERS and is_remote(text):
        yield from copied_to(text)
        return
    text = text.lstrip("+") if text.lstrip("+").isdigit() else text
    text = text.rpartition("=")[2] if re.match(r"[A-Za-z_]\w*=", text) else text
    if _is_name(text) or (command.program in _W.of_files and text not in _W.here):
        yield text


def _is_name(text: str) -> bool:
    bare = text.strip("/").casefold()
    if not bare or bare in KNOWN.plain or text in KNOWN.plain:
        return False
    common = KNOWN.kinds | KNOWN.verbs
    return bare not in common and not all(one in common for one in re.split(r"[:_.-]", bare))
