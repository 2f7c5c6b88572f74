"""What keeps the gate in force: its files, the hosts' switches, records of sessions.

Further ways to write a file are asked about here alone. Most of these programs seldom write, or say
only in part what they write: for other guards they are nobody's business. Here a command that names
such a file and is not a plain reader is enough.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fnmatch import translate
from itertools import islice, pairwise
from typing import NamedTuple, TypeAlias

from automode.core.paths import absolute, locate, may_match, within
from automode.core.tool_input import patched_files
from automode.core.word_lists import word_lists
from automode.core.workspace import Kind
from automode.guards.floor.agents import changed_by_agent
from automode.guards.guard import (
    CommandContext,
    Target,
    excerpt,
    is_pattern,
    option_values,
    targets,
    word_path,
    word_targets,
)
from automode.guards.own_files import (
    MANIFEST,
    MOST_SKILLS,
    filled_mod,
    in_mod,
    names_below,
    part_of_mod,
    real_skills,
)
from automode.programs.call_facts import CommandFacts
from automode.shell.options import Spec, arguments
from automode.shell.script import HOLE

_MOST_PLACES = 16
_POINTER_BYTES = 4_096
_OF_WORKTREES = (".claude/settings.json", ".claude/settings.local.json")
_WORKTREES = "/.git/worktrees/"


class WrittenPath(NamedTuple):
    """What a command may write, as it is typed."""

    text: str
    whole: bool = False  # it goes away, or something else takes its place
    fills: bool = False  # a folder into which files of unknown names are put


def sees_settings(context: CommandContext) -> str | None:
    if context.command.cwd is not None:
        return _sees_files_here(context)
    return next(filter(None, map(_sees_files_here, _anywhere(context))), None)


def _anywhere(context: CommandContext) -> Iterator[CommandContext]:
    """Where it runs is not known: it may be where the agent is, or where the script goes."""
    here = context.workspace.cwd
    moves = (one for one in context.script.commands if one.program in ("cd", "pushd"))
    places = (
        locate(word.text, here, context.workspace.files) for one in moves for word in one.args
    )
    for place in islice(dict.fromkeys((here, *places)), _MOST_PLACES):
        moved = replace(
            context, facts=CommandFacts(replace(context.command, cwd=place), context.workspace)
        )
        yield replace(moved, targets=targets(moved.facts))


def _sees_files_here(context: CommandContext) -> str | None:
    for target in context.targets:
        if _is_setting(context, target):
            return _detail(target.path)
    for written in _written_paths(context):
        path = context.path(written.text)
        if path is not None and _reaches_setting(context, written, path):
            return _detail(path)
    return changed_by_agent(context)


def _detail(path: str) -> str:
    return f"`{excerpt(path)}` belongs to the gate or to the agent's permissions"


def _reaches_setting(context: CommandContext, written: WrittenPath, path: str) -> bool:
    own = context.own
    # Most words are no such name, and then the disk is left alone.
    looked = own.may_be_named(path) and HOLE not in path
    for target in (
        word_targets(context.facts, written.text, whole=written.whole)
        if looked
        else (Target(path, path),)
    ):
        if written.fills and (own.holds(target.path) or own.holds(target.resolved)):
            return True
        if own.is_setting(path) or (looked and _is_setting(context, target)):
            return True
    return is_pattern(path) and _may_be_setting(context, path, whole=written.whole)


def _is_setting(context: CommandContext, target: Target) -> bool:
    own = context.own
    paths = {target.path, target.resolved}
    if any(own.is_setting(path) for path in paths):
        return True
    if target.whole and any(own.removed_with(path) for path in paths):
        return True
    if any(in_mod(path, own.skills, context.workspace.files) for path in paths):
        return True
    if is_pattern(target.path):
        return _may_be_setting(context, target.path, whole=target.whole)
    return _through_link(context, target.resolved) or _of_main_checkout(context, target)


def _may_be_setting(context: CommandContext, pattern: str, *, whole: bool) -> bool:
    """A pattern that can only mean one of them, or takes a hidden folder of them away. Where a
    part is not known it may mean anything, which says nothing."""
    if HOLE in pattern:
        return False
    own = context.own
    if any(may_match(pattern, one) for one in own.files):
        return True
    hidden = pattern.rpartition("/")[2].startswith(".")
    return whole and hidden and any(may_match(pattern, one) for one in own.holders)


def _through_link(context: CommandContext, path: str) -> bool:
    """Another name for the very same file, or for one that is yet to be: where the agent's folder
    is a link, its settings are created elsewhere."""
    files = context.workspace.files
    kind = files.kind(path) if HOLE not in path else Kind.OTHER
    if kind not in (Kind.FILE, Kind.MISSING):
        return False
    for top, paths in context.own.by_top.items():
        for one in paths if files.kind(top) is not Kind.MISSING else ():
            if within(path, files.resolve(one) or one):
                return True
            both = kind is Kind.FILE and files.kind(one) is Kind.FILE
            if both and files.same(path, one):
                return True
    return part_of_mod(path, real_skills(context.own.skills, files))


def _of_main_checkout(context: CommandContext, target: Target) -> bool:
    """An agent in a worktree also obeys the local settings of the checkout it belongs to."""
    if not target.resolved.casefold().endswith(_OF_WORKTREES):
        return False
    root = context.workspace.root
    pointer = context.workspace.files.text(f"{root}/.git", _POINTER_BYTES) or ""
    named = absolute(pointer.removeprefix("gitdir:").strip(), root)
    main, marked, _ = named.partition(_WORKTREES)
    paths = (target.path, target.resolved)
    return bool(marked) and any(within(path, f"{main}/.claude") for path in paths)


def sees_transcripts(context: CommandContext) -> str | None:
    for target in context.targets:
        gone = target.whole and any(
            target.path.casefold() == folder.casefold() for folder in context.own.transcripts
        )
        if gone or any(context.own.is_transcript(path) for path in (target.path, target.resolved)):
            return f"`{excerpt(target.path)}` is a record of an agent's session"
    return None


Way: TypeAlias = Callable[[CommandContext], Iterator[WrittenPath]]

_LISTS = word_lists("automode.guards.floor", "own_settings")
_LARGEST_PATCH = 1 << 20
_LONGEST_CODE = 20_000
_TREES = Spec(
    flags="rRaTvfinupzL",
    values="tS",
    long_flags=("--recursive", "--archive"),
    long_values=("--target-directory", "--suffix"),
)


def _trees(context: CommandContext) -> Iterator[WrittenPath]:
    """A folder copied or moved over another: what the source holds decides, so it is looked at."""
    given = arguments(context.args, _TREES)
    deep = given.has("-r", "-R", "-a", "--recursive", "--archive") or context.name in ("mv", "gmv")
    target = given.value("-t", "--target-directory")
    sources = [word.text for word in given.operands]
    place = target.text if target else (sources.pop() if len(sources) > 1 else "")
    made = list(_made_before(context)) if deep and place else []
    for source in sources if deep and place else ():
        origin, into = context.path(source), context.path(place)
        known = origin is not None and HOLE not in origin
        unseen = not known or any(within(path, origin or "") for path in made)
        if unseen and into is not None and filled_mod(into, context.own.skills):
            yield WrittenPath(place, fills=True)
        for goal in _goals(context, source, place, exact=given.has("-T")) if known else ():
            path = context.path(goal)
            if origin is not None and path is not None and HOLE not in path:
                yield WrittenPath(goal, fills=context.workspace.files.kind(origin) is Kind.MISSING)
                yield from map(WrittenPath, _brought(context, origin, path, made))


def _made_before(context: CommandContext) -> Iterator[str]:
    """The files that other commands of the script may make."""
    for command in context.script.commands:
        if command is not context.command:
            words = () if command.program in _LISTS["reading"] else command.args
            written = (redirect.target for redirect in command.redirects if redirect.writes)
            for word in (*words, *written):
                yield word_path(word.text, command, context.workspace)


def _goals(context: CommandContext, source: str, place: str, *, exact: bool) -> Iterator[str]:
    """A folder lands inside the place where that is a folder already, else it becomes the place."""
    name = posixpath.basename(source.rstrip("/"))
    path = context.path(place)
    content = name in ("", ".") or (context.name == "rsync" and source.endswith("/"))
    known = place.endswith("/") or (path and context.workspace.files.kind(path) is Kind.FOLDER)
    if exact or content or not known:
        yield place
    if not content:
        yield posixpath.join(place, name)


def _brought(context: CommandContext, origin: str, goal: str, made: list[str]) -> Iterator[str]:
    """Settings, and parts of plug-ins, that come with a folder `origin` to the place `goal`."""
    files = context.workspace.files
    found = {one: origin + one[len(goal.rstrip("/")) :] for one in context.own.below(goal)}
    for skills in context.own.skills:
        if len(names_below(goal, skills)) == 1:
            found[f"{goal}/{MANIFEST}"] = f"{origin}/{MANIFEST}"
        elif within(skills, goal):
            inner = origin + skills[len(goal.rstrip("/")) :]
            for name in files.names(inner, MOST_SKILLS):
                found[f"{skills}/{name}/{MANIFEST}"] = f"{inner}/{name}/{MANIFEST}"
    for one, source in found.items():
        if files.kind(source) is not Kind.MISSING or any(within(path, source) for path in made):
            yield one


def _find(context: CommandContext) -> Iterator[WrittenPath]:
    texts, files = context.texts, context.workspace.files
    first = next((i for i, text in enumerate(texts) if text[:1] in ("-", "(", "!")), len(texts))
    runs = [after for text, after in pairwise(texts) if text in ("-exec", "-execdir", "-ok")]
    acts = "-delete" in texts or any(run not in _LISTS["reading"] for run in runs)
    names = [after for text, after in pairwise(texts) if text in ("-name", "-iname")]
    pattern = re.compile("|".join(translate(name.casefold()) for name in names) or "(?!)")
    for start in (texts[:first] or ["."]) if acts else ():
        path = context.path(start)
        if path is not None:
            yield WrittenPath(start, fills=True)
            for one in context.own.below(path) if names else ():
                if (
                    pattern.match(posixpath.basename(one).casefold())
                    and files.kind(one) is Kind.FILE
                ):
                    yield WrittenPath(one)


_QUOTED = re.compile(r"""["']([^"'\n]{1,300})["']""")
_CODE_WRITES = re.compile(
    r">|\b(?:write|put_contents|unlink|rename|copy|move|delete|truncate|spew|print_?to|rm|touch"
    r"|symlink|link)|[\"'][waxr]\+?b?\+?[\"']"
)
_CODE_FILLS = re.compile(
    r"\b(?:copytree|cpSync|cp_r|extractall|unpack_archive|symlink(?:Sync|_to)?|renam(?:e|es|eSync)"
    r"|move|clone(?:_from)?)\s*\([^)]{0,300}?[\"']([^\"'\n]{1,300})[\"'][^\"')]{0,80}\)"
)
_SED_WRITES = re.compile(r"(?:^|[\s;{}/|,0-9$])[wW][ \t]+([^\n;}]+)")
_PATHSPEC = re.compile(r"^:(?:/|\(top\)|\([a-z,]*\))")
_IN_PLACE = re.compile(r"-[a-zA-Z]*i|--in-?place|--write|-w|-I|put|delete|set|--set")


def _written_paths(context: CommandContext) -> Iterator[WrittenPath]:
    """What the command may write, beyond what its program's row says."""
    special = _BY_PROGRAM.get(context.name)
    if special is not None:
        yield from special(context)
    texts = context.texts
    for index, text in enumerate(texts):
        if text[:1] != "-":
            continue
        name, equals, value = text.partition("=")
        if name in _LISTS["outputs"]:
            yield from map(WrittenPath, (value,) if equals else texts[index + 1 : index + 2])


def _git(context: CommandContext) -> Iterator[WrittenPath]:
    base, rest = _git_verb(context.texts)
    verb, given = (rest[0], rest[1:]) if rest else ("", [])
    for one in _git_written_paths(context, verb, given):
        yield WrittenPath(posixpath.join(base, one.text), one.whole, one.fills)


def _git_written_paths(
    context: CommandContext, verb: str, given: list[str]
) -> Iterator[WrittenPath]:
    paths = [_PATHSPEC.sub("", text) for text in given if not text.startswith("-")]
    match verb:
        case "checkout" | "restore":
            yield from (WrittenPath(path, fills=True) for path in paths)
        case "mv" | "clone" | "worktree" | "submodule":
            if verb == "clone" and (len(paths) < 2 or ":" in paths[-1]):
                yield WrittenPath(".", fills=True)  # into a folder of its own name
            yield from (WrittenPath(path, whole=verb == "mv", fills=True) for path in paths)
        case "rm" if "--cached" not in given:
            yield from (WrittenPath(path, whole=True) for path in paths)
        case "apply" | "am":
            yield from _patch_targets(context, given)
        case "config":
            yield from (
                WrittenPath(after)
                for name, after in option_values(given)
                if name in ("-f", "--file")
            )
        case _:
            pass


def _git_verb(texts: list[str]) -> tuple[str, list[str]]:
    """The folder of `-C`, and the words from the verb on."""
    base, at = "", 0
    while at < len(texts) and texts[at].startswith("-"):
        if texts[at] in ("-C", "--work-tree") and at + 1 < len(texts):
            base = posixpath.join(base, texts[at + 1])
        elif texts[at].startswith("--work-tree="):
            base = posixpath.join(base, texts[at].partition("=")[2])
        at += 2 if texts[at] in _LISTS["git-values"] else 1
    return base, texts[at:]


def _patch_targets(context: CommandContext, given: list[str]) -> Iterator[WrittenPath]:
    """The files that a patch names: as written, and without its first folders. The patch is fed in,
    lies in a file, or is a word: Codex takes `apply_patch` for its own tool."""
    options = list(option_values(given))
    folder = next((v for o, v in options if o in ("-d", "--directory")), "")
    inputs = [text for text in given if not text.startswith("-")]
    inputs += [redirect.target.text for redirect in context.command.redirects if redirect.op == "<"]
    inputs += [value for option, value in options if option in ("-i", "--input")]
    files = context.workspace.files
    paths = [path for text in dict.fromkeys(inputs) if (path := context.path(text)) is not None]
    patches = [files.text(path, _LARGEST_PATCH) for path in paths if HOLE not in path]
    for patch in (context.command.fed, *given, *patches):
        for name in patched_files(patch) if patch else ():
            parts = name.split("/")
            for skipped in range(min(len(parts), 4)):
                yield WrittenPath(posixpath.join(folder, *parts[skipped:]))


def _patch(context: CommandContext) -> Iterator[WrittenPath]:
    yield from _patch_targets(context, context.texts)


def _unpacks(context: CommandContext) -> Iterator[WrittenPath]:
    """Named members, and the folder to unpack into."""
    texts = context.texts
    creates = context.name in ("tar", "gtar", "bsdtar") and not any(
        text in ("--extract", "--get") or ((index == 0 or text[:1] == "-") and "x" in text)
        for index, text in enumerate(texts)
    )
    if creates:
        return
    folders = [
        value for option, value in option_values(texts) if option in ("-C", "--directory", "-d")
    ]
    folders += [text[2:] for text in texts if text[:2] in ("-o", "-C", "-d") and len(text) > 2]
    lists = any(text in _LISTS["lists"] for text in texts)
    yield from (WrittenPath(one, fills=True) for one in folders or ([] if lists else ["."]))
    yield from (
        WrittenPath(posixpath.join(folder, text))
        for folder in ("", *folders)
        for text in texts
        if not text.startswith("-")
    )


def _paths_in_code(
    pattern: re.Pattern[str], *, fills: bool = False, writing: re.Pattern[str] | None = None
) -> Way:
    """Paths that the pattern finds in code, or in code that writes."""

    def look(context: CommandContext) -> Iterator[WrittenPath]:
        for text in (*context.texts, context.command.fed or ""):
            code = text[:_LONGEST_CODE]
            if writing is None or writing.search(code):
                yield from (
                    WrittenPath(one[1].strip(), fills=fills) for one in pattern.finditer(code)
                )

    return look


def _edited_in_place(context: CommandContext) -> Iterator[WrittenPath]:
    texts = context.texts
    if any(_IN_PLACE.fullmatch(text.partition("=")[0]) for text in texts):
        yield from (WrittenPath(text.partition("=")[2] or text) for text in texts)


def _operands(context: CommandContext) -> Iterator[WrittenPath]:
    over = context.name in _LISTS["over"]
    deep = over or "-R" in context.texts or "--recursive" in context.texts
    yield from (WrittenPath(text, over, deep) for text in context.texts if text[:1] != "-")


def _gh(context: CommandContext) -> Iterator[WrittenPath]:
    given = [text for text in context.texts if not text.startswith("-")]
    if given[:2] == ["repo", "clone"]:
        yield WrittenPath(given[3] if given[3:] else ".", fills=True)


def _copied_from_afar(context: CommandContext) -> Iterator[WrittenPath]:
    yield from (WrittenPath(text, fills=True) for text in context.texts[-1:])


def _links(context: CommandContext) -> Iterator[WrittenPath]:
    """A link in the place of a folder moves everything below it elsewhere."""
    given = [text for text in context.texts if not text.startswith("-")]
    target = next(
        (v for o, v in option_values(context.texts) if o in ("-t", "--target-directory")), ""
    )
    place = target or (given[-1] if len(given) > 1 else ".")
    yield WrittenPath(place, fills=True)
    for source in given if target or len(given) == 1 else given[:-1]:
        yield WrittenPath(posixpath.join(place, posixpath.basename(source.rstrip("/"))), fills=True)


_WAYS: Mapping[str, Way] = {
    "patches": _patch,
    "unpacks": _unpacks,
    "sed": _paths_in_code(_SED_WRITES),
    # Languages without a parser here: a path in quotes, in code that writes or removes.
    "code": _paths_in_code(_QUOTED, writing=_CODE_WRITES),
    # Code that puts a whole folder somewhere: the last path it names is where.
    "tree-code": _paths_in_code(_CODE_FILLS, fills=True),
    "in-place": _edited_in_place,
    "operands": _operands,
    "over": _operands,
    "links": _links,
    "trees": _trees,
    "finds": _find,
}
_BY_PROGRAM: Mapping[str, Way] = {
    "git": _git,
    "gh": _gh,
    "scp": _copied_from_afar,
    **{name: way for kind, way in _WAYS.items() for name in _LISTS[kind]},
}
