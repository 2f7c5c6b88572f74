"""OpenCode: what its plugin `automode.ts` says, and what it is answered."""

from dataclasses import dataclass

from automode.agents.events import Abilities
from automode.agents.shared.extension import ALL_CLOSE, ExtensionAdapter

# A server's tool is called `server_tool`. So `plan_exit` is not among these, which is harmless when
# it is OpenCode's: it may be the `exit` of a server `plan`.
_OWN = frozenset(
    "bash read write edit multiedit patch apply_patch glob grep list lsp webfetch websearch"
    " codesearch task todowrite todoread question skill batch invalid".split()
)

_ABILITIES = Abilities(
    asks=True,
    stops=True,
    deadline_ms=55_000,
    markers=("OPENCODE", "OPENCODE_PID"),
    rewrites=True,
    itself=True,
    prompts=(
        "the hook `chat.message`; parts that are `synthetic`, and whatever is said in a"
        " sub-agent's session, are the agent's own"
    ),
    failures=ALL_CLOSE,
    tested="1.18.33",
)


@dataclass(frozen=True, slots=True)
class OpenCode(ExtensionAdapter):
    """`attended` is what the plugin says with the host's name: whether automode's part in the
    terminal has answered it."""

    name = "opencode"
    abilities = _ABILITIES
    title = "OpenCode"
    own = _OWN
