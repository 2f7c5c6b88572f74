"""What the model of consent is asked about: each far-reaching command by itself, without what an
agent could write beside it, and only where the user's words name what it acts upon."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from automode.core.call import Other, Shell, ToolCall
from automode.core.paths import exactly_within
from automode.core.tool_input import input_texts
from automode.judge.about import NAMELIKE
from automode.judge.acts import Acts
from automode.judge.asked import Asked, names_all
from automode.judge.deeds import deeds
from automode.judge.objects import KNOWN, NOTHING, Objects
from automode.judge.reading import Reading
from automode.judge.requests import doubts
from automode.judge.tool_deeds import deed_by_verb, tool_words, unsaid_values
from automode.judge.words import patterns, word_lists, word_table
from automode.shell.script import HOLE, Command, Redirect

_W = word_lists("hearing")
_P = patterns("hearing")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")
REPEATED = 4  # words of the user's in a row, in a text that the call carries
_WILD = re.compile(r"[*?{\[<>]|\.\.(?:/|$)")
_REFSPEC = re.compile(r"^\+|\w:|^:")  # another branch than the one that is named
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Part:
    """A command, or the call of a tool, and what it does."""

    text: str
    states: Mapping[str, Asked]


def parts_to_hear(
    call: ToolCall,
    reading: Reading,
    acts: Acts,
    states: Mapping[str, Asked],
    unwanted: Sequence[str],
    messages: Sequence[str],
    root: str,
) -> tuple[Part, ...]:
    """Nothing where no words of the user's can clear the call. `unwanted`: the far-reaching deeds
    that nobody asked for."""
    if not (unwanted and messages) or not _W.by_facts.isdisjoint(states):
        return ()
    firm = [one for one in unwanted if one not in _W.loose | _W.spelled]
    if not all(names_all(deeds()[one], messages, acts.of.get(one, NOTHING)) for one in firm):
        return ()
    objects = [acts.of.get(one, NOTHING) for one in unwanted]
    if _is_hedged(messages, objects) or _does_the_opposite(messages[-1], objects):
        return ()
    if doubts(messages[-1]) or (_W.wholes & set(unwanted) and _P.contents.search(messages[-1])):
        return ()
    said = "\n".join(messages).casefold()
    if reading.script is not None:
        return tuple(_of_script(reading, acts, states, unwanted, messages, root))
    if isinstance(call.action, Shell) or (
        isinstance(call.action, Other)
        and (any(unsaid_values(call, said)) or not _says_kinds(call, said))
    ):
        return ()
    if any(_repeats(one, said) for one in input_texts(call.input)):
        return ()
    return (Part(tool_text(call), states),)


def _is_hedged(messages: Sequence[str], objects: Sequence[Objects]) -> bool:
    """Whether a sentence about what the call acts upon is no plain order; of a call that names
    nothing, any of the latest message."""
    wanted = [name.text.casefold() for one in objects for name in one.names]
    sentences = [one for text in messages for one in _SENTENCE.split(text)]
    about = [one for one in sentences if any(name in one.casefold() for name in wanted)]
    return any(_P.hedged.search(one) for one in about or _SENTENCE.split(messages[-1]))


def _does_the_opposite(message: str, objects: Sequence[Objects]) -> bool:
    """Whether the user says "enable" and the call disables."""
    said = set(_WORD.findall(message.casefold()))
    done = [one.verbs or frozenset(one.text.casefold().split()) for one in objects]
    against = word_table("asked", "opposites")
    return any(against.get(word, frozenset()) & words - said for word in said for words in done)


def _says_kinds(call: ToolCall, said: str) -> bool:
    """Whether the user has a word for each kind of thing that a tool is for: a task is no
    project."""
    kinds = (one for one in tool_words(call.tool) if one not in deed_by_verb() and len(one) > 2)
    return all(one.removesuffix("s") in said for one in kinds)


def _of_script(
    reading: Reading,
    acts: Acts,
    states: Mapping[str, Asked],
    unwanted: Sequence[str],
    messages: Sequence[str],
    root: str,
) -> list[Part]:
    script, told = reading.script, "\n".join(messages)
    said = told.casefold()
    commands = script.commands if script is not None else ()
    each = [(one, own) for one, own in zip(commands, reading.each, strict=False) if own]
    # What only the whole script does, any of its commands may do.
    loose = set(unwanted).difference(*(own for _, own in each))
    found: list[Part] = []
    for command, own in each:
        does = [name for name in states if name in own or name in loose]
        if set(unwanted).isdisjoint(does):
            continue
        there = command.cwd is not None and exactly_within(command.cwd, root)
        if not there or not _is_plain(command, said):
            return []
        own_path = {word for one in does for word in acts.of.get(one, NOTHING).path.split()}
        asked = set(unwanted) & set(does)
        if not asked <= _W.loose and not all(_is_written(one, told) for one in _names(command)):
            return []
        if asked & _W.spelled and not _spells(command, own_path, told):
            return []
        found.append(Part(command_text(command), {name: states[name] for name in does}))
    return found


def _is_plain(command: Command, said: str) -> bool:
    """Whether all that the command acts upon stands in it, as the user wrote it."""
    if (
        command.elevated
        or command.remote
        or command.assignments
        or command.environment
        or command.fed is not None
    ):
        return False
    if not {"xargs", "find", "fd", "eval", "source", "."}.isdisjoint(command.via):
        return False
    texts = [word.text for word in command.words]
    if any(
        _leads_elsewhere(one) and one.target.text.casefold() not in said
        for one in command.redirects
    ):
        return False
    return not any(
        HOLE in one
        or (not one.isascii() and one.casefold() not in said)
        or (_WILD.search(one) is not None and one.casefold() not in said)
        or (command.program == "git" and _REFSPEC.search(one) and one.casefold() not in said)
        or _repeats(one, said)
        for one in texts
    )


def _leads_elsewhere(redirect: Redirect) -> bool:
    target = redirect.target.text
    return target != "/dev/null" and not target.isdigit() and target != "-"


def _spells(command: Command, path: set[str], told: str) -> bool:
    """Whether the user wrote every word of a command but its own verbs (`path`) and kinds."""
    words = [one for one in _values(command) if one not in path and one not in KNOWN.kinds]
    return bool(words) and all(_is_written(one, told) for one in words)


def _names(command: Command) -> Iterator[str]:
    return (one for one in _values(command) if " " not in one and NAMELIKE.search(one))


def _values(command: Command) -> Iterator[str]:
    texts = (
        word.text.partition("=")[2] if word.text[:1] == "-" else word.text for word in command.args
    )
    return (one for one in texts if one)


def _is_written(name: str, told: str) -> bool:
    if " " in name:
        return all(_is_written(word, told) for word in name.split() if NAMELIKE.search(word))
    exact = NAMELIKE.search(name) is not None
    pattern = rf"(?<![\w./-]){re.escape(name)}(?![\w/-])"
    return re.search(pattern, told, 0 if exact else re.IGNORECASE) is not None


def _repeats(text: str, said: str) -> bool:
    """Whether a text takes up what the user said, to look like it."""
    words = _WORD.findall(text.casefold())
    told = f" {' '.join(_WORD.findall(said))} "
    runs = (words[at : at + REPEATED] for at in range(len(words) - REPEATED + 1))
    return any(f" {' '.join(run)} " in told for run in runs)


def command_text(command: Command) -> str:
    """Its words, without what only people read, and the files that it is led to."""
    shown: list[str] = []
    verbs = {word.text for word in command.args[:1]}
    says = command.program == "git" and not _W.git_says.isdisjoint(verbs)
    prose = _W.git_prose if says else frozenset()
    prose = _W.forge_prose if command.program in _W.forges else prose
    hidden = False
    for word in command.words:
        option, equals, _ = word.text.partition("=")
        if hidden:
            shown.append("…")
            hidden = False
        elif option in prose:
            shown.append(option)
            hidden = not equals
        else:
            shown.append(word.text)
    shown += [f"{one.op} {one.target.text}" for one in command.redirects if _leads_elsewhere(one)]
    return " ".join(shown)


def tool_text(call: ToolCall) -> str:
    fields = (f"{name}: {_told(value)}" for name, value in call.input.items())
    return f"{' '.join(tool_words(call.tool))} | {' ; '.join(fields)}"


def call_text(call: ToolCall) -> str:
    """A call as a whole, as training reads it."""
    return call.action.command if isinstance(call.action, Shell) else tool_text(call)


def _told(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
