"""Lists of what git leaves alone: a change that only adds to one shows and hides nothing that was
there, so it steers nobody."""

from automode.core.call import ToolCall, Write
from automode.core.paths import absolute, exactly_within
from automode.core.workspace import Kind, Workspace
from automode.judge.calls.written_texts import printed_text, written_by_tool
from automode.shell.script import Command, Redirect

LONGEST = 100_000
_NAME = "/.gitignore"


def only_ignores_more(full: str, call: ToolCall, workspace: Workspace) -> bool:
    """Of a tool that edits files. Where the list as it is cannot be read, nobody knows."""
    before = _text(full, workspace)
    if before is None or not isinstance(call.action, Write) or call.action.removes:
        return False
    names = [path for path in call.action.paths if absolute(path, workspace.cwd) == full]
    written = written_by_tool(call.input, names[0]) if names else None
    if written is None or any(_removes(value) for value in call.input.values()):
        return False
    after = "" if written.whole else before
    for put in written.puts:
        if put.old:
            after = after.replace(put.old, put.text)
        else:
            after += f"\n{put.text}"
    return _only_adds(before, after)


def _removes(value: object) -> bool:
    """Whether it is a patch that takes lines out."""
    patch = isinstance(value, str) and value.startswith("*** Begin Patch")
    return patch and any(line[:1] == "-" for line in str(value).splitlines())


def appends_to_list(one: Redirect, command: Command, workspace: Workspace) -> bool:
    """`echo node_modules >> .gitignore`."""
    full = absolute(one.target.text, command.cwd or workspace.cwd)
    text = printed_text(command) if one.op == ">>" and full.endswith(_NAME) else None
    before = None if text is None else _text(full, workspace)
    if text is None or before is None or "\\" in text or "%" in text:
        return False  # printf and echo make other signs of these
    return before[-1:] in ("", "\n") and _only_adds(before, f"{before}{text}")


def _text(full: str, workspace: Workspace) -> str | None:
    """What the list holds, empty where there is none; None where that is not known."""
    place = workspace.files
    inside = any(exactly_within(full, one) for one in workspace.folders)
    if not (full.endswith(_NAME) and inside) or place.resolve(full) != full:
        return None
    if place.kind(full) is Kind.FILE:
        text = place.text(full, LONGEST)
        return text if text is not None and len(text) < LONGEST else None
    return "" if place.names(workspace.root, 1) and place.kind(full) is Kind.MISSING else None


def _only_adds(before: str, after: str) -> bool:
    """Whether every rule stays, in its order, and no new one takes something out of the list."""
    old, new = _rules(before), _rules(after)
    rest = iter(new)
    kept = all(one in rest for one in old)
    return kept and not any(one[:1] == "!" and one not in old for one in new)


def _rules(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and line[:1] != "#"]
