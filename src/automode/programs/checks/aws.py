"""Checks of the AWS command line: values that lead elsewhere, and answers that are secret."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, network, unknown

_SECRET = re.compile(r"credential|secret|token|password|login|private|decrypt|(^|-)keys?(-|$)")
_HIDDEN = re.compile(r"secret|token|key|password|credential|process", re.I)
_REGION = re.compile(r"[a-z0-9-]+")
_LISTS = frozenset(
    """--instance-ids --image-ids --owners --filters --volume-ids --snapshot-ids --subnet-ids
    --vpc-ids --group-ids --group-names --clusters --services --tasks --names --include
    --load-balancer-arns --target-group-arns --listener-arns --repository-names --alarm-names
    --dimensions --statistics --auto-scaling-group-names --log-stream-names --attribute-names
    --stack-status-filter --metrics""".split()
)  # fmt: skip
_NO_FILE = re.compile(r"(describe|list|get-metric)-|filter-log-events$")


def values(given: Given) -> Use:
    """Any value may be `file://…`, which is sent, or an address, which is fetched or asked."""
    words = [word.text for word in given.invocation.args]
    if any("file://" in word or "fileb://" in word for word in words):
        return unknown("it sends the contents of a file")
    if any("://" in word and not word.startswith("s3://") for word in words):
        return network("a value is an address")
    regions = [
        o.value
        for o in (*given.before.options, *given.options.options)
        if o.name in ("-r", "--region")
    ]
    if any(one is None or not _REGION.fullmatch(one.text) for one in regions):
        return network("the region becomes part of an address")
    return READS


def operation(given: Given) -> Use:
    """What the name of the operation says of its answer."""
    if _SECRET.search(_name(given)):
        return Use(Effect.SECRETS, "it may print a credential")
    return operands(given)


def operands(given: Given) -> Use:
    """Only an option with many values has words after it; any other is a file that is written."""
    takes_file = not _NO_FILE.match(_name(given)) and not _waits(given)
    listed = False
    for word in given.args:
        if word.text.startswith("--"):
            listed = word.text in _LISTS and not takes_file
        elif word in given.operands and not listed:
            return Use(Effect.WRITES, "the answer goes to a file")
    return READS


def setting(given: Given) -> Use:
    if any(_HIDDEN.search(word.text) for word in given.operands):
        return Use(Effect.SECRETS, "prints a credential")
    return READS


def _name(given: Given) -> str:
    """The last word of the sub-command."""
    return given.invocation.args[len(given.invocation.args) - len(given.args) - 1].text


def _waits(given: Given) -> bool:
    """`wait instance-running`: no option stands before `wait`, whose value it could be."""
    before = given.invocation.args[: len(given.invocation.args) - len(given.args)]
    return len(before) == 3 and before[1].text == "wait" and before[0].text[:1] != "-"
