"""Reads the description of one model server of the user's own."""

from automode.config.diagnostics import Findings, Level, excerpt
from automode.config.json_tree import Leaf, Member, Object
from automode.config.keys import PROVIDERS
from automode.config.kinds import PROVIDER_NAME, Endpoint
from automode.config.settings import Api, Provider

# A key is only ever sent to its own provider's host, so another host needs a key of its own.
OTHERS_KEYS = frozenset(
    {
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "AWS_ACCESS_KEY_ID",
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "GEMINI_API_KEY",
        "GH_TOKEN",
        "GITHUB_TOKEN",
        "GOOGLE_API_KEY",
        "OPENAI_API_KEY",
        "OPENROUTER_API_KEY",
    }
)
_ENDPOINT = Endpoint()


def provider(member: Member, findings: Findings) -> Provider | None:
    """The provider that `member` describes; None, with a finding, when it cannot be used."""
    key = f"{PROVIDERS}.{excerpt(member.key)}"
    if not PROVIDER_NAME.accepts(member.key):
        findings.add(Level.ERROR, key, member.line, f"expected a name of {PROVIDER_NAME.expects}")
        return None
    if not isinstance(member.value, Object):
        findings.add(Level.ERROR, key, member.line, f"expected {_ENDPOINT.expects}")
        return None
    texts: dict[str, str] = {}
    sound = [_field(key, part, texts, findings) for part in member.value.members]
    missing = [name for name in ("api", "baseUrl") if name not in texts]
    if missing and all(sound):
        findings.add(Level.ERROR, key, member.line, f"expected {_ENDPOINT.expects}")
    if missing or not all(sound):
        return None
    return Provider(member.key, Api(texts["api"]), texts["baseUrl"], texts.get("apiKeyEnv"))


def host(found: Provider) -> str:
    """Host and port of the server, to compare."""
    return found.base_url.split("/")[2].casefold()


def _field(key: str, member: Member, texts: dict[str, str], findings: Findings) -> bool:
    """Takes one field into `texts`. No finding quotes a value: it may be a misplaced secret."""
    place = f"{key}.{excerpt(member.key)}"
    kind = _ENDPOINT.fields.get(member.key)
    node = member.value
    if kind is None:
        findings.add(
            Level.ERROR, place, member.line, "unknown key", f"expected {_ENDPOINT.expects}"
        )
        return False
    if (
        not isinstance(node, Leaf)
        or not isinstance(node.value, str)
        or not kind.accepts(node.value)
    ):
        findings.add(Level.ERROR, place, node.line, f"expected {kind.expects}")
        return False
    if member.key == "apiKeyEnv" and node.value.upper() in OTHERS_KEYS:
        message = "expected a variable for this server's own key, found another provider's"
        findings.add(
            Level.ERROR, place, node.line, message, "put its key into a variable of its own"
        )
        return False
    texts.setdefault(member.key, node.value)
    return True
