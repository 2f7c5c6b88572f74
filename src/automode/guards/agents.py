"""Starting another agent with its checks switched off."""

from collections.abc import Mapping

from automode.guards.guard import Guard, Sight, shown, words

_FLAGS: Mapping[str, frozenset[str]] = {
    "claude": words("--dangerously-skip-permissions --allow-dangerously-skip-permissions --bare"
                    " --safe-mode"),
    "codex": words("--yolo --dangerously-bypass-approvals-and-sandbox --full-auto-unsafe"
                   " --dangerously-bypass-hook-trust"),
    "gemini": words("--yolo -y"),
    "qwen": words("--yolo -y"),
    "copilot": words("--allow-all-tools --allow-all --yolo"),
    "opencode": words("--dangerously-skip-permissions"),
    "cursor-agent": words("--force -f --yolo"),
    "agent": words("--no-safety --yolo --dangerously-skip-permissions"),
    "q": words("--trust-all-tools"),
    "kiro-cli": words("--trust-all-tools"),
    "amp": words("--dangerously-allow-all"),
    "cline": words("--yolo -y"),
    "droid": words("--skip-permissions-unsafe"),
    "pi": words("--no-extensions -ne"),
}  # fmt: skip
_PACKAGES: Mapping[str, str] = {
    "@anthropic-ai/claude-code": "claude",
    "@openai/codex": "codex",
    "@google/gemini-cli": "gemini",
    "@qwen-code/qwen-code": "qwen",
    "@github/copilot": "copilot",
    "opencode-ai": "opencode",
}
_MODES: Mapping[str, frozenset[str]] = {
    "--permission-mode": words("bypassPermissions"),
    "--approval-mode": words("yolo"),
    "--sandbox": words("danger-full-access"),
    "-s": words("danger-full-access"),
    "--disable": words("hooks"),
}


def _sees(sight: Sight) -> str | None:
    agent, texts = sight.name, sight.texts
    package = next((t for t in texts if t.rpartition("@")[0] in _PACKAGES or t in _PACKAGES), None)
    if agent not in _FLAGS:
        if package is None or sight.name not in ("npx", "bunx", "pnpm", "npm", "yarn"):
            return None
        agent = _PACKAGES.get(package) or _PACKAGES[package.rpartition("@")[0]]
    flag = next((text for text in texts if text.partition("=")[0] in _FLAGS[agent]), None)
    if flag:
        return f"`{flag}` switches its checks off"
    return _mode(texts)


def _mode(texts: list[str]) -> str | None:
    for index, text in enumerate(texts):
        name, equals, value = text.partition("=")
        after = texts[index + 1] if index + 1 < len(texts) else ""
        if (value if equals else after) in _MODES.get(name, ()):
            return f"`{shown(name)}` switches its checks off"
        if "disableAllHooks" in text or "features.hooks=false" in text:
            return f"`{shown(text)}` switches its hooks off"
    return None


UNGUARDED_AGENT = Guard(
    id="unguarded-agent",
    reason="this starts another agent with its checks switched off",
    advice="start it with its ordinary permissions, or with `automode run`",
    about="Flags of coding agents that skip their permission checks. In a container they are fine.",
    sees=_sees,
    programs=frozenset(_FLAGS) | words("npx bunx pnpm npm yarn"),
    stops=(
        "claude --dangerously-skip-permissions -p 'do it'",
        "claude --permission-mode bypassPermissions",
        "codex --yolo",
        "codex exec --dangerously-bypass-approvals-and-sandbox x",
        "gemini --yolo -p x",
        "npx @anthropic-ai/claude-code --dangerously-skip-permissions",
        "nohup claude --dangerously-skip-permissions &",
        "gemini --approval-mode=yolo",
        "q --trust-all-tools 'scan'",
    ),
    passes=(
        "claude -p 'explain this'",
        "claude --help",
        "codex exec 'fix it'",
        "gemini -p 'hello'",
        "grep -rn dangerously-skip-permissions docs",
        "docker run -it box claude --dangerously-skip-permissions",
        "npx @anthropic-ai/claude-code --version",
        "echo 'never use codex --yolo'",
    ),
)
