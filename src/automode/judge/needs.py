"""What the user has to name before a call does it: files, machines, packages and scripts."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from automode.core.call import Fetch, Other, ToolCall, Write
from automode.core.paths import absolute, exactly_within
from automode.core.tool_input import input_texts, patched_files
from automode.core.tools import meant_paths
from automode.core.workspace import Workspace
from automode.guards.reads.credentials import may_be_credential
from automode.judge import file_deeds, network, tasks
from automode.judge.file_deeds import How, is_product, redirect_touches, touches
from automode.judge.mentions import Named
from automode.judge.network import host_of, is_here, strangers_in
from automode.judge.tool_deeds import BREAKS, LONGEST_VERB, VERBS, tool_words
from automode.judge.words import patterns, word_lists
from automode.programs.call_facts import CommandFacts
from automode.programs.use import Effect
from automode.shell.script import HOLE, Command

_TOOL_DEEDS_W = word_lists("tool_deeds")

_P = patterns("needs")
_W = word_lists("needs")

_NUMBER = r"[\d.:x%+<>!^@,-]+[a-zA-Z%]{0,3}"
_WORD = r"[\w.:-]+"
# A chain of filters that read no file.
_STEP = (
    r"(?:\[[\w:]+\])*(?:scale|crop|pad|fps|setpts|a?trim|a?fade|volume|loudnorm|transpose|[hv]flip|"
    r"palettegen|paletteuse|split|concat|setsar|setdar|format|eq|unsharp|atempo|overlay|a?null|"
    r"a?reverse|rotate|hue|negate|tile|thumbnail|amix|aresample)(?:=[\w=:.*/+()'-]*)?(?:\[[\w:]+\])*"
)
_FILTER = rf"{_STEP}(?:[,;]{_STEP})*"
_ENDING = r"[\w-]*\.(?:png|jpe?g|webp)"
_COLOUR = r"#[0-9a-fA-F]{3,8}|[a-z]+"


@dataclass(frozen=True, slots=True)
class _Converter:
    """`valued`: options with what their values look like. `out`: options that name what is made;
    without one it is the last word. `alone`: it changes the files that it is given."""

    plain: frozenset[str]
    valued: Mapping[str, re.Pattern[str]]
    out: frozenset[str] = frozenset()
    alone: bool = False


def _converter(plain: str, numbers: str = "", words: str = "", **given: object) -> _Converter:
    valued = {one: re.compile(_NUMBER) for one in numbers.split()}
    valued |= {one: re.compile(_WORD) for one in words.split()}
    valued |= {one: re.compile(_FILTER) for one in str(given.get("filters", "")).split()}
    valued |= {one: re.compile(_COLOUR) for one in str(given.get("colours", "")).split()}
    valued |= {one: re.compile(_ENDING) for one in str(given.get("endings", "")).split()}
    out = frozenset(str(given.get("out", "")).split())
    return _Converter(frozenset(plain.split()), valued, out, alone=given.get("alone") is True)


_MAGICK = _converter(
    "-strip -trim +repage -auto-orient -flip -flop -negate -normalize -monochrome -append +append"
    " -coalesce -flatten -verbose -quiet",
    "-resize -thumbnail -crop -extent -quality -density -rotate -blur -sharpen -depth -colors"
    " -delay -loop -border -geometry -scale -sample -shave",
    "-gravity -interlace -colorspace -format -type -alpha -filter -dispose -layers",
    colours="-background -fill -bordercolor",
)
_CONVERTERS: Mapping[str, _Converter] = {
    "cwebp": _converter(
        "-lossless -mt -quiet -v -af -exact -noalpha -progress",
        "-q -m -size -resize -crop -z -alpha_q -near_lossless -psnr -segments -f",
        "-preset -metadata",
        out="-o",
    ),
    "dwebp": _converter("-quiet -v -mt -flip", "-scale -crop -resize", out="-o"),
    "gif2webp": _converter("-lossy -mixed -quiet -v -mt", "-q -m -f", out="-o"),
    "avifenc": _converter("-l --lossless", "-q --qcolor --qalpha -s --speed -j --jobs --min --max"),
    "ffmpeg": _converter(
        "-y -n -an -vn -sn -dn -hide_banner -shortest -nostdin -nostats",
        "-ss -to -t -crf -b:v -b:a -r -s -q:v -q:a -qscale:v -ar -ac -g -frames:v -vframes -threads"
        " -level -aspect -fs -maxrate -bufsize -loop -qmin -qmax",
        "-c -c:v -c:a -c:s -codec -codec:v -codec:a -vcodec -acodec -preset -tune -pix_fmt"
        " -movflags -profile:v -loglevel -v -map -map_metadata -vsync",
        filters="-vf -af -filter:v -filter:a -filter_complex -lavfi",
    ),
    "pngquant": _converter(
        "--force -f --skip-if-larger --strip --verbose -v --nofs",
        "--quality --speed -s --posterize",
        endings="--ext",
        out="--output -o",
        alone=True,
    ),
    "optipng": _converter(
        "-o1 -o2 -o3 -o4 -o5 -o6 -o7 -quiet -silent -v -fix -preserve", "-strip", alone=True
    ),
    "oxipng": _converter("-Z -a -p -q -v --strip", "-o --opt -t", out="--out", alone=True),
    "jpegoptim": _converter(
        "--strip-all -s -t -q -v -p --all-progressive --preserve --totals",
        "-m --max --size -S --threshold",
        out="-d --dest",
        alone=True,
    ),
    "svgo": _converter(
        "--multipass --pretty -r --recursive -q", "-p --precision", out="-o --output"
    ),
    "rsvg-convert": _converter(
        "-a --keep-aspect-ratio",
        "-w --width -h --height -d -p -z --zoom",
        "-f --format",
        out="-o --output",
    ),
    **dict.fromkeys(
        ("dot", "neato", "fdp", "circo", "twopi"),
        _converter("-Tsvg -Tpng -Tpdf -Tjpg -Tgif -O -v -q", "-Gdpi", out="-o"),
    ),
    "gifsicle": _converter(
        "-O1 -O2 -O3 --optimize -b --batch --careful",
        "--lossy --colors --scale --resize --delay",
        out="-o --output",
    ),
    **dict.fromkeys(("convert", "magick"), _MAGICK),
}
# They read the whole folder that they are given.
_OF_FOLDERS = frozenset({"svgo"})


def converts(command: Command, workspace: Workspace) -> bool:
    known = _CONVERTERS.get(command.program)
    if known is None or "/" in command.words[0].text or command.assignments or command.elevated:
        return False
    texts = [word.text for word in command.args]
    if any(HOLE in one for one in texts):
        return False
    read = _files(texts, known, command.program)
    if read is None:
        return False
    at = command.cwd or workspace.cwd
    return bool(read) and all(_is_own(one, at, command.program, workspace) for one in read)


def _files(texts: list[str], known: _Converter, program: str) -> list[str] | None:
    """What is read and made; None where a word is not listed."""
    found: list[str] = []
    words = iter(texts)
    for text in words:
        option, equals, value = text.partition("=")
        if text == "-i" or (program in _OF_FOLDERS and text in ("-f", "--folder")):
            found.append(next(words, ""))
        elif option in known.out:
            found.append(value if equals else next(words, ""))
        elif option in known.valued:
            if not known.valued[option].fullmatch(value if equals else next(words, "")):
                return None
        elif text[:1] in "-+":
            if text not in known.plain:
                return None
        else:
            found.append(text)
    return found


def _is_own(path: str, at: str, program: str, workspace: Workspace) -> bool:
    """Whether it is plainly a file of the project: no address, no list, no format in front."""
    if not re.fullmatch(r"[\w./ ()@%+-]+", path) or path[:1] in "-@":
        return False
    full = absolute(path, at)
    if file_deeds.where(full, Command(()), workspace) not in ("here", "generated", "scratch"):
        return False
    folder = program in _OF_FOLDERS | {"jpegoptim"} and "." not in path.rsplit("/", 1)[-1]
    is_media = folder or _P.media.search(path) is not None
    return (
        is_media
        and not file_deeds.steers(full, workspace)
        and not may_be_credential(full, workspace.home)
    )


STEERS, REACHES = "steers-unnamed", "reaches-unnamed"
_ONLY_LOOKS = frozenset({"--check", "--stat", "--numstat", "--summary", "--dry-run", "--abort"})
LONGEST_SOUGHT = 20_000


@dataclass(frozen=True, slots=True)
class Need:
    """`deed`: what the call is where the user's words do not name the object."""

    deed: str
    name: str  # of the object
    cwd: str = ""  # where a script is looked for

    def met(self, named: Named, workspace: Workspace) -> bool:
        if self.deed in (tasks.RUNS, tasks.USUAL):
            return self.deed == tasks.USUAL or named.script(self.name)
        if self.deed == tasks.INSTALLS:
            return named.package(self.name)
        if self.deed == REACHES:
            return named.host(self.name)
        inside = any(exactly_within(self.name, one) for one in workspace.folders)
        return named.file(self.name, workspace.home, inside=inside)


def needs_of(known: CommandFacts) -> Iterator[Need]:
    command, effect, workspace = known.command, known.effect, known.workspace
    if command.remote:
        return
    at = command.cwd or workspace.cwd
    if not converts(command, workspace):
        found = tasks.unusual(known)
        yield from (Need(one.deed, one.name, at) for one in found)
    if command.program in _W.project and Effect.RUNS in effect:
        folders = (at, *_led_to(command, at))
        yield from (Need(tasks.RUNS, one, one) for one in folders if _elsewhere(one, workspace))
    yield from (Need(REACHES, host) for host in network.reached_hosts(command, effect))
    yield from _patch_needs(command, at, workspace)
    for touch in (*touches(command), *redirect_touches(command)):
        full = absolute(touch.path, at)
        builds = touch.how is How.BUILDS and file_deeds.steers(full, workspace)
        if touch.path and (builds or touch.how in (How.WRITES, How.EMPTIES)):
            yield from written_needs(full, workspace)


def _led_to(command: Command, at: str) -> Iterator[str]:
    """The projects that options point at."""
    words = [word.text for word in command.args]
    for word, following in pairwise([*words, ""]):
        option, equals, value = word.partition("=")
        if option in _W.leads and (value if equals else following):
            yield absolute(value if equals else following, at)


def _elsewhere(folder: str, workspace: Workspace) -> bool:
    place = file_deeds.where(folder, Command(()), workspace)
    return place in ("scratch", "outside") and HOLE not in folder


def _patch_needs(command: Command, at: str, workspace: Workspace) -> Iterator[Need]:
    """A patch changes whatever files it names."""
    texts = [word.text for word in command.args]
    applies = command.program == "patch" or texts[:1] in (["apply"], ["am"])
    if command.program not in ("git", "patch") or not applies or _ONLY_LOOKS & set(texts):
        return
    if command.fed is not None:
        for path in patched_files(command.fed):
            yield from written_needs(absolute(path, at), workspace)
    else:
        files = [one for one in texts[1:] if one[:1] != "-"]
        files += [one.target.text for one in command.redirects if one.op == "<"]
        yield from (Need(STEERS, absolute(one, at)) for one in files[-1:] or ["?"])


def written_needs(full: str, workspace: Workspace) -> Iterator[Need]:
    """Of a file that is written."""
    outside = file_deeds.where(full, Command(()), workspace) == "outside"
    planned = full.startswith("/dev/") or file_deeds.PLAN.search(full) is not None
    planned = planned or is_product(full, workspace)
    if not planned and HOLE not in full and (outside or file_deeds.steers(full, workspace)):
        yield Need(STEERS, full)


def holds_secret(text: str, named: Named) -> bool:
    """Whether it has a secret that the user did not write."""
    return any(
        found[0].casefold() not in named.said for found in _P.secret.finditer(text[:LONGEST_SOUGHT])
    )


_HOST_FIELDS = frozenset("url uri host hostname endpoint server address domain target".split())
_SAME = {
    word: words
    for words in (
        ("repository", "repo", "repositories"),
        ("pull", "pr", "request"),
        ("request", "pr", "mr"),
        ("document", "doc", "page"),
        ("issue", "ticket", "bug", "pr"),
        ("comment", "reply", "replies"),
        ("event", "meeting", "appointment", "calendar"),
        ("money", "payment", "bill", "amount", "transfer", "refund", "rent"),
        ("message", "slack", "chat", "dm"),
        ("directory", "folder"),
    )
    for word in words[:1]
}


def tool_needs_of(call: ToolCall, workspace: Workspace) -> Iterator[Need]:
    """What the user has to name before a tool that is no shell does it."""
    match call.action:
        case Write(paths):
            for path in paths:
                for full in meant_paths(path, workspace):
                    yield from written_needs(full, workspace)
        case Fetch() | Other():
            for text in input_texts(call.input):
                yield from _reached_needs(text)
            yield from (Need(REACHES, host_of(text)) for text in _hosts(call.input))
        case _:
            return


def _reached_needs(text: str) -> Iterator[Need]:
    for url in strangers_in(text):
        yield Need(REACHES, host_of(url))


def _hosts(given: Mapping[str, object]) -> Iterator[str]:
    """Addresses without a scheme, in fields that take one."""
    for field, value in given.items():
        if field.casefold() in _HOST_FIELDS and isinstance(value, str):
            bare = value and "://" not in value and " " not in value and value[0] not in "/.~"
            if bare and not is_here(host_of(value)):
                yield value


def names_object(call: ToolCall, named: Named) -> bool:
    """Whether the user's words name what a tool of a service changes: the things in its name, the
    service, or a value. What deletes, pays or lets somebody in has to be named as a thing."""
    words = tool_words(call.tool)
    deeds = {VERBS.get(word, "") for word in words} - {"", "reads-service"}
    things = [word for word in words if word not in VERBS and len(word) > 2]
    if deeds & {"deletes-in-service", "grants", "pays"}:
        return bool(things) and all(_says(named, word) for word in things)
    around = [word.casefold() for word in BREAKS.split(call.tool) if len(word) > 2]
    server = [word for word in around if word not in VERBS and word not in (*things, "mcp")]
    if not _says_verb(named, words):
        return False
    things = [word for word in things if word not in _W.general]
    given = {
        field: value
        for field, value in call.input.items()
        if field.casefold() not in _TOOL_DEEDS_W.prose
    }
    values = [one for one in input_texts(given) if 3 < len(one) < LONGEST_VERB]
    return any(_says(named, word) for word in things or server) or any(
        named.has(value.casefold()) for value in values
    )


_CREATES = (
    r"creat|add|insert|append|writ|sav|put|upload|submit|regist|mak|mad|generat|record|cop(?:y|ies)|"
    r"import|open|fil[ei]|log|rais|draft|post|new|repl|respond|propos|build|design|draw|not|set|start|"
    r"schedul|book|push|commit|request|track|publish|send|show|implement|document|"
    r"approv|review"
)
_UPDATES = (
    r"updat|edit|set|modif|chang|patch|configur|appl|mark|mov|renam|assign|transition|complet|clos|"
    r"resolv|label|add|remov|put|fix|reopen|finish|adjust|turn|enabl|disabl|schedul|fill|replac|correct|"
    r"tag|priorit|mak|writ|rewrit|refresh|sync|link|drag|done|improv|convert|switch|clean|implement|"
    r"design|tweak|align"
)
_SAID_AS = {
    **dict.fromkeys(
        "create add insert append write save put upload submit register make generate record copy"
        " import upsert".split(),
        re.compile(rf"\b(?:{_CREATES})"),
    ),
    **dict.fromkeys(
        "update edit set modify change patch move apply mark rename complete transition"
        " replace configure upsert".split(),
        re.compile(rf"\b(?:{_UPDATES})"),
    ),
    "assign": re.compile(r"\b(?:assign|giv|hand|mak|set|put)"),
    "merge": re.compile(r"\b(?:merg|land|ship)"),
}


def _says_verb(named: Named, words: tuple[str, ...]) -> bool:
    """Whether the user's words have the verb of a tool's name, or one that means the same. A word
    that nobody knows as a verb has to be said itself."""
    verbs = [word for word in words if word in VERBS]
    if not verbs or any(map(named.word, verbs)):
        return bool(verbs) or any(map(named.word, words[:1]))
    kinds = [_SAID_AS[word] for word in verbs if word in _SAID_AS]
    return not kinds or any(kind.search(named.said) for kind in kinds)


def _says(named: Named, word: str) -> bool:
    return any(named.word(one) for one in _SAME.get(word.casefold(), (word.casefold(),)))
