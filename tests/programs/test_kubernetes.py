"""kubectl and oc."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.kubernetes import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

WORKSPACE = Workspace(root="/p", cwd="/p", home="/home/u", files=Names("/p"))


def judged(line: str) -> Use:
    words = tuple(Word(text) for text in shlex.split(line))
    name = words[0].text
    command = Command(words=words, cwd="/p")
    return PROGRAMS[name](Invocation(name, words[1:], command, WORKSPACE))


READING = [
    "kubectl",
    "kubectl -h",
    "kubectl get pods",
    "kubectl get pods -A -o wide",
    "kubectl -n prod get deploy,svc -o yaml",
    "kubectl --context delete get pods",
    "kubectl get --raw /healthz",
    "kubectl describe pod web -n prod",
    "kubectl logs -f web -c app --tail=100 --since 5m",
    "kubectl top pods -A",
    "kubectl explain pods.spec --recursive",
    "kubectl api-resources --api-group=apps",
    "kubectl version --client",
    "kubectl cluster-info",
    "kubectl config view --minify",
    "kubectl config get-contexts",
    "kubectl config current-context",
    "kubectl auth can-i list pods",
    "kubectl auth whoami",
    "kubectl events --for pod/web",
    "kubectl rollout status deployment/web --timeout=60s",
    "kubectl rollout history deployment/web",
    "kubectl wait --for=condition=ready pod/web",
    "kubectl create deployment web --image=nginx --dry-run=client -o yaml",
    "kubectl apply -f k8s/ --dry-run=server",
    "kubectl run web --image=nginx --dry-run=client -o yaml",
    "kubectl kustomize overlays/dev",
    "kubectl delete --help",
    "oc status",
    "oc whoami",
    "oc project",
    "oc get routes",
    "k get nodes",
]

NOT_READING = [
    ("kubectl get secret", Effect.SECRETS),
    ("kubectl get secrets -o yaml", Effect.SECRETS),
    ("kubectl get pods,secret", Effect.SECRETS),
    ("kubectl get secret/db -o jsonpath={.data}", Effect.SECRETS),
    ("kubectl get -o yaml secret db", Effect.SECRETS),
    ("kubectl describe secret db", Effect.SECRETS),
    ("kubectl config view --raw", Effect.SECRETS),
    ("kubectl create token sa", Effect.SECRETS),
    ("oc whoami -t", Effect.SECRETS),
    ("kubectl --kubeconfig other get pods", Effect.NETWORK),
    ("kubectl get pods --server https://x.test", Effect.NETWORK),
    ("kubectl get pods --as=admin", Effect.NETWORK),
    ("kubectl get pods --token=x", Effect.NETWORK),
    ("kubectl port-forward web 8080:80", Effect.NETWORK),
    ("kubectl proxy", Effect.NETWORK),
    ("kubectl kustomize https://github.com/x/y", Effect.NETWORK),
    ("kubectl apply -f k8s/", Effect.REMOTE_WRITE),
    ("kubectl delete pod web", Effect.REMOTE_WRITE),
    ("kubectl --context=foo delete pod list", Effect.REMOTE_WRITE),
    ("kubectl create deployment web --image=nginx", Effect.REMOTE_WRITE),
    ("kubectl create deployment web --image=nginx --dry-run=none", Effect.REMOTE_WRITE),
    ("kubectl apply -f https://x.test/a.yaml --dry-run=client", Effect.REMOTE_WRITE),
    ("kubectl scale deploy web --replicas=0", Effect.REMOTE_WRITE),
    ("kubectl rollout restart deploy/web", Effect.REMOTE_WRITE),
    ("kubectl drain node", Effect.REMOTE_WRITE),
    ("kubectl cp web:/x x", Effect.REMOTE_WRITE),
    ("kubectl exec web -- ls", Effect.RUNS),
    ("kubectl debug web", Effect.RUNS),
    ("kubectl diff -f k8s/", Effect.RUNS),
    ("kubectl kustomize . --enable-helm", Effect.RUNS),
    ("kubectl cluster-info dump --output-directory=out", Effect.WRITES),
    ("kubectl config use-context prod", Effect.WRITES),
    ("kubectl kustomize . -o out.yaml", Effect.WRITES),
    ("kubectl get -f pods.yaml", Effect.UNKNOWN),
    ("kubectl get --raw /api/v1/namespaces/d/secrets", Effect.UNKNOWN),
    ("kubectl neat --help", Effect.UNKNOWN),
    ("kubectl --frobnicate get delete pod", Effect.UNKNOWN),
    ("oc project other", Effect.UNKNOWN),
]


@pytest.mark.parametrize("line", READING)
def test_what_only_reads_is_judged_as_reading(line: str) -> None:
    assert not judged(line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "effect"), NOT_READING)
def test_what_does_more_is_judged_by_what_it_does(line: str, effect: Effect) -> None:
    assert effect in judged(line).effect
