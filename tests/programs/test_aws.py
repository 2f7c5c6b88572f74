"""The AWS command line: reads, writes, files, credentials."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.aws import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

WORKSPACE = Workspace(root="/p", cwd="/p", home="/home/u", files=Names("/p"))


def judged(line: str) -> Use:
    words = tuple(Word(text) for text in shlex.split(line))
    name = words[0].text
    command = Command(words=words, cwd="/p")
    return PROGRAMS[name](Invocation(name, words[1:], command, WORKSPACE))


READING = [
    "aws",
    "aws --version",
    "aws help",
    "aws ec2 help",
    "aws ec2 describe-instances help",
    "aws s3 rm --help",
    "aws s3 ls",
    "aws s3 ls s3://bucket/path --recursive",
    "aws --no-cli-pager --output json s3 ls",
    "aws ec2 --region eu-west-1 describe-instances",
    "aws ec2 describe-instances --instance-ids i-1 i-2 --query 'Reservations[].Instances[]'",
    "aws ec2 wait instance-running --instance-ids i-1",
    "aws ec2 get-console-output --instance-id i-1",
    "aws sts get-caller-identity",
    "aws iam list-users --no-paginate",
    "aws iam get-account-password-policy",
    "aws iam simulate-principal-policy --policy-source-arn arn --action-names s3:Get",
    "aws s3api head-object --bucket b --key k",
    "aws s3api get-object-acl --bucket b --key k",
    "aws s3api list-objects-v2 --bucket b",
    "aws dynamodb scan --table-name t",
    "aws dynamodb query --table-name t --key-condition-expression 'id = :v'",
    "aws dynamodb batch-get-item --request-items file://items.json",
    "aws logs tail /aws/lambda/f --follow",
    "aws logs filter-log-events --log-group-name g",
    "aws cloudformation validate-template --template-body file://t.yaml",
    "aws cloudtrail lookup-events",
    "aws secretsmanager describe-secret --secret-id s",
    "aws secretsmanager list-secrets",
    "aws ssm get-parameter --name /plain",
    "aws cognito-idp admin-get-user --user-pool-id p --username u",
    "aws ecr batch-check-layer-availability --repository-name r --layer-digests d",
    "aws configure list",
    "aws configure get region",
    "aws ec2 run-instances --generate-cli-skeleton",
]

NOT_READING = [
    ("aws ec2 terminate-instances --instance-ids i-1", Effect.REMOTE_WRITE),
    ("aws ec2 run-instances --image-id ami-1", Effect.REMOTE_WRITE),
    ("aws s3 cp a s3://b/a", Effect.REMOTE_WRITE),
    ("aws s3 rm s3://b --recursive", Effect.REMOTE_WRITE),
    ("aws s3 sync . s3://b", Effect.REMOTE_WRITE),
    ("aws iam create-access-key --user-name u", Effect.REMOTE_WRITE),
    (
        "aws sqs receive-message --queue-url https://sqs.eu-west-1.amazonaws.com/1/q",
        Effect.REMOTE_WRITE,
    ),
    ("aws athena start-query-execution --query-string 'DROP TABLE t'", Effect.REMOTE_WRITE),
    ("aws logs start-query --log-group-name g --query-string q", Effect.REMOTE_WRITE),
    (
        "aws cognito-idp get-user-attribute-verification-code --attribute-name email",
        Effect.REMOTE_WRITE,
    ),
    ("aws emr get --cluster-id c --src a", Effect.REMOTE_WRITE),
    ("aws secretsmanager get-secret-value --secret-id s", Effect.SECRETS),
    ("aws secretsmanager batch-get-secret-value --secret-id-list s", Effect.SECRETS),
    ("aws sts get-session-token", Effect.SECRETS),
    ("aws sts get-federation-token --name n", Effect.SECRETS),
    ("aws sts assume-role --role-arn arn --role-session-name s --debug", Effect.SECRETS),
    ("aws ecr get-login-password", Effect.SECRETS),
    ("aws ecr get-authorization-token", Effect.SECRETS),
    ("aws ssm get-parameter --name /x --with-decryption", Effect.SECRETS),
    ("aws ssm get-parameters-by-path --path / --with-dec", Effect.SECRETS),
    ("aws eks get-token --cluster-name c", Effect.SECRETS),
    ("aws rds generate-db-auth-token --hostname h", Effect.SECRETS),
    ("aws kms decrypt --ciphertext-blob fileb://x", Effect.SECRETS),
    ("aws ec2 get-password-data --instance-id i-1", Effect.SECRETS),
    ("aws configure get aws_secret_access_key", Effect.SECRETS),
    ("aws configure export-credentials", Effect.SECRETS),
    ("aws apigateway get-api-keys --include-values", Effect.SECRETS),
    ("aws s3 presign s3://b/k", Effect.SECRETS),
    ("aws s3api get-object --bucket b --key k out.bin", Effect.WRITES),
    ("aws apigateway get-export --rest-api-id a out.json", Effect.WRITES),
    ("aws ec2 describe-instances out.json", Effect.WRITES),
    ("aws configure set region eu-west-1", Effect.WRITES),
    ("aws configure", Effect.WRITES),
    ("aws --profile other s3 ls", Effect.NETWORK),
    ("aws s3 ls --profile other", Effect.NETWORK),
    ("aws s3 ls --endpoint-url https://x.test", Effect.NETWORK),
    ("aws s3 ls --endpoint https://x.test", Effect.NETWORK),
    ("aws --no-verify-ssl ec2 describe-instances", Effect.NETWORK),
]


@pytest.mark.parametrize("line", READING)
def test_what_only_reads_is_judged_as_reading(line: str) -> None:
    assert not judged(line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "effect"), NOT_READING)
def test_what_does_more_is_judged_by_what_it_does(line: str, effect: Effect) -> None:
    assert effect in judged(line).effect
