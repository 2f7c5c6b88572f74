"""The Azure command line: the last word before the options is the verb."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.azure import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

WORKSPACE = Workspace(root="/p", cwd="/p", home="/home/u", files=Names("/p"))


def judged(line: str) -> Use:
    words = tuple(Word(text) for text in shlex.split(line))
    name = words[0].text
    command = Command(words=words, cwd="/p")
    return PROGRAMS[name](Invocation(name, words[1:], command, WORKSPACE))


READING = [
    "az",
    "az --version",
    "az version",
    "az vm list -g rg -o table",
    "az vm show --name vm --resource-group rg",
    "az vm list-ip-addresses",
    "az vm get-instance-view -g rg -n vm",
    "az network vnet subnet list --vnet-name v -g rg",
    "az account show",
    "az account list-locations",
    "az group exists -n rg",
    "az deployment group what-if -g rg --template-file main.bicep",
    "az deployment group validate -g rg --template-file main.bicep",
    "az storage account check-name --name n",
    "az storage blob list -c c --account-name a --auth-mode login",
    "az keyvault secret list --vault-name v",
    "az keyvault key show --name k --vault-name v",
    "az keyvault list",
    "az graph query -q 'Resources | take 1'",
    "az monitor log-analytics query -w id --analytics-query q",
    "az webapp log tail -n app -g rg",
    "az container logs -g rg -n c",
    "az repos pr list --status active",
    "az boards query --wiql 'select [id] from workitems'",
    "az pipelines runs list",
    "az devops project list",
    "az vm run-command list -g rg --vm-name vm",
    "az vm list --query '@'",
    "az rest --method get --url /subscriptions?api-version=2020-01-01",
    "az vm create --help",
]

NOT_READING = [
    ("az account get-access-token", Effect.SECRETS),
    ("az keyvault secret show --name s --vault-name v", Effect.SECRETS),
    ("az keyvault secret download --name s --vault-name v -f out", Effect.SECRETS),
    ("az storage account keys list -n a", Effect.SECRETS),
    ("az storage account show-connection-string -n a", Effect.SECRETS),
    ("az cosmosdb keys list -n c -g rg", Effect.SECRETS),
    ("az redis list-keys -n r -g rg", Effect.SECRETS),
    ("az acr credential show -n r", Effect.SECRETS),
    ("az aks get-credentials -n c -g rg", Effect.SECRETS),
    ("az webapp deployment list-publishing-credentials -n a -g rg", Effect.SECRETS),
    ("az webapp config appsettings list -n a -g rg", Effect.SECRETS),
    ("az iot hub device-identity show -n h -d d", Effect.SECRETS),
    ("az storage container generate-sas -n c", Effect.SECRETS),
    ("az vm delete -n vm -g rg", Effect.REMOTE_WRITE),
    ("az config set list", Effect.REMOTE_WRITE),
    ("az keyvault secret set --name s --vault-name v --value x", Effect.REMOTE_WRITE),
    ("az webapp start -n app -g rg", Effect.REMOTE_WRITE),
    ("az group update -n rg --tags a=b", Effect.REMOTE_WRITE),
    ("az rest --method delete --url /subscriptions/x", Effect.REMOTE_WRITE),
    ("az storage blob list -c c --connection-string x", Effect.NETWORK),
    ("az storage blob list -c c --sas-token x", Effect.NETWORK),
    ("az rest --url https://x.test/", Effect.NETWORK),
    ("az repos pr show --id 1 --open", Effect.RUNS),
    ("az acr check-health -n r", Effect.RUNS),
    ("az vm deallocate --ids list", Effect.UNKNOWN),
    ("az storage message get --queue-name q", Effect.UNKNOWN),
    ("az group show --name @/etc/passwd", Effect.UNKNOWN),
    ("az group show --name=@/etc/passwd", Effect.UNKNOWN),
    ("az rest --method get --url / --headers a=b", Effect.UNKNOWN),
    ("az interactive", Effect.UNKNOWN),
]


@pytest.mark.parametrize("line", READING)
def test_what_only_reads_is_judged_as_reading(line: str) -> None:
    assert not judged(line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "effect"), NOT_READING)
def test_what_does_more_is_judged_by_what_it_does(line: str, effect: Effect) -> None:
    assert effect in judged(line).effect
