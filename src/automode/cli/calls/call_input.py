"""A call as programs write it, one JSON object, and as people type it: a tool and its argument."""

import difflib
import json
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import BinaryIO

import click
from click.shell_completion import CompletionItem

from automode.classifier.transcript import transcript_of_row
from automode.cli.printing import standard_input, standard_output
from automode.core.errors import BadCall
from automode.core.strict_json import Ambiguous, decode
from automode.core.tool_input import canonical, harmless
from automode.core.transcript import Transcript

NOTHING_SAID = Transcript()
USAGE = 'write `{"tool": …, "input": {…}}`'
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_LINE_BYTES = 8 * 1024 * 1024
_encode = json.JSONEncoder(allow_nan=False).encode


def lines(stream: BinaryIO, longest: int = LONGEST_LINE_BYTES) -> Iterator[bytes | None]:
    """Line by line. None stands for a line over the limit, which is passed over piece by piece."""
    while line := stream.readline(longest + 1):
        if len(line) <= longest or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(longest)
        yield None


def open_input(file: str) -> AbstractContextManager[BinaryIO]:
    """`-` is standard input."""
    return nullcontext(standard_input()) if file == "-" else open(file, "rb")


async def answer_lines(
    file: str, answer: Callable[[bytes | None, int], Awaitable[dict[str, object]]]
) -> None:
    """One line of JSON out for each line in, numbered from 1. At once, unless nobody can be waiting
    for it: who reads a plain file is not."""
    output = standard_output()
    with open_input(file) as stream:
        try:
            at_once = not os.path.isfile(stream.fileno())
        except (OSError, ValueError):
            at_once = False
        for number, line in enumerate(lines(stream), start=1):
            output.write(_encode_answer(await answer(line, number)) + b"\n")
            if at_once:
                output.flush()
    output.flush()  # here, where a full disk is still an error that can be reported


def _encode_answer(fields: dict[str, object]) -> bytes:
    try:
        return _encode(fields).encode()
    except (RecursionError, ValueError):
        return _encode(fields | {"id": None}).encode()  # an id that cannot be written down


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """`cwd` and `home` are None where the object does not say."""

    tool: str
    input: Mapping[str, object]
    cwd: str | None = None
    home: str | None = None
    transcript: Transcript = NOTHING_SAID


def decode_json(data: bytes, what: str, hint: str = USAGE, *, marked: bool = False) -> object:
    """The JSON value in `data`. Raises BadCall about `what` where two readers could see two values.

    `marked`: a byte order mark may stand in front."""
    try:
        text = (data.removeprefix(_BYTE_ORDER_MARK) if marked else data).decode()
    except UnicodeDecodeError as error:
        raise BadCall(f"{what} is not UTF-8", "save it as UTF-8") from error
    return decode_json_text(text, what, hint)


def decode_json_text(text: str, what: str, hint: str = USAGE) -> object:
    try:
        return decode(text)
    except Ambiguous as error:
        raise BadCall(f"{what} {error}", "send plain JSON, each key once") from error
    except RecursionError as error:
        raise BadCall(f"{what} is nested too deeply", "send a flatter one") from error
    except ValueError as error:
        raise BadCall(f"{what} is not JSON", hint) from error


def written_call(value: object) -> WrittenCall:
    """The call that a decoded JSON object describes. Raises BadCall for any other value."""
    if not isinstance(value, dict):
        raise BadCall("a call is a JSON object", USAGE)
    tool, given = _tool_and_input(value)
    said = value.get("messages") or value.get("prior_calls")
    return WrittenCall(
        tool,
        given,
        _text(value, "cwd"),
        _text(value, "home"),
        _transcript(value) if said else NOTHING_SAID,
    )


def _tool_and_input(value: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    tool, given, command = value.get("tool"), value.get("input"), value.get("command")
    if command is not None and given is not None:
        raise BadCall("both `input` and `command` in a call", "give one of them")
    if command is not None:
        tool, given = "bash" if tool is None else tool, {"command": command}
    if not isinstance(tool, str) or not tool.strip() or "\0" in tool:
        raise BadCall("no `tool` in a call", "give the tool's name as text")
    if not isinstance(given, dict):
        raise BadCall(
            f"no `input` in a call of `{tool[:60]}`", "give the tool's input as an object"
        )
    return tool, given


def _text(value: Mapping[str, object], field: str) -> str | None:
    text = value.get(field)
    if text is None or text == "":
        return None
    if not isinstance(text, str) or "\0" in text:
        raise BadCall(f"`{field}` of a call is not a text without NUL bytes", "leave it out")
    return text


def _transcript(value: Mapping[str, object]) -> Transcript:
    """Messages of the user and earlier calls. There is no slot for what an agent says, and what
    a machine says in the user's place is none of the user's words."""
    said = [text for message in _list(value, "messages") for text in _texts(message)]
    return transcript_of_row(
        [{"role": "user", "content": text} for text in said],
        [_earlier(call) for call in _list(value, "prior_calls")],
    )


def _earlier(call: object) -> Mapping[str, object]:
    if not isinstance(call, dict):
        raise BadCall("an entry of `prior_calls` is no object", "give `tool` and `input`")
    tool, given = _tool_and_input(call)
    return {"tool": tool, "input": given, "outcome": call.get("outcome")}


def _list(value: Mapping[str, object], field: str) -> list[object]:
    found = value.get(field)
    if found is None:
        return []
    if not isinstance(found, list):
        raise BadCall(f"`{field}` of a call is no list", "give a list, or leave it out")
    return found


def _texts(message: object) -> Iterator[str]:
    """What the message has the user say: one text, or none where somebody else speaks."""
    if isinstance(message, str):
        yield message
        return
    if not isinstance(message, dict):
        raise BadCall("an entry of `messages` is neither text nor object", "give texts")
    if message.get("role", "user") != "user":
        return
    content = message.get("content", message.get("text"))
    blocks = content if isinstance(content, list) else [content]
    texts = [block.get("text") if isinstance(block, dict) else block for block in blocks]
    if not all(isinstance(text, str) for text in texts):
        raise BadCall("an entry of `messages` holds no text", "give its text as `content`")
    yield "\n".join(str(text) for text in texts)


TOOLS: Mapping[str, str] = {
    "bash": "a bash script",
    "powershell": "a PowerShell script",
    "cmd": "a script for cmd.exe",
    "read": "look at a file",
    "write": "create or replace a file",
    "edit": "change a file",
    "grep": "search below a path",
    "find": "list files below a path",
    "ls": "list a folder",
    "web_fetch": "fetch an address",
    "web_search": "search the web",
    "agent": "hand work to another agent",
}
"""The names that rules use; every host's own spelling is understood too."""

_SHELLS = ("bash", "powershell", "cmd")
_FILES = ("read", "write", "edit", "grep", "find", "ls")
_TEXTS = {"web_fetch": "url", "web_search": "query", "agent": "prompt"}


def complete_tool(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The known names; any other text is a tool's name too, so this only suggests."""
    return [
        CompletionItem(tool, help=meaning)
        for tool, meaning in TOOLS.items()
        if tool.startswith(incomplete.casefold())
    ]


def _nearly_a_tool(name: str) -> bool:
    """A tool that we know, or one that is misspelled."""
    return bool(difflib.get_close_matches(canonical(name), TOOLS, n=1, cutoff=0.85))


def is_program(words: Sequence[str]) -> bool:
    """Whether typed words are a shell command, not a tool and its argument."""
    tool, *rest = words
    if tool.startswith(("mcp__", "mcp:")) or harmless(tool) or _nearly_a_tool(tool):
        return False
    return bool(rest) and " " not in tool and not rest[0].lstrip().startswith("{")


def typed_call(tool: str, argument: str | Sequence[str]) -> WrittenCall:
    """A tool and its argument, or a shell command, as a person types them. Raises BadCall."""
    words = (argument,) if isinstance(argument, str) else argument
    if is_program((tool, *words)):
        return WrittenCall("bash", {"command": [tool, *words]})
    if " " in tool.strip() and not words:
        return WrittenCall("bash", {"command": tool})
    return WrittenCall(tool, typed_input(tool, words))


def typed_input(tool: str, words: Sequence[str]) -> Mapping[str, object]:
    """The input of the tool that the typed words mean. Raises BadCall when they mean none."""
    kind = canonical(tool)
    if not words:
        return _input_without_words(tool, kind)
    if kind in _SHELLS:
        return {"command": words[0] if len(words) == 1 else list(words)}
    if len(words) == 1 and words[0].lstrip().startswith("{"):
        value = decode_json_text(words[0], f"the input of `{tool}`", "quote it as one argument")
        if isinstance(value, dict):
            return value
        raise BadCall(f"the input of `{tool}` is no JSON object", 'write `{"name": "value"}`')
    if kind in _FILES:
        return {"file_path": words[0]} if len(words) == 1 else {"paths": list(words)}
    if kind in _TEXTS:
        return {_TEXTS[kind]: " ".join(words)}
    near = difflib.get_close_matches(kind, TOOLS, n=1)
    usage = 'give the input of other tools as a JSON object: `{"name": "value"}`'
    hint = f"did you mean `{near[0]}`?" if near else usage
    raise BadCall(f"no input for the tool `{tool}`", hint)


def _input_without_words(tool: str, kind: str) -> Mapping[str, object]:
    if kind in ("ls", "grep", "find") or kind not in TOOLS:
        return {}
    raise BadCall(f"nothing to decide: `{tool}` needs an argument", f"it is for: {TOOLS[kind]}")
