"""Claude Code's tool results: what their model reads of them, and how a warning comes in front."""

from collections.abc import Iterator, Mapping, Sequence

ASKING = "AskUserQuestion"
DELEGATING = frozenset({"Agent", "Task"})  # the same tool under its new and its old name

# The model is told one fixed sentence; the response repeats what the agent itself has just written.
_REPEATING = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit", ASKING})


def read_text(tool: str, response: object) -> str:
    """What the agent's model will read of a result, as far as others can have written it."""
    match response:
        case _ if tool in _REPEATING:
            return ""
        case str():
            return response
        case {"isImage": True}:
            return ""
        case {"stdout": str(out), "stderr": str(err)}:
            return f"{out}\n{err}".strip("\n")
        case {"type": "text", "file": {"content": str(text)}} | {"result": str(text), "url": str()}:
            return text
        case {"content": [*blocks]} if tool in DELEGATING:
            return "\n".join(_texts(blocks))
        case _:
            return "\n".join(_texts(response))


def warned(tool: str, response: object, warning: str) -> object | None:
    """The response in its own shape with the warning in front of its first text. None where it has
    no known place: the agent silently drops what has not the shape that it expects."""
    match response:
        case str():
            return f"{warning}\n{response}"
        case [{"type": str()}, *_] if isinstance(response, Sequence):
            return [{"type": "text", "text": warning}, *response]
        case Mapping():
            changed = _warned_part(tool, response, warning)
            return {**response, **changed} if changed else None
        case _:
            return None


def _warned_part(
    tool: str, response: Mapping[str, object], warning: str
) -> Mapping[str, object] | None:
    match response:
        case {"isImage": True} | {"backgroundTaskId": str()}:
            return None
        case {"stdout": str(out), "stderr": str()}:
            return {"stdout": f"{warning}\n{out}"}
        case {"type": "text", "file": {"content": str(text), "startLine": int(first)}}:
            return {"file": _warned_file(response["file"], text, first, warning)}
        case {"mode": "content" | "count", "content": str(found)}:
            return {"content": f"{warning}\n{found}"}
        case {"filenames": [str(first), *others]}:
            return {"filenames": [f"{warning}\n{first}", *others]}
        case {"content": [*blocks]} if tool in DELEGATING and blocks:
            return {"content": [{"type": "text", "text": warning}, *blocks]}
        case {"result": str(page), "url": str()}:
            return {"result": f"{warning}\n{page}"}
        case _:
            return None


def person_answers(tool: str, response: object) -> tuple[tuple[str, str], ...]:
    """What a person answered to the agent's own ask-the-user tool, each with its question."""
    match response:
        case {"questions": [*questions], "answers": Mapping() as answers} if tool == ASKING:
            asked = [one.get("question") for one in questions if isinstance(one, Mapping)]
            return tuple(
                (question, answer)
                for question in asked
                if isinstance(question, str) and isinstance(answer := answers.get(question), str)
            )
        case _:
            return ()


def filled_in(tool: str) -> tuple[str, ...]:
    """What the agent itself puts into the input of a call while it runs."""
    return ("answers", "annotations") if tool == ASKING else ()


def finished_child(tool: str, response: object) -> str:
    """The id of the sub-agent whose work a result is. One in the background has only begun."""
    match response:
        case {"status": "completed", "agentId": str(agent)} if tool in DELEGATING:
            return agent
        case _:
            return ""


def _warned_file(file: object, text: str, first: int, warning: str) -> Mapping[str, object]:
    """Lines are shown with their numbers: the warning is one line before the first, so that those
    of the file keep theirs."""
    known = file if isinstance(file, Mapping) else {}
    line = " ".join(warning.split())
    return {**known, "content": f"{line}\n{text}", "startLine": first - 1}


def _texts(value: object) -> Iterator[str]:
    """Every text inside, in its order; a stack, because depth is the sender's choice."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str(text):
                yield text
            case {"type": "text", "text": str(text)}:
                yield text
            case {"type": "image"}:
                pass
            case Mapping() as parts:
                waiting.extend(reversed(list(parts.values())))
            case [*parts]:
                waiting.extend(reversed(parts))
            case _:
                pass
