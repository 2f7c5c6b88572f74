"""Programs that keep secrets, and HashiCorp's other clients."""

from collections.abc import Mapping

from automode.programs.clients import (
    CHANGES,
    REMOTE,
    RUNS,
    SECRET,
    WRITES,
    options,
    words,
)
from automode.programs.services import Service, others, paths
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network, unknown

_HASHICORP = "-format= -namespace= -ns= -no-color -json -detailed -verbose -short -t= -region="
_VAULT = Service(
    reads=paths("""
status|version
secrets|auth|audit|plugin list
policy list|read
namespace list
list
kv list
kv metadata get
operator members
path-help
"""),
    uses=others(
        {
            "kv metadata put|delete|patch": CHANGES,
            "kv get": SECRET,
            "read|unwrap|print|token|login|ssh|transit|pki": SECRET,
            "kv put|delete|destroy|undelete|patch|rollback|enable-versioning": CHANGES,
            "write|delete|lease|operator": CHANGES,
            "server|agent|proxy": RUNS,
        }
    ),
    spec=options(_HASHICORP, single_dash=True),
)
_CONSUL = Service(
    reads=paths("""
members|info|version|validate|rtt|monitor
catalog datacenters|nodes|services
operator raft list-peers
operator autopilot get-config|state
intention list|get|check|match
config list|read
kv get
acl policy|role|auth-method|binding-rule list|read
namespace|partition|peering list|read
"""),
    uses=others(
        {
            "kv export": SECRET,
            "acl token": SECRET,
            "keyring": SECRET,
            "kv put|delete|import": CHANGES,
            "exec|watch|lock|connect|agent": RUNS,
        }
    ),
    spec=options("-detailed -wan -status= -datacenter= -format= -recurse -keys", single_dash=True),
)
_NOMAD = Service(
    reads=paths("""
status|version|agent-info
job status|inspect|history|deployments|allocs|validate
node|alloc|eval|deployment|namespace|quota|volume|server|plugin|service status|list|info|members
alloc logs|fs|checks
server members
operator raft list-peers
operator autopilot get-config
acl policy|role|auth-method list|info
namespace inspect
system status
var list
monitor
job plan
"""),
    uses=others(
        {
            "var get|put|purge": SECRET,
            "acl token|bootstrap": SECRET,
            "job run|stop|dispatch|revert|scale|promote|periodic|restart": CHANGES,
            "alloc exec": RUNS,
            "node config": CHANGES,
        }
    ),
    spec=options(
        _HASHICORP + " -n= -tail -f -stderr -task= -job -self -stats -allocs", single_dash=True
    ),
)

_ONE_PASSWORD = Service(
    leading=options("--format= --account="),
    reads=paths("""
vault|user|group|account list|ls|get
whoami
"""),
    uses=others(
        {
            "item|document list|ls": REMOTE,
            "read|item|document|inject|signin|connect|service-account|events-api": SECRET,
            "run": RUNS | SECRET,
            "vault|user|group create|edit|delete|grant|revoke|provision|suspend": CHANGES,
        }
    ),
    spec=options("--format= --account= --vault= --categories= --tags= --favorite --cache"),
)


def password_store(invocation: Invocation) -> Use:
    """`pass` alone and `pass ls` print names; every other word may be the name of a secret."""
    texts = [word.value for word in invocation.args]
    if not texts or texts in (["ls"], ["list"], ["version"], ["--version"], ["help"], ["--help"]):
        return READS
    if texts[0] in ("ls", "list", "find", "search") and invocation.literal:
        return READS if texts[0] in ("find", "search") else SECRET
    return SECRET


_BITWARDEN = Service(
    reads=paths("status\ngenerate\ncompletion"),
    uses=others(
        {
            "list organizations|collections|folders|org-members|org-collections": REMOTE,
            "get|list|unlock|login|export|receive|encode": SECRET,
            "create|edit|delete|restore|move|confirm|import|send|sync|lock|logout|config": CHANGES,
            "serve": RUNS,
        }
    ),
)
_DOPPLER = Service(
    reads=paths("projects|environments|configs|activity get\nconfigs logs\nme"),
    alone=paths("projects|environments|configs|workplace|activity"),
    uses=others(
        {
            "projects|environments|configs create|delete|update|rename|clone|lock|unlock": CHANGES,
            "secrets|login|logout|setup|oidc": SECRET,
            "configs tokens": SECRET,
            "run": RUNS | SECRET,
        }
    ),
    spec=options("--json -p= --project= -c= --config= --no-color --silent"),
)


def sops(invocation: Invocation) -> Use:
    """sops decrypts, encrypts or edits: nothing of it is a plain read but its version."""
    texts = [word.value or "" for word in invocation.args]
    if texts in (["--version"], ["--help"], ["-h"], ["-v"]):
        return READS
    if texts[:1] == ["filestatus"] and len(texts) == 2:
        return READS
    if any(text in words("-d --decrypt decrypt exec-env exec-file edit") for text in texts):
        return SECRET
    return unknown("sops edits or encrypts") | Use(Effect.WRITES | Effect.SECRETS)


_NGROK = Service(
    reads=paths("version\nconfig check"),
    uses=others(
        {
            "http|tcp|tls|start|tunnel|service": network("makes this machine reachable"),
            "config": WRITES,
            "api": CHANGES,
        }
    ),
    base=READS,
)
_CLOUDFLARED = Service(
    reads=paths("version"),
    uses=others(
        {
            "tunnel list|info": REMOTE,
            "tunnel": network("makes this machine reachable"),
            "access": network("opens a way in"),
            "login|update|service": CHANGES,
        }
    ),
    base=READS,
    spec=options("-o= --output="),
)

PROGRAMS: Mapping[str, Judge] = {
    "vault": _VAULT,
    "bao": _VAULT,
    "consul": _CONSUL,
    "nomad": _NOMAD,
    "op": _ONE_PASSWORD,
    "pass": password_store,
    "bw": _BITWARDEN,
    "doppler": _DOPPLER,
    "sops": sops,
    "ngrok": _NGROK,
    "cloudflared": _CLOUDFLARED,
}
