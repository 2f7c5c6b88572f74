"""helm, helmfile and kustomize: what is made of charts and overlays."""

from collections.abc import Mapping

from automode.programs.clients import (
    CHANGES,
    ELSEWHERE,
    REMOTE,
    RUNS,
    SECRET,
    WRITES,
    Row,
    Verbs,
    options,
    row,
    words,
)
from automode.programs.kubernetes import local_folder
from automode.programs.services import Service, others, paths
from automode.programs.use import READS, Effect, Judge, Use, network
from automode.shell.options import Arguments

_DEVELOPS = Use(Effect.DEVELOPMENT | Effect.RUNS, "runs other programs on local files")

_HELM_GLOBAL = options(
    "-n= --namespace= --kube-context= --debug --burst-limit= --qps= --kubeconfig= --kube-apiserver="
    " --kube-token= --kube-as-user= --kube-as-group= --kube-ca-file="
    " --kube-insecure-skip-tls-verify"
    " --kube-tls-server-name= --registry-config= --repository-cache= --repository-config="
    " --color= --colour="
)
_HELM_ELSEWHERE = {
    f"--{name}": ELSEWHERE
    for name in words(
        "kubeconfig kube-apiserver kube-token kube-as-user kube-as-group kube-ca-file"
        " kube-insecure-skip-tls-verify kube-tls-server-name registry-config repository-cache"
        " repository-config"
    )
}
_VALUES = (
    " -f= --values= --set= --set-string= --set-json= --set-literal= --version= --devel"
    " --repo= --username= --password= --ca-file= --cert-file= --key-file= --keyring= --verify"
    " --insecure-skip-tls-verify --pass-credentials --plain-http --set-file= --post-renderer="
    " --post-renderer-args= --output-dir="
)
_VALUE_EFFECTS = {
    **dict.fromkeys(
        words(
            "--repo --username --password --ca-file --cert-file --key-file --plain-http"
            " --insecure-skip-tls-verify --pass-credentials"
        ),
        ELSEWHERE,
    ),
    **dict.fromkeys(words("--post-renderer --post-renderer-args"), RUNS),
    "--output-dir": WRITES,
}
_TEMPLATE = (
    " -a= --api-versions= --kube-version= --include-crds --is-upgrade --name-template= --no-hooks"
    " --release-name -s= --show-only= --skip-crds --skip-tests --validate --generate-name -g"
    " --create-namespace --wait --atomic --timeout= --description= -i --install --reuse-values"
    " --reset-values --dependency-update --disable-openapi-validation --render-subchart-notes"
    " --hide-secret -o= --output= --force --cleanup-on-fail --history-max= --labels= -l= --strict"
    " --keep-history --quiet --with-subcharts --dry-run? --wait-for-jobs --replace --no-headers"
)


def _chart_here(given: Arguments) -> Use:
    """A chart by its local name; one by address comes from wherever the address says."""
    values = [option.value.text for option in given.options if option.value is not None]
    if any("://" in text for text in (*values, *(word.text for word in given.operands))):
        return network("a chart or values from elsewhere")
    if given.has("--dependency-update"):
        return network("fetches dependencies")
    return READS


def _rehearses(given: Arguments) -> Use:
    dry = next((o for o in reversed(given.options) if o.name == "--dry-run"), None)
    if dry is None or (dry.value is not None and dry.value.text not in ("client", "server")):
        return CHANGES
    return _chart_here(given)


_CHART_OPTIONS = options(_VALUES + _TEMPLATE)
_CHART = Row(_CHART_OPTIONS, REMOTE, _VALUE_EFFECTS, _chart_here)
_RELEASING = Row(_CHART_OPTIONS, REMOTE, _VALUE_EFFECTS, _rehearses)


_LIST = row(
    "-a --all -A --all-namespaces -d --date --deployed --failed -f= --filter= -m= --max= --offset="
    " -o= --output= --pending -r --reverse -l= --selector= -q --short --superseded --time-format="
    " --uninstalled --uninstalling --no-headers",
    REMOTE,
)
_GET = row("-a --all --revision= -o= --output= --template=", REMOTE)
_RELEASE = row(
    "--revision= -o= --output= --show-desc --show-resources --max=",
    REMOTE,
)
_HELM_ROWS = {
    **dict.fromkeys(("list", "ls"), _LIST),
    **dict.fromkeys(("status", "history", "hist"), _RELEASE),
    **{f"get {what}": _GET for what in words("notes metadata")},
    **{
        f"{verb} {what}": _CHART
        for verb in ("show", "inspect")
        for what in words("all chart crds readme values")
    },
    "search hub": row(
        "-o= --output= --max-col-width= --list-repo-url --fail-on-no-result --endpoint=",
        REMOTE,
        endpoint=ELSEWHERE,
    ),
    "search repo": row(
        "-o= --output= --max-col-width= --devel -r --regexp --version= -l --versions"
        " --fail-on-no-result"
    ),
    "template": _CHART,
    "lint": _CHART,
    "install": _RELEASING,
    "upgrade": _RELEASING,
    **dict.fromkeys(words("uninstall delete del un rollback"), _RELEASING),
    "version": row("--short --template= -c --client"),
    "env": row(),
    "repo list": row("-o= --output= --no-headers"),
    "repo ls": row("-o= --output= --no-headers"),
    "dependency list": row("--max-col-width="),
    "dep list": row("--max-col-width="),
    "dependency ls": row("--max-col-width="),
    "dep ls": row("--max-col-width="),
    "plugin list": row(),
    "plugin ls": row(),
    "completion": row("--no-descriptions"),
    "verify": row("--keyring="),
    "help": row(),
}
_HELM = Verbs(
    _HELM_ROWS,
    _HELM_GLOBAL,
    _HELM_ELSEWHERE,
    {
        # Values and manifests hold the passwords that were set for the release.
        **{f"get {what}": SECRET for what in words("all values manifest hooks")},
        "create": WRITES,
        "package": WRITES,
        "pull": network("fetches a chart"),
        "fetch": network("fetches a chart"),
        "push": CHANGES,
        "test": RUNS | CHANGES,
        "registry login": network("signs in"),
        "repo index": WRITES,
        "repo add": network("another repository"),
        "repo remove": WRITES,
        "repo update": network("refreshes repositories"),
        "dependency update": network("fetches dependencies"),
        "dependency build": network("fetches dependencies"),
        "plugin install": RUNS,
        "plugin update": RUNS,
        "plugin uninstall": RUNS,
    },
)

_KUSTOMIZE = Verbs(
    {
        "build": Row(
            options(
                "-o= --output= --load-restrictor= --reorder= --enable-helm --enable-exec"
                " --enable-alpha-plugins --network --helm-command= -e= --env= --mount="
                " --as-current-user"
            ),
            effects={
                **dict.fromkeys(("-o", "--output"), WRITES),
                **dict.fromkeys(
                    words("--enable-helm --enable-exec --enable-alpha-plugins --helm-command"), RUNS
                ),
                "--network": network("functions may connect"),
            },
            check=local_folder,
        ),
        "version": row("--short -o= --output="),
        "cfg tree": row(),
        "cfg cat": row(),
        "cfg count": row(),
        "cfg grep": row(),
        "completion": row(),
    },
    uses={"edit": WRITES, "create": WRITES, "localize": WRITES, "fn": RUNS},
)

_HELMFILE = Service(
    reads=paths("version"),
    uses=others(
        {
            "list|lint|diff|template|build|status|deps|fetch|test|show-dag": _DEVELOPS,
            "apply|sync|destroy|delete": CHANGES,
        }
    ),
)

PROGRAMS: Mapping[str, Judge] = {
    "helm": _HELM,
    "helm3": _HELM,
    "helmfile": _HELMFILE,
    "kustomize": _KUSTOMIZE,
}
