"""gcloud, gsutil and bq."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.gcloud import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

WORKSPACE = Workspace(root="/p", cwd="/p", home="/home/u", files=Names("/p"))


def judged(line: str) -> Use:
    words = tuple(Word(text) for text in shlex.split(line))
    name = words[0].text
    command = Command(words=words, cwd="/p")
    return PROGRAMS[name](Invocation(name, words[1:], command, WORKSPACE))


READING = [
    "gcloud --version",
    "gcloud version",
    "gcloud info",
    "gcloud config list",
    "gcloud config get-value project",
    "gcloud auth list",
    "gcloud topic filters",
    "gcloud projects list",
    "gcloud projects get-iam-policy p",
    "gcloud compute instances list --format=json --filter='status=RUNNING'",
    "gcloud --format delete compute instances list",
    "gcloud compute --project p instances describe vm --zone z",
    "gcloud beta run services list",
    "gcloud run services logs read svc",
    "gcloud container clusters describe c --region r",
    "gcloud artifacts docker images list loc",
    "gcloud builds log 1234",
    "gcloud logging read 'severity>=ERROR' --limit 5",
    "gcloud secrets list",
    "gcloud secrets versions list s",
    "gcloud iam service-accounts keys list --iam-account a",
    "gcloud storage ls gs://b",
    "gcloud storage buckets describe gs://b",
    "gcloud compute instances delete --help",
    "gsutil ls -l gs://b",
    "gsutil cat gs://b/o",
    "gsutil du -s gs://b",
    "gsutil acl get gs://b",
    "gsutil -m stat gs://b/o",
    "bq ls --format=json",
    "bq show --schema ds.t",
    "bq head -n 5 ds.t",
    "bq query --dry_run --use_legacy_sql=false 'SELECT 1'",
]

NOT_READING = [
    ("gcloud auth print-access-token", Effect.SECRETS),
    ("gcloud auth print-identity-token", Effect.SECRETS),
    ("gcloud auth application-default print-access-token", Effect.SECRETS),
    ("gcloud secrets versions access latest --secret=s", Effect.SECRETS),
    ("gcloud container clusters get-credentials c", Effect.SECRETS),
    ("gcloud services api-keys get-key-string k", Effect.SECRETS),
    ("gcloud redis instances get-auth-string i", Effect.SECRETS),
    ("gsutil signurl key gs://b/o", Effect.SECRETS),
    ("gcloud compute instances delete vm", Effect.REMOTE_WRITE),
    ("gcloud compute instances delete list", Effect.REMOTE_WRITE),
    ("gcloud app deploy list", Effect.REMOTE_WRITE),
    ("gcloud run deploy list", Effect.REMOTE_WRITE),
    ("gcloud compute instances --labels list delete vm", Effect.REMOTE_WRITE),
    ("gcloud config set project p", Effect.REMOTE_WRITE),
    ("gcloud config config-helper", Effect.REMOTE_WRITE),
    ("gcloud pubsub subscriptions pull s", Effect.REMOTE_WRITE),
    ("gsutil cp a gs://b", Effect.REMOTE_WRITE),
    ("gsutil rm gs://b/o", Effect.REMOTE_WRITE),
    ("gsutil acl set private gs://b", Effect.REMOTE_WRITE),
    ("bq query 'DROP TABLE x'", Effect.REMOTE_WRITE),
    ("bq rm ds.t", Effect.REMOTE_WRITE),
    ("gcloud compute instances list --impersonate-service-account=a", Effect.NETWORK),
    ("gcloud --account other projects list", Effect.NETWORK),
    ("gcloud projects list --configuration=other", Effect.NETWORK),
    ("gcloud projects list --access-token-file=f", Effect.NETWORK),
    ("gcloud compute ssh vm", Effect.NETWORK),
    ("gcloud compute instances get-screenshot vm --destination=x.png", Effect.WRITES),
    ("gcloud", Effect.UNKNOWN),
    ("gcloud frobnicate list", Effect.UNKNOWN),
    ("gcloud projects list --flags-file=f.yaml", Effect.UNKNOWN),
    ("gsutil -o Credentials:x=y ls", Effect.UNKNOWN),
]


@pytest.mark.parametrize("line", READING)
def test_what_only_reads_is_judged_as_reading(line: str) -> None:
    assert not judged(line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "effect"), NOT_READING)
def test_what_does_more_is_judged_by_what_it_does(line: str, effect: Effect) -> None:
    assert effect in judged(line).effect
