"""Local clusters, deployment controllers, cluster makers."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.clusters import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

WORKSPACE = Workspace(root="/p", cwd="/p", home="/home/u", files=Names("/p"))


def judged(line: str) -> Use:
    words = tuple(Word(text) for text in shlex.split(line))
    name = words[0].text
    command = Command(words=words, cwd="/p")
    return PROGRAMS[name](Invocation(name, words[1:], command, WORKSPACE))


READING = [
    "minikube status",
    "minikube -p dev status",
    "minikube profile list",
    "kind get clusters",
    "k3d cluster list",
    "kubectx",
    "kubens",
    "kubectx -c",
    "stern web -n prod --tail 10",
    "argocd app list -o json",
    "argocd app get web",
    "argocd context",
    "flux get kustomizations -A",
    "istioctl proxy-status",
    "istioctl analyze -n prod",
    "velero get backups",
    "velero backup describe b",
    "crictl ps -a",
    "eksctl get cluster --region eu-west-1",
    "kops get cluster",
]

NOT_READING = [
    ("minikube delete", Effect.REMOTE_WRITE),
    ("kind delete cluster", Effect.REMOTE_WRITE),
    ("argocd app sync web", Effect.REMOTE_WRITE),
    ("velero backup delete b", Effect.REMOTE_WRITE),
    ("kind get kubeconfig", Effect.SECRETS),
    ("k3d kubeconfig get c", Effect.SECRETS),
    ("kops get secrets", Effect.SECRETS),
    ("istioctl proxy-config secret pod", Effect.SECRETS),
    ("argocd account generate-token", Effect.SECRETS),
    ("minikube ssh", Effect.RUNS),
    ("istioctl dashboard grafana", Effect.RUNS),
    ("argocd app list --server x.test", Effect.NETWORK),
    ("velero get backups --kubeconfig other", Effect.NETWORK),
    ("kubectx prod", Effect.UNKNOWN),
    ("kubectx -d prod", Effect.UNKNOWN),
    ("argocd context other", Effect.UNKNOWN),
    ("flux reconcile kustomization x", Effect.UNKNOWN),
    ("stern web --kubeconfig other", Effect.UNKNOWN),
    ("eksctl create cluster", Effect.UNKNOWN),
]


@pytest.mark.parametrize("line", READING)
def test_what_only_reads_is_judged_as_reading(line: str) -> None:
    assert not judged(line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "effect"), NOT_READING)
def test_what_does_more_is_judged_by_what_it_does(line: str, effect: Effect) -> None:
    assert effect in judged(line).effect
