"""What the user has to name before a call does it, and whether their words name it.

A word for the deed is not enough for a script that may do anything, or a file that steers what runs
later: its own name has to be there, in a sentence that neither forbids nor asks about it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from automode.core.call import Fetch, Other, ToolCall, Write
from automode.core.paths import absolute, exactly_within
from automode.core.tool_input import input_texts
from automode.core.tools import meant_paths
from automode.core.workspace import Workspace
from automode.guards.guard import option_values
from automode.guards.reads.secret_reads import leads_to_credential
from automode.judge.calls import file_deeds, network, tasks
from automode.judge.calls.command_deeds import rehearses
from automode.judge.calls.file_deeds import (
    How,
    Touch,
    acting_redirects,
    is_product,
    redirect_touches,
    touches,
)
from automode.judge.calls.ignore_lists import only_ignores_more
from automode.judge.calls.network import is_called_in, strangers_in, urls_in
from automode.judge.calls.new_env import makes_env, makes_env_by_tool
from automode.judge.calls.packages import EVERYTHING, Need, real_name
from automode.judge.calls.patches import known_paths
from automode.judge.calls.tool_deeds import (
    BREAKS,
    LONGEST_VERB,
    deed_by_verb,
    is_plain_note,
    tool_words,
)
from automode.judge.consent.requests import takes_back
from automode.judge.hosts import host_of, is_here
from automode.judge.places import where
from automode.judge.words import keys_by_word, patterns, read_words, word_lists, word_table
from automode.programs.call_facts import CommandFacts
from automode.programs.use import Effect
from automode.shell.script import HOLE, Command

_P = patterns("needs")
MOST_KEPT = 256
LONGEST_CONFIGURATION = 20_000
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_INSTEAD = re.compile(r"\b(?:instead of|rather than)\b")
_ASKS = re.compile(r"\?\s*$")
_BARE = 3  # words beside a name that say nothing of it
_DENIES = re.compile(
    r"\b(?:no|not|never|except|without|outside|instead|nicht|kein\w*)\b|n['\u2019]t\b"
)
_PARTS = re.compile(r"[^a-z0-9]+")
# A file in a folder of the home that programs take nothing from.
_HOME_FOLDER = re.compile(r"~/(?!bin/|\.)[^/]+/[^/.][^/]*")
_MORE = re.compile(r"\w[^\w\s]\w|_|\d")
_REMOTE_URL = re.compile(r"^\s*(?:url|pushurl)\s*=\s*(\S+)", re.MULTILINE)
SHORTEST_STEM = 3
_ABROAD = ("global", "globally", "home", "system", "machine")
_INSTRUCTIONS = ("claude.md", "agents.md", "gemini.md", "qwen.md")
_TOOL_DEEDS_W = word_lists("tool_deeds")
_W = word_lists("needs")
# They read the whole folder that they are given.
_OF_FOLDERS = frozenset({"svgo"})
STEERS, REACHES = "steers-unnamed", "reaches-unnamed"
LONGEST_SOUGHT = 20_000
_MAY_RUN = Effect.RUNS | Effect.UNKNOWN


@dataclass(frozen=True, slots=True)
class Named:
    """`said`: the sentences of the user that may ask for something, without regard to case; `told`:
    those as well that only ask about something."""

    said: str
    told: str = ""
    hosts: frozenset[str] = frozenset()

    def script(self, name: str) -> bool:
        """A path, a target, a program or a package."""
        path = name.casefold().removeprefix("./").rstrip("/")
        if path == "production":
            return any(self.word(word) for word in ("prod", "production", "live"))
        last = path.rsplit("/", 1)[-1]
        if self.has(path) or ("." in last and self.has(last)):
            return self._is_to_run(last)
        stem = last.rpartition(".")[0] or last
        words = [word for word in _PARTS.split(stem) if word]
        if len(words) > 1:
            return all(self.word(word) for word in words)
        named = len(stem) >= SHORTEST_STEM and self.word(stem)
        return named and _P.runs.search(self.said) is not None

    def _is_to_run(self, name: str) -> bool:
        """Whether some sentence with the name says to run it, or what it is to be run for."""
        sentences = [one for one in _SENTENCE.split(self.said) if name in one]
        beside = [" ".join(word for word in one.split() if name not in word) for one in sentences]
        return any(_P.purpose.search(one) or len(one.split()) < _BARE for one in beside)

    def package(self, name: str) -> bool:
        if name == EVERYTHING:
            return _P.packages.search(self.said) is not None
        bare = real_name(name.casefold())
        if "/" in bare and not bare.startswith("@"):
            return self.has(bare)  # somebody's repository
        scope, _, last = bare.removeprefix("@").rpartition("/")
        # `@type/react` is another package than `@types/react`.
        called = not scope or scope in word_lists("packages").scopes or self.has(scope)
        return self.has(bare) or (called and len(last) >= SHORTEST_STEM and self.has(last))

    def file(self, path: str, home: str, *, inside: bool = True, gone: bool = False) -> bool:
        """A file that steers what runs later, or one outside of the workspace. Many files there
        have one name: the folder has to be named too, unless it is a dotfile."""
        full = path.casefold()
        short = full.replace(home.casefold(), "~", 1) if home else full
        folder, _, last = full.rpartition("/")
        if last == ".gitignore" and _P.ignores.search(self.said):
            return True
        skill = _P.skill.search(full)
        if skill is not None:
            return self.word("skill") or self.has(skill[1] or skill[2])
        forms = [full, short, last, last.removeprefix(".")]
        if not inside and not last.startswith("."):
            forms = [full, short, f"{folder.rsplit('/', 1)[-1]}/{last}"]
            abroad = self.has(last) and any(map(self.word, _ABROAD))
            plain = _HOME_FOLDER.fullmatch(short) is not None and not gone
            return abroad or any(map(self.has, forms)) or (plain and self._in_home(short))
        if any(f"/{last}" in f"/{one}" for one in _INSTRUCTIONS):
            forms += [
                f"{last.rpartition('.')[0]} {word}" for word in ("md", "file", "instructions")
            ]
        if any(self.has(form) for form in forms if len(form) >= SHORTEST_STEM):
            return True
        if not gone and self._by_words(folder.rpartition("/")[2], last):
            return True
        if last.startswith(".pre-commit-config.") and _P.hooks_asked.search(self.said):
            return True
        return _P.ci.search(full) is not None and _P.workflow.search(self.said) is not None

    def _in_home(self, short: str) -> bool:
        """Whether one sentence has the words of the file and of its folder: "the report on my
        desktop"."""
        _, folder, name = short.split("/")
        return self._one_sentence(_PARTS.split(f"{folder} {name.rpartition('.')[0] or name}"))

    def _by_words(self, folder: str, name: str) -> bool:
        """Whether one sentence has the words of the file and of a folder of tools, in any order:
        "the vscode task", "the staging deploy workflow", "all workflows"."""
        if folder[:1] != "." and folder not in _W.of_tools:
            return False
        stem = name.lstrip(".").rpartition(".")[0] or name
        words = [one for one in _PARTS.split(f"{folder} {stem}") if one]
        if "*" in stem:
            words = [*_PARTS.split(folder), "all"]
        return self._one_sentence(words)

    def _one_sentence(self, words: Iterable[str]) -> bool:
        wanted = [_word(one.removesuffix("s")) for one in words if one]
        sentences = _SENTENCE.split(self.said)
        return any(all(word.search(one) for word in wanted) for one in sentences)

    def host(self, host: str) -> bool:
        if not host:
            return False
        if is_here(host) or host in self.hosts:
            return True
        bare = re.escape(host.removeprefix("www."))
        named = re.search(rf"(?:^|[^\w.-]|www\.){bare}(?![\w-]|\.\w)", self.told) is not None
        if named or not self.said:
            return named
        plain = [one for one in _SENTENCE.split(self.said) if not _DENIES.search(one)]
        return is_called_in(host, "\n".join(plain))

    def has(self, text: str) -> bool:
        """As a whole: not as a part of a longer name."""
        start = self.said.find(text)
        while start >= 0:
            before, after = self.said[start - 1 : start], self.said[start + len(text) :][:2]
            if not _continues(before) and not _goes_on(after):
                return True
            start = self.said.find(text, start + 1)
        return False

    def word(self, word: str) -> bool:
        return _word(word).search(self.said) is not None


def _word(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z0-9]){re.escape(word)}(?:s|es|ed|ing)?(?![a-z0-9])")


def _continues(before: str) -> bool:
    return before.isalnum() or (before in ("_", "-", ".") and before != "")


def _goes_on(after: str) -> bool:
    first, second = after[:1], after[1:]
    return first.isalnum() or first in ("_", "-") or (first in (".", "@", ":") and second.isalnum())


def named_by(messages: tuple[str, ...], hosts: Iterable[str] = ()) -> Named:
    return Named(*_kept_said(messages), frozenset(hosts))


def _sentences_of(messages: tuple[str, ...]) -> tuple[str, str]:
    since = max((place for place, one in enumerate(messages) if takes_back(one)), default=0)
    every = (one for text in messages[since:] for one in _SENTENCE.split(text.casefold()))
    every = (_INSTEAD.split(one)[0] for one in every)
    told = [one for one in every if not _P.forbids.search(one)]
    said = [one for one in told if not _ASKS.search(one) or _P.requests.match(one)]
    return "\n".join(said), "\n".join(told)


_kept_said = lru_cache(maxsize=MOST_KEPT)(_sentences_of)


def remote_hosts(workspace: Workspace) -> frozenset[str]:
    """The machines that the project's own remotes are on."""
    text = workspace.files.text(f"{workspace.root}/.git/config", LONGEST_CONFIGURATION) or ""
    return frozenset(host for url in _REMOTE_URL.findall(text) if (host := host_of(url)))


def hosts_in(texts: Iterable[str]) -> frozenset[str]:
    """The machines that the person's own settings name."""
    plain = re.compile(r"(?<![\w@./-])[a-z0-9-]+(?:\.[a-z0-9-]+)+(?![\w-])", re.IGNORECASE)
    found = (
        host
        for text in texts
        for one in (*urls_in(text), *plain.findall(text))
        if (host := host_of(one))
    )
    return frozenset(found)


@cache
def _converters() -> Mapping[str, Mapping[str, frozenset[str]]]:
    rows = read_words("converters")
    return {
        name: {kind: frozenset(options.split()) for kind, options in row.items()}
        for names, row in rows.items()
        for name in names.split()
    }


def converts(command: Command, workspace: Workspace) -> bool:
    known = _converters().get(command.program)
    if known is None or "/" in command.words[0].text or command.assignments or command.elevated:
        return False
    texts = [word.text for word in command.args]
    if any(HOLE in one for one in texts):
        return False
    read, at = _files(texts, known, command.program), command.cwd
    if not read or at is None:  # nobody knows what lies in an unknown folder
        return False
    return all(_is_own(one, at, command.program, workspace) for one in read)


def _files(texts: list[str], known: Mapping[str, frozenset[str]], program: str) -> list[str] | None:
    """What is read and made; None where a word is not listed."""
    found: list[str] = []
    words = iter(texts)
    for text in words:
        option, equals, value = text.partition("=")
        if text == "-i" or (program in _OF_FOLDERS and text in ("-f", "--folder")):
            found.append(next(words, ""))
        elif text[:1] not in ("-", "+"):
            found.append(text)
        elif text not in known["plain"]:
            kind = next((kind for kind, options in known.items() if option in options), "plain")
            value = value if equals else next(words, "")
            if kind == "out":
                found.append(value)
            elif kind == "plain" or not getattr(_P, kind).fullmatch(value):
                return None
    return found


def _is_own(path: str, at: str, program: str, workspace: Workspace) -> bool:
    """Whether it is plainly a file of the project: no address, no list, no format in front."""
    if not re.fullmatch(r"[\w./ ()@%+-]+", path) or path[:1] in "-@":
        return False
    full = absolute(path, at)
    if where(full, Command(()), workspace) not in ("here", "generated", "scratch"):
        return False
    folder = program in _OF_FOLDERS | {"jpegoptim"} and "." not in path.rsplit("/", 1)[-1]
    is_media = folder or _P.media.search(path) is not None
    return (
        is_media
        and not file_deeds.steers(full, workspace)
        and not leads_to_credential(full, at, workspace)
    )


def is_met(need: Need, named: Named, workspace: Workspace) -> bool:
    """Whether the user's words name the object."""
    if need.deed in (tasks.RUNS, tasks.USUAL):
        return need.deed == tasks.USUAL or named.script(need.name)
    if need.deed == tasks.INSTALLS:
        return named.package(need.name)
    if need.deed == REACHES:
        return named.host(need.name)
    inside = any(exactly_within(need.name, one) for one in workspace.folders)
    return named.file(need.name, workspace.home, inside=inside, gone=need.gone)


def needs_of(known: CommandFacts) -> Iterator[Need]:
    command, effect, workspace = known.command, known.effect, known.workspace
    if command.remote:
        return
    at = command.cwd or workspace.cwd
    if not converts(command, workspace) and not rehearses(command):
        yield from (_placed(one, command, at) for one in tasks.unusual(known))
    if command.program in _W.project and Effect.RUNS in effect:
        folders = (at, *_led_to(command, at))
        yield from (Need(tasks.RUNS, one, one) for one in folders if _elsewhere(one, workspace))
    if effect & _MAY_RUN and _led_anywhere(known, at, workspace):
        yield Need(tasks.RUNS, HOLE)  # which nobody can name
    yield from (Need(REACHES, host) for host in network.reached_hosts(command, effect))
    redirected = redirect_touches(acting_redirects(command, workspace))
    for touch in (*touches(command), *redirected, *_taken_by_git(command)):
        full = absolute(touch.path, at)
        written = touch.how in (How.WRITES, How.EMPTIES)
        if written and makes_env(touch.path, command, workspace):
            continue
        if touch.path and (written or _was_steering(full, workspace)):
            found = written_needs(full, workspace)
            yield from (replace(one, gone=not written) for one in found)


def _placed(need: Need, command: Command, at: str) -> Need:
    """Where nobody knows the folder, a name tells nothing of what runs."""
    if command.cwd is None:
        return replace(need, cwd=HOLE, line=())
    surely = need.deed == tasks.USUAL or not command.elsewhere
    return replace(need, cwd=at, line=need.line if surely else ())


def _taken_by_git(command: Command) -> Iterator[Touch]:
    words = [word.text for word in command.args if word.text[:1] != "-"]
    if command.program == "git" and words[:1] in (["rm"], ["mv"]):
        yield from (Touch(path, How.DELETES) for path in words[1:])


def _was_steering(full: str, workspace: Workspace) -> bool:
    """A hook that is gone steers too. What a tool makes again, and a lock left behind, do not."""
    made = where(full, Command(()), workspace) in ("generated", "scratch")
    return not made and not full.endswith(".lock") and file_deeds.steers(full, workspace)


def _led_to(command: Command, at: str) -> Iterator[str]:
    """The projects that options point at."""
    for option, value in option_values(word.text for word in command.args):
        if option in _W.leads and value:
            yield absolute(value, at)


def _led_anywhere(known: CommandFacts, at: str, workspace: Workspace) -> bool:
    """Whether it works in a folder, or by a file, that is only known when it runs and may lie
    outside the workspace."""
    command, rows = known.command, known.program.rows if known.program else ()
    if command.cwd is not None and not any(HOLE in word.text for word in command.args):
        return False  # nearly all: every word is known
    if not any(row.develops or row.installs for row in rows):
        return False  # what it runs is not what lies in the folder
    leads = _W.leads if command.program in _W.project else _W.folders
    leads = leads.union(*(row.folder | row.foreign for row in rows))
    given = (word.text for word in command.args)
    return command.cwd is None or any(
        value[:1] == HOLE or not exactly_within(absolute(known_part, at), workspace.root)
        for option, value in _glued_values(given)
        if option in leads and (known_part := value.partition(HOLE)[0]) != value
    )


def _glued_values(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Options with their values, also those of a letter in the same word: `-C$x`."""
    for option, value in option_values(texts):
        yield option, value
        if option[:1] == "-" and option[1:2] != "-":
            yield option[:2], option[2:]


def _elsewhere(folder: str, workspace: Workspace) -> bool:
    place = where(folder, Command(()), workspace)
    return place in ("scratch", "outside") and HOLE not in folder


def patch_needs(commands: Sequence[Command], workspace: Workspace) -> Iterator[Need]:
    """A patch changes whatever files it names."""
    for command, paths in known_paths(commands, workspace):
        at = command.cwd or workspace.cwd
        if command.remote:
            continue
        if paths is None:
            files = [one for one in file_deeds.plain_words(command) if one != "apply"]
            files += [one.target.text for one in command.redirects if one.op == "<"]
            yield from (Need(STEERS, absolute(one, at)) for one in files[-1:] or ["?"])
        for path in paths or ():
            yield from written_needs(absolute(path, at), workspace)


def written_needs(full: str, workspace: Workspace) -> Iterator[Need]:
    """Of a file that is written."""
    outside = where(full, Command(()), workspace) == "outside"
    planned = full.startswith("/dev/") or file_deeds.PLAN.search(full) is not None
    planned = planned or is_product(full, workspace)
    if not planned and HOLE not in full and (outside or file_deeds.steers(full, workspace)):
        yield Need(STEERS, full)


def secrets_in(text: str) -> Iterator[str]:
    """What looks like a secret, in small letters."""
    return (found[0].casefold() for found in _P.secret.finditer(text[:LONGEST_SOUGHT]))


def tool_needs_of(call: ToolCall, workspace: Workspace) -> Iterator[Need]:
    """What the user has to name before a tool that is no shell does it."""
    match call.action:
        case Write(paths):
            for path in paths:
                for full in meant_paths(path, workspace):
                    if only_ignores_more(full, call, workspace) or makes_env_by_tool(
                        full, call, workspace
                    ):
                        continue
                    if not is_plain_note(full, call, workspace) or any(
                        secrets_in("\n".join(input_texts(call.input)))
                    ):
                        yield from written_needs(full, workspace)
        case Fetch() | Other():
            for text in input_texts(call.input):
                yield from (Need(REACHES, host_of(url)) for url in strangers_in(text))
            yield from (Need(REACHES, host_of(text)) for text in _hosts(call.input))
        case _:
            return


def _hosts(given: Mapping[str, object]) -> Iterator[str]:
    """Addresses without a scheme, in fields that take one."""
    for field, value in given.items():
        if field.casefold() in _W.host_fields and isinstance(value, str):
            bare = value and "://" not in value and " " not in value and value[0] not in "/.~"
            if bare and not is_here(host_of(value)):
                yield value


def names_object(call: ToolCall, named: Named) -> bool:
    """Whether the user's words name what a tool of a service changes: the things in its name, the
    service, or a value. What deletes, pays or lets somebody in has to be named as a thing."""
    words = tool_words(call.tool)
    deeds = {deed_by_verb().get(word, "") for word in words} - {"", "reads-service"}
    things = [word for word in words if word not in deed_by_verb() and len(word) > 2]
    given = {
        field: value
        for field, value in call.input.items()
        if field.casefold() not in _TOOL_DEEDS_W.prose
    }
    values = [one for one in input_texts(given) if 3 < len(one) < LONGEST_VERB]
    if deeds & {"deletes-in-service", "grants", "pays"}:
        return _spells_all(given, named) or (
            bool(things) and all(_says(named, word) for word in things)
        )
    around = [word.casefold() for word in BREAKS.split(call.tool) if len(word) > 2]
    server = [
        word for word in around if word not in deed_by_verb() and word not in (*things, "mcp")
    ]
    if not _says_verb(named, words):
        return False
    things = [word for word in things if word not in _W.general]
    return any(_says(named, word) for word in things or server) or any(
        named.has(value.casefold()) for value in values
    )


def _spells_all(given: Mapping[str, object], named: Named) -> bool:
    """Whether the user wrote every value as it is, and one of them is more than a word."""
    values = [one.casefold() for one in input_texts(given) if one]
    return all(map(named.has, values)) and any(_MORE.search(one) for one in values)


def _says_verb(named: Named, words: tuple[str, ...]) -> bool:
    """Whether the user's words have the verb of a tool's name, or one that means the same. A word
    that nobody knows as a verb has to be said itself."""
    verbs = [word for word in words if word in deed_by_verb()]
    if not verbs or any(map(named.word, verbs)):
        return bool(verbs) or any(map(named.word, words[:1]))
    said_as = keys_by_word("needs", "said_as")
    kinds = [getattr(_P, said_as[word]) for word in verbs if word in said_as]
    return not kinds or any(kind.search(named.said) for kind in kinds)


def _says(named: Named, word: str) -> bool:
    word = word.casefold()
    return any(named.word(one) for one in word_table("needs", "same").get(word, (word,)))
