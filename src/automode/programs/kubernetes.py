"""kubectl and the programs that speak its language."""

import re
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
    alone,
    options,
    row,
    words,
)
from automode.programs.use import READS, Effect, Judge, Use, network, unknown
from automode.shell.options import Arguments

_GLOBAL = options(
    "-n= --namespace= --context= --cluster= --user= --request-timeout= -v= --v= --cache-dir="
    " --match-server-version --warnings-as-errors --kubeconfig= -s= --server= --token= --as="
    " --as-group= --as-uid= --username= --password= --certificate-authority= --client-certificate="
    " --client-key= --insecure-skip-tls-verify --tls-server-name= --profile= --profile-output="
    " --log-dir= --log-file= --alsologtostderr --logtostderr --kuberc="
)
_GLOBAL_EFFECTS = {
    **dict.fromkeys(
        words(
            "--kubeconfig -s --server --token --as --as-group --as-uid --username --password"
            " --certificate-authority --client-certificate --client-key --tls-server-name"
            " --insecure-skip-tls-verify --user"
        ),
        ELSEWHERE,
    ),
    **dict.fromkeys(words("--cache-dir --profile --profile-output --log-dir --log-file"), WRITES),
    "--kuberc": unknown("another configuration is used"),
}

_SECRET_KIND = re.compile(
    r"(^|[,/])(secrets?(\.[a-z0-9.]*)?|sealedsecrets?)([,/]|$)", re.IGNORECASE
)


def _no_secrets(given: Arguments) -> Use:
    if any(_SECRET_KIND.search(word.text) for word in given.operands):
        return SECRET
    if any(option.name in ("-f", "--filename", "-k", "--kustomize") for option in given.options):
        named = given.value("-f", "--filename", "-k", "--kustomize")
        if named is None or "://" in named.text:
            return network("reads a file from elsewhere")
        return unknown("what a file describes is not known")
    return READS


def _raw(given: Arguments) -> Use:
    """`--raw` asks the server for any path: only plain lists that hold no secrets."""
    path = given.value("--raw")
    if path is None:
        return _no_secrets(given)
    plain = re.fullmatch(r"/[A-Za-z0-9/._?=&-]*", path.text)
    if not plain or re.search(r"secret|proxy|exec|attach|portforward|token", path.text):
        return unknown("`--raw` asks for any path")
    return READS


def _dry(given: Arguments) -> Use:
    """`create --dry-run=client -o yaml` prints what it would create."""
    dry = given.value("--dry-run")
    remote = any("://" in option.value.text for option in given.options if option.value)
    if dry is None or dry.text not in ("client", "server") or remote:
        return CHANGES
    return READS


def local_folder(given: Arguments) -> Use:
    """A kustomization may name bases on the network, so only a folder given by a plain path."""
    targets = [word.text for word in given.operands]
    if any("://" in text or "github.com" in text or "@" in text or "?" in text for text in targets):
        return network("builds from elsewhere")
    return READS


_SELECT = (
    " -l= --selector= -A --all-namespaces --field-selector= --chunk-size= --show-labels"
    " -o= --output= --no-headers --sort-by= --show-kind --show-managed-fields"
    " --allow-missing-template-keys --template= --ignore-not-found -L= --label-columns="
    " --server-print --subresource= --output-watch-events -w --watch --watch-only"
    " -f= --filename= -k= --kustomize= -R --recursive"
)
_FORMAT = "-o= --output= --template= --allow-missing-template-keys --show-managed-fields "
_CREATE = (
    "--dry-run? -o= --output= --image= --replicas= --port= --from-literal= --save-config"
    " -f= --filename= -R --recursive -p= --patch= --server-side --force --wait --timeout="
    " --validate? --tcp= --clusterip= --nodeport= --schedule= --restart= --command --env="
    " --labels= -l="
    " --verb= --resource= --role= --clusterrole= --serviceaccount= --type= --name= --target-port="
    " --rule= --class= --hard= --min= --max= --cpu= --local --field-manager= --from= --group="
    " --external-name= --resource-name= --value= --description= --min-available= --overrides="
    " --max-unavailable= --expose --protocol= --replicas= --cpu-percent= --all -c= --containers="
    " --requests= --limits= --overwrite --list --image-pull-policy= --rm --quiet -q"
)
_DRY_ROW = Row(options(_CREATE), REMOTE, check=_dry)
_CREATED = words(
    "deployment deploy service svc namespace ns configmap cm job cronjob cj role rolebinding"
    " clusterrole clusterrolebinding serviceaccount sa ingress ing quota priorityclass pc"
    " poddisruptionbudget pdb"
)
_DRY_VERBS = words("create run expose apply delete patch replace scale autoscale label annotate")

_ROWS = {
    "get": Row(options(_SELECT + " --raw="), REMOTE, check=_raw),
    "describe": Row(
        options(
            "-l= --selector= -A --all-namespaces --show-events --chunk-size="
            " -f= --filename= -k= --kustomize= -R --recursive"
        ),
        REMOTE,
        check=_no_secrets,
    ),
    "logs": row(
        "-f --follow -p --previous -c= --container= --tail= --since= --since-time= --timestamps"
        " -l= --selector= --all-containers --all-pods --max-log-requests= --prefix --limit-bytes="
        " --ignore-errors --pod-running-timeout= --insecure-skip-tls-verify-backend",
        REMOTE,
        insecure_skip_tls_verify_backend=ELSEWHERE,
    ),
    "top": Row(check=alone),
    **dict.fromkeys(
        ("top pod", "top pods", "top po", "top node", "top nodes", "top no"),
        row(
            "-l= --selector= -A --all-namespaces --containers --sort-by= --no-headers --sum"
            " --use-protocol-buffers --field-selector= --show-capacity --show-swap",
            REMOTE,
        ),
    ),
    "explain": row("--recursive --api-version= -o= --output=", REMOTE),
    "api-resources": row(
        "--api-group= --namespaced --no-headers -o= --output= --sort-by= --verbs= --categories="
        " --cached",
        REMOTE,
    ),
    "api-versions": row("", REMOTE),
    "version": row("--client --short -o= --output=", REMOTE),
    "cluster-info": Row(base=REMOTE, check=alone),
    "cluster-info dump": row(
        "-A --all-namespaces --namespaces= -o= --output= --output-directory="
        " --pod-running-timeout=",
        REMOTE,
        output_directory=WRITES,
    ),
    "config view": row(_FORMAT + "--raw --minify --merge --flatten", raw=SECRET, flatten=SECRET),
    "config get-contexts": row("-o= --output= --no-headers"),
    "config current-context": row(),
    "config get-clusters": row(),
    "config get-users": row(),
    "auth can-i": row("-A --all-namespaces --list --no-headers -q --quiet --subresource=", REMOTE),
    "auth whoami": row(_FORMAT, REMOTE),
    "events": row(
        "-A --all-namespaces --for= --types= --no-headers -w --watch -o= --output= --chunk-size=",
        REMOTE,
    ),
    "rollout status": row(
        "-w --watch --timeout= --revision= -l= --selector= -R --recursive", REMOTE
    ),
    "apply view-last-applied": Row(
        options("-o= --output= -l= --selector="), REMOTE, check=_no_secrets
    ),
    "rollout history": row(_FORMAT + "--revision= -l= --selector=", REMOTE),
    "wait": row(
        _FORMAT + "--for= --timeout= -l= --selector= --all -A --all-namespaces --field-selector="
        " -R --recursive",
        REMOTE,
    ),
    "completion": row(),
    "options": row(),
    "plugin list": row("--name-only"),
    "kustomize": Row(
        options("-o= --output= --enable-helm --load-restrictor= --reorder="),
        effects={"-o": WRITES, "--output": WRITES, "--enable-helm": RUNS},
        check=local_folder,
    ),
    **dict.fromkeys(_DRY_VERBS, _DRY_ROW),
    **{f"create {kind}": _DRY_ROW for kind in _CREATED},
    "create service clusterip": _DRY_ROW,
    "create service nodeport": _DRY_ROW,
    "create service loadbalancer": _DRY_ROW,
    "create service externalname": _DRY_ROW,
}


_CHANGES = words("edit taint cordon uncordon drain set certificate")
_USES = {
    **dict.fromkeys(_CHANGES, CHANGES),
    **dict.fromkeys(words("exec attach debug diff"), RUNS),
    **dict.fromkeys(words("port-forward proxy"), network("opens a way into the cluster")),
    "cp": WRITES | CHANGES,
    "apply set-last-applied": CHANGES,
    "apply edit-last-applied": CHANGES,
    "create token": SECRET,
    "create secret": CHANGES,
    "config set-context": WRITES,
    "config use-context": WRITES,
    "rollout restart": CHANGES,
    "rollout undo": CHANGES,
    "rollout pause": CHANGES,
    "rollout resume": CHANGES,
    "auth reconcile": CHANGES,
}
kubectl = Verbs(_ROWS, _GLOBAL, _GLOBAL_EFFECTS, _USES, help_depth=2)

_OPENSHIFT = {
    "status": row("-A --all-namespaces -o= --suggest", REMOTE),
    "projects": row("-q --short", REMOTE),
    "project": Row(options("-q --short"), REMOTE, check=alone),
    "whoami": row(
        "-t --show-token -c --show-context --show-server --show-console",
        REMOTE,
        show_token=SECRET,
    ),
    "adm top": row("-l= --selector= -A --all-namespaces --sort-by=", REMOTE),
    "adm policy who-can": row("-A --all-namespaces", REMOTE),
    "rollout latest": Row(base=CHANGES),
}
_WHOAMI = _OPENSHIFT["whoami"]
_OPENSHIFT["whoami"] = Row(_WHOAMI.spec, REMOTE, {**_WHOAMI.effects, "-t": SECRET})
openshift = Verbs(
    {**_ROWS, **_OPENSHIFT},
    _GLOBAL,
    _GLOBAL_EFFECTS,
    {**_USES, "login": Use(Effect.NETWORK | Effect.WRITES, "signs in"), "rsh": RUNS},
)

PROGRAMS: Mapping[str, Judge] = {"kubectl": kubectl, "k": kubectl, "oc": openshift}
