"""What stands around kubectl: local clusters, deployment controllers, cluster makers."""

from collections.abc import Mapping

from automode.programs.clients import CHANGES, REMOTE, RUNS, SECRET, WRITES, Verbs, options
from automode.programs.rows import Flat
from automode.programs.services import Service, others, paths
from automode.programs.use import READS, Judge, unknown

_COMMON = options(
    "-n= --namespace= -o= --output= -A --all-namespaces --context= -l= --selector= --json"
    " --no-headers -p= -w --watch -q --quiet -v --no-color --tail= --since= -f --follow"
)
_MINIKUBE = Service(
    leading=options("-p= --profile="),
    reads=paths("""
status|version|ip|logs|options|completion
profile list
addons list
node list
image ls|list
config view|get
service list
license
"""),
    uses=others(
        {
            "start|stop|delete|pause|unpause|tunnel|mount|cp|dashboard": CHANGES,
            "ssh|kubectl": RUNS,
            "ssh-key|docker-env|podman-env": unknown("prints paths of keys"),
        }
    ),
    spec=_COMMON,
    base=READS,
)
_KIND = Service(
    reads=paths("get clusters|nodes\nversion\ncompletion"),
    uses=others(
        {
            "get kubeconfig": SECRET,
            "create|delete|load|build|export": CHANGES,
        }
    ),
    spec=options("--name= -q -v= --all-clusters -A"),
    base=READS,
)
_K3D = Service(
    reads=paths("cluster|node|registry|kubeconfig list|ls\nversion\ncompletion"),
    uses=others(
        {
            "kubeconfig get|print|write|merge": SECRET,
        }
    ),
    spec=options("-o= --no-headers --output= --token --verbose"),
    base=READS,
)


_SWITCH = Verbs({}, options("-c --current -h --help -V --version"), bare=READS)

_ARGOCD = Service(
    reads=paths("""
app list|get|history|logs|manifests|resources|wait|get-resource
appset list|get
proj list|get
proj role list|get
proj windows list
cluster list|get
repo list|get
repocreds list
cert list
gpg list|get
account list|get|get-user-info|can-i
version
completion
"""),
    alone=paths("context"),
    uses=others(
        {
            "account generate-token|bcrypt": SECRET,
            "app sync|delete|create|set|unset|rollback|patch|terminate-op|actions|edit": CHANGES,
        }
    ),
    spec=options("-o= --output= -p= --project= -l= --selector= --refresh --grpc-web --show-params"),
)
_FLUX = Service(
    leading=options("-n= --namespace= --context="),
    reads=paths("""
get
logs|events|stats|version|check|tree|trace|completion
diff kustomization|artifact
"""),
    uses=others(
        {
            "export secret": SECRET,
        }
    ),
    spec=_COMMON,
)
_ISTIOCTL = Service(
    leading=options("-n= --namespace= -i= --istioNamespace= --context="),
    reads=paths("""
version|analyze|proxy-status|ps|completion|validate
proxy-config|pc cluster|clusters|listener|listeners|route|routes|endpoint|endpoints
proxy-config|pc bootstrap|log|all|ecds
x|experimental describe|precheck|version|check-inject|authz
profile list|dump|diff
tag list
remote-clusters
waypoint list|status
ztunnel-config|zc all|workload|service|policy|certificate
"""),
    uses=others(
        {
            "proxy-config|pc secret|secrets": SECRET,
            "dashboard|dash": RUNS,
        }
    ),
    spec=options(
        "-n= --namespace= -i= --istioNamespace= -o= --output= -A --all-namespaces --context="
    ),
)
_VELERO = Service(
    leading=options("-n= --namespace= --kubecontext="),
    reads=paths("""
get
describe
backup|restore|schedule|snapshot-location|backup-location|plugin|repo get|describe|logs
version|completion
client config get
"""),
    uses=others(
        {
            "backup|restore|schedule delete|create": CHANGES,
            "backup download": WRITES,
        }
    ),
    spec=options(
        "-n= --namespace= -o= --output= -l= --selector= --details --show-labels --kubecontext="
    ),
)
_CRICTL = Service(
    reads=paths("""
ps|pods|images|image|img|inspect|inspecti|inspectp|logs|stats|statsp|info|version|imagefsinfo
metricsp|events|completion
"""),
    spec=options(
        "-a --all -q --quiet -o= --output= -n= --name= --namespace= --state= -s= --label= -f"
        " --follow"
        " --tail= -t -p= --pod= --image= --no-trunc -v --verbose --id= -r -l --latest --last= -D"
        " --debug"
        " --since= --timestamps --digests --pinned --filter= --no-stream --seconds= -c --current"
    ),
    base=READS,
)
_EKSCTL = Service(
    reads=paths("""
get
info|version|completion
utils describe-stacks|describe-addon-versions|describe-addon-configuration|schema
"""),
    spec=options("--name= --region= -r= -o= --output= --cluster= -c= -v= --verbose= -A -n="),
)
_KOPS = Service(
    reads=paths("get\nversion\nvalidate cluster\ncompletion"),
    uses=others(
        {
            "get secret|secrets|keypair|keypairs|sshpublickey|all": SECRET,
            "export kubeconfig|kubecfg": WRITES | SECRET,
            "toolbox dump": SECRET,
        }
    ),
    spec=options("--name= -o= --output= --full -v="),
)
_STERN = Flat(
    options(
        "-n= --namespace= -l= --selector= -A --all-namespaces -c= --container= -o= --output="
        " --tail="
        " -s= --since= --no-follow --context= --color= -t --timestamps= -i= --include= -e="
        " --exclude="
        " --only-log-lines --max-log-requests= --field-selector= --container-state= --node= -v"
        " --version"
        " -E= --exclude-container= --exclude-pod= --init-containers --ephemeral-containers"
    ),
    base=REMOTE,
)

PROGRAMS: Mapping[str, Judge] = {
    "minikube": _MINIKUBE,
    "kind": _KIND,
    "k3d": _K3D,
    "kubectx": _SWITCH,
    "kubens": _SWITCH,
    "stern": _STERN,
    "argocd": _ARGOCD,
    "flux": _FLUX,
    "istioctl": _ISTIOCTL,
    "velero": _VELERO,
    "crictl": _CRICTL,
    "eksctl": _EKSCTL,
    "kops": _KOPS,
}
