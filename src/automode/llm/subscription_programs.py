"""Claude Code, Codex and Gemini CLI in headless mode: their options, and what they print."""

import json
import os
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from math import isfinite
from time import time

from automode.llm.model import Prompt, Usage
from automode.llm.payload import at, count_at
from automode.llm.subscriptions import SYSTEM_FILE, Spoken, Subscription, file_bytes

DEFAULT = "default"
"""As the model's id: whatever the program takes by itself."""


def _lines(data: bytes) -> Iterator[Mapping[str, object]]:
    for line in data.splitlines():
        try:
            found: object = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _claude_arguments(model: str, folder: str, _: Mapping[str, str]) -> tuple[str, ...]:
    chosen = () if model == DEFAULT else ("--model", model)
    return (
        *("-p", "--safe-mode", "--tools", "", "--strict-mcp-config", "--setting-sources", ""),
        *("--disable-slash-commands", "--no-chrome", "--no-session-persistence"),
        *("--system-prompt-file", os.path.join(folder, SYSTEM_FILE), "--max-turns", "1"),
        *("--input-format", "stream-json", "--output-format", "stream-json", "--verbose"),
        *chosen,
    )


def _claude_objection(account: str) -> str:
    """Variables in its state file count whatever its options say, and can move the server."""
    usual = os.path.basename(account) == ".claude"
    path = os.path.join(os.path.dirname(account) if usual else account, ".claude.json")
    try:
        found: object = json.loads(file_bytes(path))
    except (OSError, ValueError, RecursionError):
        return ""
    steers = isinstance(found, dict) and bool(found.get("env"))
    return f"`env` in `{path}` would steer the judge; remove it" if steers else ""


def _claude_question(prompt: Prompt) -> str:
    parts = [{"type": "text", "text": text} for text in (prompt.context, prompt.question)]
    said = {"type": "user", "message": {"role": "user", "content": parts}}
    return json.dumps(said, ensure_ascii=False) + "\n"


def _claude_spoken(data: bytes) -> Spoken:
    spoken, tools, wait, ended = Spoken(error="it said nothing"), False, None, False
    for line in _lines(data):
        match line:
            case {"type": "assistant", "message": {"content": list(parts)}}:
                kinds = (_text(at(part, "type")) for part in parts)
                tools = tools or any(kind.endswith("tool_use") for kind in kinds)
            case {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", **rest}}:
                resets = rest.get("resetsAt")
                if isinstance(resets, int | float) and isfinite(resets):
                    wait = max(0.0, resets - time())
            case {"type": "result"} if ended:
                return Spoken(error="it gave several answers")
            case {"type": "result", "subtype": "success", "is_error": False}:
                ended = True
                spoken = Spoken(_text(line.get("result")), _claude_usage(line), _usd(line))
            case {"type": "result"}:
                ended = True
                error = _text(line.get("result")) or _text(line.get("subtype")) or "it failed"
                spoken = Spoken(error=error)
            case _:
                pass
    return Spoken(spoken.text, spoken.usage, spoken.usd, spoken.error, wait, tools)


def _claude_usage(line: Mapping[str, object]) -> Usage:
    return Usage(
        input=count_at(line, "usage", "input_tokens"),
        output=count_at(line, "usage", "output_tokens"),
        cache_read=count_at(line, "usage", "cache_read_input_tokens"),
        cache_write=count_at(line, "usage", "cache_creation_input_tokens"),
    )


def _usd(line: Mapping[str, object]) -> Decimal | None:
    try:
        found = Decimal(str(line.get("total_cost_usd")))
    except InvalidOperation:
        return None
    return found if found.is_finite() and found >= 0 else None


_CODEX_OFF = (
    *("hooks", "shell_tool", "unified_exec", "goals", "multi_agent", "view_image", "plugins"),
    *("apps", "skill_search", "sleep_tool", "tool_suggest", "image_generation", "browser_use"),
    *("computer_use", "memories"),
)
_CODEX_SETTINGS = (
    *("project_doc_max_bytes=0", "web_search=disabled", "skills.include_instructions=false"),
    *("include_environment_context=false", "include_permissions_instructions=false"),
    *("include_apps_instructions=false", "include_collaboration_mode_instructions=false"),
)
_CODEX_HARMLESS_ITEMS = ("agent_message", "reasoning", "error")


def _codex_arguments(model: str, folder: str, kept: Mapping[str, str]) -> tuple[str, ...]:
    chosen = () if model == DEFAULT else ("--model", model)
    settings = [*_CODEX_SETTINGS, f"model_instructions_file={os.path.join(folder, SYSTEM_FILE)}"]
    if "OPENAI_BASE_URL" in kept:
        moved = 'name = "moved", env_key = "CODEX_API_KEY", wire_api = "responses"'
        address = json.dumps(kept["OPENAI_BASE_URL"])
        server = f"model_providers.moved={{{moved}, base_url = {address}}}"
        settings += ["model_provider=moved", server]
    return (
        *("exec", "--ephemeral", "--ignore-user-config", "--ignore-rules"),
        *("--sandbox", "read-only", "--skip-git-repo-check", "--json", "--color", "never"),
        *(word for one in settings for word in ("-c", one)),
        *(word for one in _CODEX_OFF for word in ("--disable", one)),
        *chosen,
        "-",
    )


def _codex_spoken(data: bytes) -> Spoken:
    text, error, tools = "", "", False
    for line in _lines(data):
        match line:
            case {"type": "item.completed", "item": {"type": "agent_message", "text": str(said)}}:
                if text:
                    return Spoken(error="it gave several answers")
                text = said
            case {"type": str(what), "item": {"type": str(kind)}} if what.startswith("item."):
                tools = tools or kind not in _CODEX_HARMLESS_ITEMS
            case {"type": "turn.completed"}:
                cached = count_at(line, "usage", "cached_input_tokens")
                given = count_at(line, "usage", "input_tokens")
                made = count_at(line, "usage", "output_tokens")
                usage = Usage(max(0, given - cached), made, cache_read=cached)
                return Spoken(text, usage, used_tools=tools)
            case {"type": "turn.failed", "error": {"message": str(said)}}:
                return Spoken(error=said, used_tools=tools)
            case {"type": "error", "message": str(said)}:
                error = said
            case _:
                pass
    return Spoken(error=error or "it did not end its turn", used_tools=tools)


_GEMINI_FOLDER = ".gemini"


def _gemini_files(folder: str, kept: Mapping[str, str]) -> Mapping[str, str]:
    """A home of its own: the person's hooks, servers, extensions and memory lie in the other."""
    way = "gemini-api-key" if "GEMINI_API_KEY" in kept else "oauth-personal"
    settings = {
        "security": {"auth": {"selectedType": way}, "folderTrust": {"enabled": False}},
        "tools": {"core": ["no_tool_at_all"]},
        "hooksConfig": {"enabled": False},
        "skills": {"enabled": False},
        "experimental": {"enableAgents": False},
        "telemetry": {"enabled": False},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False, "sessionRetention": {"enabled": False}},
    }
    policy = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'
    return {
        f"{_GEMINI_FOLDER}/settings.json": json.dumps(settings),
        f"{_GEMINI_FOLDER}/.env": "",  # the first that it finds is the only one that it reads
        "no-tools.toml": policy,
    }


def _gemini_arguments(model: str, folder: str, _: Mapping[str, str]) -> tuple[str, ...]:
    chosen = () if model == DEFAULT else ("--model", model)
    return (
        *("--skip-trust", "--extensions", "none", "--allowed-mcp-server-names", "none"),
        *("--approval-mode", "default", "--policy", os.path.join(folder, "no-tools.toml")),
        *("--output-format", "json"),
        *chosen,
    )


def _gemini_spoken(data: bytes) -> Spoken:
    try:
        found: object = json.loads(data[data.find(b"{") :] or b"null")
    except (ValueError, RecursionError):
        return Spoken(error="it answered no JSON")
    tools = count_at(found, "stats", "tools", "totalCalls") > 0
    if at(found, "error") is not None:
        return Spoken(error=_text(at(found, "error", "message")) or "it failed", used_tools=tools)
    models = at(found, "stats", "models")
    usage = Usage()
    for one in models.values() if isinstance(models, dict) else ():
        cached, given = count_at(one, "tokens", "cached"), count_at(one, "tokens", "prompt")
        made = count_at(one, "tokens", "candidates") + count_at(one, "tokens", "thoughts")
        usage += Usage(max(0, given - cached), made, cache_read=cached)
    text = _text(at(found, "response"))
    return Spoken(text, usage, error="" if text else "it said nothing", used_tools=tools)


def _plain_question(prompt: Prompt) -> str:
    return f"{prompt.context}\n\n{prompt.question}\n"


CLAUDE = Subscription(
    name="claude-cli",
    title="Claude Code",
    program="claude",
    sign_in="run `claude` and type `/login`",
    recommended="haiku",
    company="Anthropic",
    status=("auth", "status"),
    account=("CLAUDE_CONFIG_DIR", ".claude", ".credentials.json"),
    moved=(
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_API_KEY",
    ),
    arguments=_claude_arguments,
    files=lambda _folder, _kept: {},
    variables=lambda _folder: {
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",  # `@/path` in a call stays text
    },
    objection=_claude_objection,
    question=_claude_question,
    read=_claude_spoken,
)
CODEX = Subscription(
    name="codex-cli",
    title="Codex",
    program="codex",
    sign_in="run `codex login`",
    recommended=DEFAULT,
    company="OpenAI",
    account=("CODEX_HOME", ".codex", "auth.json"),
    moved=("CODEX_HOME", "OPENAI_BASE_URL", "CODEX_API_KEY"),
    arguments=_codex_arguments,
    files=lambda _folder, _kept: {},
    variables=lambda folder: {"CODEX_HOME": os.path.join(folder, "codex")},
    question=_plain_question,
    read=_codex_spoken,
    links=("codex/auth.json",),
)
GEMINI = Subscription(
    name="gemini-cli",
    title="Gemini CLI",
    program="gemini",
    sign_in="run `gemini` and choose a way to sign in",
    recommended=DEFAULT,
    company="Google",
    account=("", _GEMINI_FOLDER, "oauth_creds.json"),
    moved=("GOOGLE_CLOUD_PROJECT", "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"),
    arguments=_gemini_arguments,
    files=_gemini_files,
    variables=lambda folder: {
        "GEMINI_CLI_HOME": folder,
        "GEMINI_SYSTEM_MD": os.path.join(folder, SYSTEM_FILE),
        "NO_COLOR": "1",
    },
    question=_plain_question,
    read=_gemini_spoken,
    links=(f"{_GEMINI_FOLDER}/oauth_creds.json", f"{_GEMINI_FOLDER}/google_accounts.json"),
    waits=False,  # it reads its input at once, or not at all
)
SUBSCRIPTIONS: Mapping[str, Subscription] = {one.name: one for one in (CLAUDE, CODEX, GEMINI)}
NOT_OFFERED: Mapping[str, str] = {
    "copilot-cli": "Copilot CLI cannot be the judge: its own system prompt cannot be replaced, and"
    " its hooks cannot be switched off without its sign-in",
    "qwen-cli": "Qwen Code has no subscription any more, only keys: use the key itself, under"
    " `autoMode.providers`",
}
