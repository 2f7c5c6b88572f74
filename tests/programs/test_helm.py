"""helm, helmfile and kustomize."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.helm import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

WORKSPACE = Workspace(root="/p", cwd="/p", home="/home/u", files=Names("/p"))


def judged(line: str) -> Use:
    words = tuple(Word(text) for text in shlex.split(line))
    name = words[0].text
    command = Command(words=words, cwd="/p")
    return PROGRAMS[name](Invocation(name, words[1:], command, WORKSPACE))


READING = [
    "helm",
    "helm -h",
    "helm version --short",
    "helm list -A",
    "helm --kube-context dev list --failed",
    "helm status web -n prod",
    "helm history web",
    "helm get notes web",
    "helm get metadata web --revision 3",
    "helm show values nginx/nginx",
    "helm search hub nginx",
    "helm search repo nginx --versions",
    "helm template web ./chart -f values.yaml --set a=b",
    "helm lint ./chart --strict",
    "helm install web ./chart --dry-run",
    "helm upgrade --install web nginx/nginx --dry-run=client",
    "helm repo list",
    "helm dependency list ./chart",
    "helm plugin list",
    "kustomize build overlays/dev",
    "kustomize version",
    "helmfile version",
]

NOT_READING = [
    ("helm install web ./chart", Effect.REMOTE_WRITE),
    ("helm install web ./chart --dry-run=none", Effect.REMOTE_WRITE),
    ("helm upgrade web ./chart", Effect.REMOTE_WRITE),
    ("helm un web", Effect.REMOTE_WRITE),
    ("helm rollback web 1", Effect.REMOTE_WRITE),
    ("helm push c.tgz oci://r", Effect.REMOTE_WRITE),
    ("helmfile apply", Effect.REMOTE_WRITE),
    ("helm template web ./chart --post-renderer ./x.sh", Effect.RUNS),
    ("helm plugin install ./p", Effect.RUNS),
    ("kustomize build . --enable-helm", Effect.RUNS),
    ("kustomize build . --enable-alpha-plugins --enable-exec", Effect.RUNS),
    ("helmfile template", Effect.RUNS),
    ("helm --kubeconfig other list", Effect.NETWORK),
    ("helm template web oci://x.test/c", Effect.NETWORK),
    ("helm show values c --repo https://x.test", Effect.NETWORK),
    ("helm repo add x https://x.test", Effect.NETWORK),
    ("helm pull nginx/nginx", Effect.NETWORK),
    ("kustomize build https://github.com/x/y", Effect.NETWORK),
    ("helm template web ./chart --output-dir out", Effect.WRITES),
    ("helm package ./chart", Effect.WRITES),
    ("kustomize build . -o out", Effect.WRITES),
    ("kustomize edit set image x=y", Effect.WRITES),
    ("helm get values web --all", Effect.SECRETS),
    ("helm get all web --revision 3", Effect.SECRETS),
    ("helm get manifest web", Effect.SECRETS),
    ("helm secrets view x", Effect.UNKNOWN),
    ("helm secrets --help", Effect.UNKNOWN),
]


@pytest.mark.parametrize("line", READING)
def test_what_only_reads_is_judged_as_reading(line: str) -> None:
    assert not judged(line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "effect"), NOT_READING)
def test_what_does_more_is_judged_by_what_it_does(line: str, effect: Effect) -> None:
    assert effect in judged(line).effect
