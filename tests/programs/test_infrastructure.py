"""terraform and its kin, packer, pulumi, cdk."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.infrastructure import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

WORKSPACE = Workspace(root="/p", cwd="/p", home="/home/u", files=Names("/p"))


def judged(line: str) -> Use:
    words = tuple(Word(text) for text in shlex.split(line))
    name = words[0].text
    command = Command(words=words, cwd="/p")
    return PROGRAMS[name](Invocation(name, words[1:], command, WORKSPACE))


READING = [
    "terraform",
    "terraform -version",
    "terraform version -json",
    "terraform providers",
    "terraform fmt -check -diff",
    "terraform fmt -write=false main.tf",
    "terraform output",
    "terraform output -state=terraform.tfstate",
    "terraform state list",
    "terraform workspace list",
    "terraform metadata functions -json",
    "terraform -chdir=infra output",
    "terraform plan -help",
    "tofu version",
    "packer version",
    "packer inspect a.pkr.hcl",
    "packer fmt -check .",
    "packer validate -syntax-only a.pkr.hcl",
    "pulumi stack ls",
    "pulumi stack output --json",
    "pulumi stack",
    "pulumi whoami",
    "cdk --version",
    "cdk doctor",
    "cdk context",
    "sam list resources --output json",
]

NOT_READING = [
    ("terraform apply", Effect.REMOTE_WRITE),
    ("terraform -chdir=infra apply", Effect.REMOTE_WRITE),
    ("terraform destroy -auto-approve", Effect.REMOTE_WRITE),
    ("terraform import a b", Effect.REMOTE_WRITE),
    ("terraform state rm a", Effect.REMOTE_WRITE),
    ("terraform workspace delete x", Effect.REMOTE_WRITE),
    ("packer build a.pkr.hcl", Effect.REMOTE_WRITE),
    ("pulumi up", Effect.REMOTE_WRITE),
    ("pulumi stack tag set a b", Effect.REMOTE_WRITE),
    ("cdk deploy", Effect.REMOTE_WRITE),
    ("sam deploy", Effect.REMOTE_WRITE),
    ("terraform plan -var-file=a.tfvars", Effect.DEVELOPMENT),
    ("terraform init", Effect.DEVELOPMENT),
    ("cdk synth", Effect.DEVELOPMENT),
    ("cdk diff", Effect.DEVELOPMENT),
    ("pulumi preview", Effect.DEVELOPMENT),
    ("packer validate a.pkr.hcl", Effect.DEVELOPMENT),
    ("sam build", Effect.DEVELOPMENT),
    ("terraform fmt", Effect.WRITES),
    ("terraform fmt -diff", Effect.WRITES),
    ("packer fmt .", Effect.WRITES),
    ("terraform plan -out=plan.tfplan", Effect.WRITES),
    ("cdk init app", Effect.WRITES),
    ("terraform state pull", Effect.SECRETS),
    ("terraform show -json plan.tfplan", Effect.SECRETS),
    ("terraform output -json", Effect.SECRETS),
    ("terraform output --json", Effect.SECRETS),
    ("terraform output -raw password", Effect.SECRETS),
    ("terraform output password", Effect.SECRETS),
    ("terraform validate", Effect.DEVELOPMENT | Effect.RUNS),
    ("terraform validate -json", Effect.DEVELOPMENT | Effect.RUNS),
    ("terraform show", Effect.DEVELOPMENT | Effect.RUNS),
    ("terraform graph", Effect.DEVELOPMENT | Effect.RUNS),
    ("terraform state show aws_instance.a", Effect.DEVELOPMENT | Effect.RUNS),
    ("terraform providers schema -json", Effect.DEVELOPMENT | Effect.RUNS),
    ("terraform -chdir=/elsewhere output", Effect.RUNS),
    ("terraform -chdir=../other state list", Effect.RUNS),
    ("pulumi stack output --show-secrets", Effect.SECRETS),
    ("pulumi stack export", Effect.SECRETS),
    ("pulumi config get key", Effect.SECRETS),
    ("terraform console", Effect.RUNS),
    ("terraform -chdir=../other plan", Effect.RUNS),
    ("packer console", Effect.RUNS),
    ("serverless", Effect.RUNS),
    ("terragrunt run-all apply", Effect.RUNS),
    ("terraform frobnicate", Effect.UNKNOWN),
    ("terraform output -frobnicate", Effect.UNKNOWN),
    ("cdk context --reset", Effect.UNKNOWN),
    ("pulumi stack -j rm x", Effect.UNKNOWN),
]


@pytest.mark.parametrize("line", READING)
def test_what_only_reads_is_judged_as_reading(line: str) -> None:
    assert not judged(line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "effect"), NOT_READING)
def test_what_does_more_is_judged_by_what_it_does(line: str, effect: Effect) -> None:
    assert effect in judged(line).effect
