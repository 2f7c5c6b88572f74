"""The AWS command line: which of its thousands of operations only read."""

import re
from collections.abc import Mapping, Sequence

from automode.programs.clients import (
    CHANGES,
    ELSEWHERE,
    REMOTE,
    SECRET,
    WRITES,
    asks_for_help,
    options,
    words,
)
from automode.programs.services import command_words, option_names, worst
from automode.programs.use import READS, Effect, Invocation, Judge, Use, unknown

_SPEC = options(
    "--region= --output= --query= --color= --no-cli-pager --no-paginate --no-sign-request"
    " --cli-read-timeout= --cli-connect-timeout= --cli-binary-format= --no-cli-auto-prompt"
    " --version --profile= --endpoint-url= --ca-bundle= --no-verify-ssl --debug"
)
_EFFECTS = {
    "--profile": ELSEWHERE,
    "--endpoint-url": ELSEWHERE,
    "--no-verify-ssl": ELSEWHERE,
    "--ca-bundle": ELSEWHERE,
    "--debug": Use(Effect.SECRETS, "`--debug` prints session tokens"),
    "--with-decryption": SECRET,
    "--include-value": SECRET,
    "--include-values": SECRET,
    "--save-as": WRITES,
    "--cli-auto-prompt": unknown("the command is completed by hand"),
}

_READS = re.compile(
    r"(describe|list|get|head|batch-(get|describe|list|check)|search|lookup|count|check"
    r"|estimate|simulate|admin-get|admin-list|transact-get|discover|filter|validate)-"
)
_READS_BY_NAME = words(
    "scan query search wait test-event-pattern test-metric-filter test-dns-answer"
    " decode-authorization-message download-db-log-file-portion select-resource-config"
    " select-aggregate-resource-config test-authorization is-authorized"
)
_PRINTS_SECRETS = re.compile(
    r"credentials?(-|$)|secret-value|(^|-)token(s|-|$)|-login(-|$)|password(-data|$)|access-details"
    r"|private-key|instance-access|open-id|embed-url|device-sample-configuration"
)
_SECRET_OPERATIONS = words(
    "decrypt describe-user-pool-client get-relational-database-master-user-password"
    " get-data-access export-certificate generate-data-key"
)
_SPARED = words(
    "get-random-password get-account-password-policy get-credential-report"
    " list-service-specific-credentials describe-account-password-policy"
)
_WRITES_A_FILE = words(
    "get-object get-object-torrent get-job-output get-export get-sdk get-package-version-asset"
    " get-thing-shadow get-media get-clip get-media-for-fragment-list get-snapshot-block"
    " get-configuration get-hosted-configuration-version get-latest-configuration"
    " get-raw-message-content get-map-tile get-map-glyphs get-map-sprites get-tile get-static-map"
    " get-map-style-descriptor get-style-descriptor get-glyphs get-sprites get-read-set"
    " get-reference get-image-frame get-image-set-metadata get-introspection-schema"
    " get-work-unit-results get-code-binding-source get-profile get-chunk get-game-session-log"
)
_CHANGES = words("get-activity-task check-in-license get-id get-user-attribute-verification-code")
_BY_SERVICE = {
    ("s3", "ls"): REMOTE,
    ("s3", "presign"): Use(Effect.SECRETS, "prints a signed link"),
    ("logs", "tail"): REMOTE,
    ("kms", "verify"): REMOTE,
    ("glue", "get-connection"): SECRET,
    ("glue", "get-connections"): SECRET,
    ("customer-profiles", "get-profile"): REMOTE,
    ("history", "list"): READS,
    ("history", "show"): READS,
}
_LOCAL_SETTINGS = words("list list-profiles")


def _operation(service: str, operation: str) -> Use:
    known = _BY_SERVICE.get((service, operation))
    if known is not None:
        return known
    if operation in _WRITES_A_FILE:
        return WRITES
    if operation in _SECRET_OPERATIONS:
        return SECRET
    if operation not in _SPARED and _PRINTS_SECRETS.search(operation):
        return SECRET
    if operation in _CHANGES:
        return CHANGES
    if operation in _READS_BY_NAME or _READS.match(operation):
        return REMOTE
    return CHANGES


def _configure(typed: Sequence[str]) -> Use:
    """`aws configure`: only what prints settings that are no credentials."""
    if len(typed) == 2 and typed[1] in _LOCAL_SETTINGS:
        return READS
    if len(typed) == 3 and typed[1] == "get":
        hidden = re.search(r"secret|token|key|password", typed[2])
        return SECRET if hidden else READS
    if typed[1:2] == ("export-credentials",):
        return SECRET
    return Use(Effect.WRITES, "changes the settings of the client")


def _command(typed: Sequence[str], rest: Sequence[str]) -> Use:
    if "help" in typed[:3] and typed[-1] == "help" and not rest:
        return READS
    if typed[0] == "configure":
        return _configure(typed)
    if len(typed) < 2:
        return unknown("no operation is named")
    service, operation = typed[0], typed[1]
    if "--generate-cli-skeleton" in (name.partition("=")[0] for name in rest):
        return READS
    use = _operation(service, operation)
    takes_operands = operation in ("wait", "ls", "tail", "show")
    if use == REMOTE and len(typed) > 2 and not takes_operands:
        return WRITES | use  # the operand of an operation is the file its answer goes to
    return use


def aws(invocation: Invocation) -> Use:
    args = invocation.args
    if not args or args[0].value == "--version":
        return READS
    if asks_for_help(args, frozenset(word.text for word in args[:1]), 2):
        return READS
    if not invocation.literal:
        return unknown("an argument is not known")
    typed, rest = command_words(args, _SPEC, between=True)
    if not typed:
        return unknown("no service is named")
    return worst(option_names(args), _EFFECTS, _SPEC) | _command(typed, rest)


PROGRAMS: Mapping[str, Judge] = {"aws": aws}
