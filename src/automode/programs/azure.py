"""The Azure command line: groups of any depth, and the last word before the options is the verb."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from automode.programs.clients import (
    CHANGES,
    ELSEWHERE,
    REMOTE,
    RUNS,
    SECRET,
    WRITES,
    asks_for_help,
    options,
    words,
)
from automode.programs.services import command_words, named, option_names, paths, worst
from automode.programs.use import READS, Invocation, Judge, Use, unknown
from automode.shell.script import Word

_SPEC = options(
    "--output= -o= --query= --subscription= --only-show-errors --verbose --debug --version"
)
_EFFECTS = {
    **dict.fromkeys(
        words(
            "--connection-string --sas-token --account-key --blob-endpoint --file-endpoint"
            " --queue-endpoint --table-endpoint --service-endpoint --login --password"
        ),
        ELSEWHERE,
    ),
    **dict.fromkeys(words("--open --open-browser --web"), RUNS),
    **dict.fromkeys(
        words("--output-file --output-folder --output-dir --dest --destination-path --outfile"),
        WRITES,
    ),
    **dict.fromkeys(words("--show-keys --expose-token --show-secrets --include-secrets"), SECRET),
}
_READS = re.compile(r"(list|show|exists)(-[a-z0-9-]+)?|(get|check)-[a-z0-9-]+|wait|query|what-if")
_STARTS_SOMETHING = words("check-health check-acr")
_SECRETS = re.compile(
    r"(^|-)(keys?|secrets?|tokens?|credentials?|passwords?|connection-strings?|sas|appsettings"
    r"|publishing-profiles?|publishing-credentials?|shared-keys?|api-keys?|kubeconfig|device-identity"
    r"|module-identity|identity-token|auth-keys?|device-registration|enrollment|cd-url)(-|$)"
)
_NO_SECRETS_AFTER_ALL = paths("""
keyvault key list|list-versions|list-deleted|show|show-deleted|get-policy-template
keyvault secret list|list-versions|list-deleted
sql db|mi show-connection-string
ad app|sp credential list
acr token list|show
acr credential-set list|show
sshkey list|show
synapse workspace key list|show
keyvault certificate list|show
""")
_FURTHER_READS = paths("""
webapp|functionapp|logicapp log tail
container logs
acr task logs
ad group member check
config get
deployment export|validate
deployment group|sub|mg|tenant export|validate
group export
network watcher test-ip-flow
storage message peek
""")
_LOCAL = paths("""
version
cloud list|show
extension list
bicep version
config get
""")
_ACTIONS = re.compile(
    r"(set|unset|create|delete|update|add|remove|start|stop|restart|invoke|run|exec"
    r"|import|upload|download|purge|reset|apply|deploy|up|move|assign|attach|detach|login|logout"
    r"|configure|install|upgrade|ssh|scp|connect|clear|new|put|patch|post|rename)$"
)


def _command(typed: Sequence[str]) -> Use:
    verb = typed[-1]
    if named(typed, _NO_SECRETS_AFTER_ALL):
        return REMOTE
    if verb in _STARTS_SOMETHING:
        return RUNS
    if any(_SECRETS.search(word) for word in typed):
        reads = _READS.fullmatch(verb) or verb in ("generate-sas", "download")
        return SECRET if reads else CHANGES
    if named(typed, _LOCAL):
        return READS
    if named(typed, _FURTHER_READS):
        return REMOTE
    if any(_ACTIONS.match(word) for word in typed):
        return CHANGES
    if len(typed) > 1 and _READS.fullmatch(verb):
        return REMOTE
    return unknown(f"`az {' '.join(typed)}` is not known to only read")


def _rest(args: Sequence[Word]) -> Use:
    """`az rest` sends what it is told to Azure; only a plain GET of Azure itself reads."""
    texts = [word.text for word in args]
    given = dict(pairwise(texts))
    method = given.get("--method") or given.get("-m") or "get"
    url = given.get("--url") or given.get("--uri") or given.get("-u") or ""
    plain = words(
        "rest --method -m --url --uri -u --output -o --query --only-show-errors --verbose"
    )
    strange = [t for t in texts if t.startswith("-") and t not in plain]
    if strange or any(texts.count(name) > 1 for name in plain):
        return unknown("`az rest` with further options")
    if method.lower() != "get":
        return CHANGES
    own = re.match(r"(https://(management\.azure\.com|graph\.microsoft\.com))?/", url)
    secret = re.search(r"secret|keys|credential|token|password", url.lower())
    if not own or url.startswith("//") or secret:
        return ELSEWHERE
    return REMOTE


def _sends_a_file(args: Sequence[Word]) -> bool:
    """`--name @path` stands for what the file holds; in a query `@` is the current node."""
    return any(
        word.text.startswith("@") and before.text != "--query" for before, word in pairwise(args)
    ) or any("=@" in word.text for word in args if not word.text.startswith("--query="))


def azure(invocation: Invocation) -> Use:
    args = invocation.args
    if not args:
        return READS
    if asks_for_help(args, frozenset(word.text for word in args[:1]), 5):
        return READS
    if not invocation.literal:
        return unknown("an argument is not known")
    if args[0].text == "rest":
        return _rest(args)
    typed, _ = command_words(args, _SPEC)
    if not typed:
        alone = len(args) == 1 and args[0].text in ("--version", "-v")
        return READS if alone else unknown("no command is named")
    if _sends_a_file(args):
        return unknown("`@` sends the contents of a file")
    return worst(option_names(args), _EFFECTS, _SPEC) | _command(typed)


PROGRAMS: Mapping[str, Judge] = {"az": azure}
