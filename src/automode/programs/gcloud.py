"""The Google Cloud clients: gcloud, gsutil and bq."""

import re
from collections.abc import Mapping, Sequence

from automode.programs.clients import (
    CHANGES,
    ELSEWHERE,
    REMOTE,
    RUNS,
    SECRET,
    WRITES,
    Row,
    Verbs,
    asks_for_help,
    options,
    row,
    words,
)
from automode.programs.gcloud_groups import GROUPS, TOP_GROUPS
from automode.programs.services import command_words, named, option_names, paths, worst
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network, unknown
from automode.shell.options import Arguments

_SPEC = options(
    "--project= --format= --filter= --limit= --page-size= --sort-by= --verbosity= --region= --zone="
    " --location= --quiet -q --user-output-enabled --no-user-output-enabled --flatten="
    " --billing-project= --uri --regions= --zones= --global --organization= --folder= --cluster="
    " --account= --configuration= --impersonate-service-account= --access-token-file="
)
_EFFECTS = {
    **dict.fromkeys(
        words(
            "--impersonate-service-account --account --configuration --access-token-file"
            " --credential-file-override --authority-selector --universe-domain --trace-token"
        ),
        ELSEWHERE,
    ),
    "--flags-file": unknown("`--flags-file` brings further options"),
    "--log-http": SECRET,
    "--destination": WRITES,
    "--output-file": WRITES,
    "--output-path": WRITES,
    "--auto-ack": CHANGES,
    "--launch-browser": RUNS,
}
_READS = re.compile(r"(list|describe|search|lookup|get|check|query)(-[a-z0-9-]+)?|wait|tail|read")
_SECRETS = re.compile(r"credential|key-string|auth-string|token|password|print-")
_LOCAL = paths("""
config list|get-value|get
config configurations list|describe
auth list
components list
version
info
help
topic
cheat-sheet
""")
_FURTHER_READS = paths("""
asset analyze-iam-policy|analyze-org-policies|analyze-move
builds log
compute diagnose routes
policy-troubleshoot iam
storage ls|cat|du|hash
dns record-sets transaction describe
app instances list
""")
_BY_NAME = (
    (paths("secrets versions access"), SECRET),
    (paths("container|hub|fleet|edge-cloud clusters|memberships get-credentials"), WRITES | SECRET),
    (paths("compute|cloud-shell|app ssh|scp|start-iap-tunnel"), RUNS | network("logs in")),
    (paths("app browse"), RUNS),
    (paths("sql generate-login-token"), SECRET),
    (paths("kms decrypt"), SECRET),
    (paths("pubsub subscriptions pull"), CHANGES),
)
_CHANNELS = ("beta", "alpha", "preview")


def _command(typed: Sequence[str]) -> Use:
    for table, use in _BY_NAME:
        if named(typed, table):
            return use
    if named(typed, _LOCAL):
        return READS
    if named(typed, _FURTHER_READS):
        return REMOTE
    if typed[0] not in TOP_GROUPS:
        return unknown(f"`gcloud {typed[0]}` is not known")
    verb = next((word for word in typed[1:] if word not in GROUPS), "")
    if _SECRETS.search(verb):
        return SECRET
    return REMOTE if _READS.fullmatch(verb) else CHANGES


def gcloud(invocation: Invocation) -> Use:
    args = invocation.args
    known = TOP_GROUPS | words("config auth components version info topic beta alpha")
    if args and asks_for_help(args, known, 5):
        return READS
    if not invocation.literal:
        return unknown("an argument is not known")
    typed, rest = command_words(args, _SPEC, between=True)
    if typed[:1] and typed[0] in _CHANNELS:
        typed = typed[1:]
    if not typed:
        return READS if rest in (("--version",), ("-v",)) else unknown("no command is named")
    return worst(option_names(args), _EFFECTS, _SPEC) | _command(typed)


def _shows_settings(given: Arguments) -> Use:
    """`gsutil versioning get B` reads what `gsutil versioning set` would change."""
    first = given.operands[0].text if given.operands else ""
    return REMOTE if first in ("get", "list") else CHANGES


_SETTINGS = words(
    "acl autoclass bucketpolicyonly cors defacl defstorageclass iam kms label lifecycle logging"
    " notification pap requesterpays retention rpo ubla versioning web"
)
_GSUTIL = Verbs(
    rows={
        "ls": row("-a -b -d -e -h -l -L -p= -r -R", REMOTE),
        "cat": row("-h -r=", REMOTE),
        "du": row("-a -c -e= -h -s -X=", REMOTE),
        "stat": row("", REMOTE),
        "hash": row("-c -h -m", REMOTE),
        "version": row("-l"),
        "help": row(),
        **{name: Row(options("-p= -d="), check=_shows_settings) for name in _SETTINGS},
    },
    uses=dict.fromkeys(words("cp mv rm rb mb rsync setmeta rewrite compose config"), CHANGES)
    | {"signurl": SECRET, "hmac": SECRET, "perfdiag": CHANGES},
    spec=options("-m -q -D -u="),
    effects={"-D": SECRET},
)


def _shows_a_table(given: Arguments) -> Use:
    secret = any("connection" in option.name for option in given.options)
    return unknown("shows a connection") if secret else READS


_BQ_VIEWS = (
    "-j --jobs -a --all -n= --max_results= -d --datasets -p --projects --filter= --format="
    " --schema --view --dataset -f= --job -t --table -m --model --routine --transfer_config"
    " --transfer_run --reservation --start_row= -s= -k= --page_token= --print_last_token"
    " --transfer_location= --capacity_commitment --models -i --row_access_policies --encryption"
)
_BQ = Verbs(
    rows={
        "ls": Row(options(_BQ_VIEWS), REMOTE, check=_shows_a_table),
        "show": Row(options(_BQ_VIEWS), REMOTE, check=_shows_a_table),
        "head": row(_BQ_VIEWS, REMOTE),
        "get-iam-policy": row(_BQ_VIEWS, REMOTE),
        "wait": row("", REMOTE),
        "version": row(),
        "help": row(),
        "info": row(),
        "query": Row(
            options("--dry_run --use_legacy_sql --nouse_legacy_sql --format= --location="),
            check=lambda given: REMOTE if given.has("--dry_run") else CHANGES,
        ),
    },
    uses=dict.fromkeys(
        words("mk rm cp load insert update extract cancel mkdef truncate undelete partition"),
        CHANGES,
    )
    | {"shell": RUNS, "init": Use(Effect.WRITES, "writes settings")},
    spec=options("--project_id= --dataset_id= --location= --format= --headless --quiet -q"),
)

PROGRAMS: Mapping[str, Judge] = {"gcloud": gcloud, "gsutil": _GSUTIL, "bq": _BQ}
