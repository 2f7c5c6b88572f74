"""What a call puts into files, as far as the call says it: whole texts, edits, patches, what sed
replaces."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from automode.core.tool_input import looks_like_patch
from automode.programs.awk_sed import replaced_texts, unescape
from automode.shell.script import HOLE, Command

_WHOLE = ("content", "contents", "file_text")
_OLD = ("old_string", "oldText", "old_str", "oldString")
_NEW = ("new_string", "newText", "new_str", "newString", "insert_text")
_EVERY = ("replace_all", "replaceAll")
_PATCH = ("input", "patch", "patchText", "patch_text", "diff")
_SECTION = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_FRAME = re.compile(r"\*\*\* (?:Begin Patch|End Patch|End of File)\s*|@@.*")
_SED_FLAGS = re.compile(r"-[Ern]*i(?:\.\w+)?|--in-place|-[Ern]+|-e|--regexp-extended")
_PERL_FLAGS = re.compile(r"-(?:0(?:777)?)?p?i?p?e?")
_PERL_PLAIN = re.compile(
    r"""\s*s(?P<s>[/|#!,])(?:(?!(?P=s))[^\\@]|\\.)*(?P=s)
    (?P<put>(?:(?!(?P=s))[^\\@$]|\$[0-9&]|\$\{[0-9]\}|\\[^A-MO-Za-mo-su-z])*)(?P=s)[gimsx]*\s*;?\s*""",
    re.VERBOSE,
)
_GROUP = re.compile(r"(?<!\\)&|\\[0-9]|\$[0-9&]|\$\{[0-9]\}")


@dataclass(frozen=True, slots=True)
class Put:
    """`text` takes the place of `old`, which was somewhere in the file, or of `every` one; `old`
    empty: nobody knows where."""

    text: str
    old: str = ""
    every: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """What a call makes of a file: a new text, or a file that was there with something put in."""

    puts: tuple[Put, ...]
    whole: bool = False

    def after(self, pieces: tuple[str, ...]) -> tuple[str, ...]:
        """What stands in the file of all that was put in. An edit may change what an earlier one
        put in; where that cannot be told, the earlier piece is no longer found in the file."""
        for one in self.puts:
            if one.old:
                pieces = tuple(
                    one.text if piece in one.old else piece.replace(one.old, one.text)
                    for piece in pieces
                )
            pieces = (*pieces, one.text) if one.text.strip() else pieces
        return tuple(dict.fromkeys(piece for piece in pieces if piece))


def written_by_tool(given: Mapping[str, object], name: str) -> Written | None:
    """By a tool for files, into the file that the call calls `name`; None where nobody can tell."""
    for field in _WHOLE:
        if isinstance(text := given.get(field), str):
            return Written((Put(text),), whole=True)
    for field in _PATCH:
        if isinstance(text := given.get(field), str) and looks_like_patch(text):
            return _patches(text).get(name)
    puts = tuple(_puts(given))
    return Written(puts) if puts else None


def _puts(given: Mapping[str, object]) -> Iterator[Put]:
    old = next((value for name in _OLD if isinstance(value := given.get(name), str)), "")
    every = any(given.get(name) is True for name in _EVERY)
    yield from (
        Put(value, old, every) for name in _NEW if isinstance(value := given.get(name), str)
    )
    edits = given.get("edits")
    for one in edits if isinstance(edits, list) else ():
        if isinstance(one, Mapping):
            yield from _puts(one)


def _patches(patch: str) -> Mapping[str, Written]:
    """By the names in a patch; none where a line of it is not known."""
    found: dict[str, tuple[bool, list[list[str]]]] = {}
    pieces: list[list[str]] = []
    for line in patch.splitlines():
        section = _SECTION.fullmatch(line)
        if section:
            # A file that is named twice was there at the second time.
            whole, pieces = found.get(section[2].strip(), (section[1] == "Add", []))
            found[section[2].strip()] = whole and section[1] == "Add", pieces
            pieces.append([])
        elif line.startswith("*** ") and not _FRAME.fullmatch(line):
            return {}  # moved, or nothing that is known
        elif _FRAME.fullmatch(line) or line[:1] in ("-", " "):
            pieces.append([])
        elif line[:1] == "+" and pieces:
            pieces[-1].append(line[1:])
        elif line:
            return {}
    return {
        name: Written(tuple(Put("\n".join(one)) for one in lines if any(one)), whole)
        for name, (whole, lines) in found.items()
    }


def printed_text(command: Command) -> str | None:
    """The text that a command prints, where all of it is written in the call."""
    if command.program in ("cat", "tee"):
        plain = all(word.text.startswith("-") for word in command.args) or command.program == "tee"
        fed = command.fed if plain else None
        return fed if fed is not None and HOLE not in fed else None
    if any(word.value is None for word in command.args):
        return None
    words = [word.text for word in command.args if word.text not in ("-e", "-n", "-E")]
    return " ".join(words).replace("\\n", "\n").replace("%s", "")


def replaced_in_place(command: Command) -> Written | None:
    """What `sed -i` and `perl -pi` put in, where they replace text by text and do nothing else."""
    if any(word.value is None for word in command.args):
        return None
    scripts, flags = scripts_of(command)
    known = _SED_FLAGS if command.program != "perl" else _PERL_FLAGS
    if not scripts or not all(map(known.fullmatch, flags)):
        return None
    read = _perl_texts if command.program == "perl" else replaced_texts
    found = [read(one) for one in scripts]
    texts = [text for one in found if one is not None for text in one]
    # What a group stands for was there.
    found_parts = (part for text in texts for part in _GROUP.split(text))
    parts = [part.replace("\\&", "&") for part in found_parts if part.strip()]
    return None if None in found else Written(tuple(map(Put, parts)))


def scripts_of(command: Command) -> tuple[list[str], list[str]]:
    """The scripts of sed or perl, and its other options."""
    texts = [word.text for word in command.args]
    options = [one for one in texts if one[:1] == "-"]
    after = [b for a, b in pairwise(texts) if re.fullmatch(r"-\w*e", a)]
    plain = [one for one in texts if one[:1] != "-"]
    if command.program != "perl" and not after:
        after = plain[: 2 if plain[:1] == [""] else 1]  # `sed -i '' s/a/b/ x` on a Mac
    return after, options


def _perl_texts(script: str) -> tuple[str, ...] | None:
    """Nothing but replacements: what stands behind `@` or in a pattern may be code."""
    texts: list[str] = []
    at = 0
    while at < len(script):
        found = _PERL_PLAIN.match(script, at)
        if found is None or "(?{" in found[0] or "(??" in found[0]:
            return None
        texts.append(unescape(found["put"]))
        at = found.end()
    return tuple(texts)
