"""What Gemini CLI and Qwen Code, which grew out of it, say alike: calls, results, woven prompts."""

from collections.abc import Iterator, Mapping

from automode.agents.shared.fields import Fields
from automode.core.errors import BadCall
from automode.core.tool_input import input_texts

# Woven into a person's words by the agent itself; what follows the second stands in some file.
_CONTEXT, _CONTEXT_END = "<hook_context>", "</hook_context>"
_FILES = "--- Content from referenced files ---"


def called(payload: Mapping[str, object], fields: Fields) -> tuple[str, Mapping[str, object]]:
    """The tool and its input. A tool of a server goes by the server's name, whatever it is called:
    nobody can say what it does."""
    given = fields.given(payload, "tool_input")
    tool = fields.text(payload, "tool_name")
    match payload.get("mcp_context"):
        case None:
            return tool, given
        case {"server_name": str(server), "tool_name": str(name)} if server and name:
            return f"mcp__{server}__{name}", given
        case _:
            raise BadCall(f"`mcp_context` of {fields.whose} names no server", fields.hint)


def read_text(response: object) -> str:
    """What the agent's model will read of a result."""
    match response:
        case {"llmContent": content, "error": {"message": str(why)}}:
            return "\n".join((*_texts(content), why))
        case {"llmContent": content}:
            return "\n".join(_texts(content))
        case _:
            return "\n".join(input_texts(response))


def failed(response: object) -> bool:
    return isinstance(response, Mapping) and response.get("error") is not None


def typed_text(prompt: str) -> str:
    """A prompt without what the agent wove in: context of hooks, which may be our own, stands
    before it, and the files that it names behind. Where a person wrote such marks themselves, some
    of their words are lost; nothing can be won by them."""
    text = prompt.lstrip()
    while text.startswith(_CONTEXT) and _CONTEXT_END in text:
        text = text.partition(_CONTEXT_END)[2].lstrip()
    return text.partition(_FILES)[0].rstrip()


def _texts(content: object) -> Iterator[str]:
    """Pictures are base64, which nobody reads as words."""
    match content:
        case [*parts]:
            for part in parts:
                yield from _texts(part)
        case {"inlineData": _} | {"fileData": _}:
            pass
        case {"text": str(text)}:
            yield text
        case _:
            yield from input_texts(content)
