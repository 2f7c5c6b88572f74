"""Checks of kubectl, oc and kustomize."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, network, unknown

_SECRET_KIND = re.compile(
    r"(^|[,/])(secrets?(\.[a-z0-9.]*)?|sealedsecrets?)([,/]|$)", re.IGNORECASE
)
_PLAIN_PATH = re.compile(r"/(?!/)[A-Za-z0-9/._?=&-]*")
_GUARDED_PATH = re.compile(r"secret|proxy|exec|attach|portforward|token")


def no_secrets(given: Given) -> Use:
    if any(_SECRET_KIND.search(word.text) for word in given.operands):
        return Use(Effect.SECRETS, "prints a credential")
    return READS


def raw(given: Given) -> Use:
    """`--raw` asks the server for any path: only plain lists that hold no secrets."""
    path = given.options.value("--raw")
    if path is None:
        return no_secrets(given)
    if not _PLAIN_PATH.fullmatch(path.text) or _GUARDED_PATH.search(path.text):
        return unknown("`--raw` asks for any path")
    return READS


def dry_run(given: Given) -> Use:
    """`create --dry-run=client -o yaml` prints what it would create."""
    value = given.options.value("--dry-run")
    elsewhere = any("://" in option.value.text for option in given.options.options if option.value)
    if elsewhere or (value is not None and value.text not in ("client", "server")):
        return Use(Effect.REMOTE_WRITE, "changes the cluster")
    if value is None and given.options.has("--dry-run"):
        return Use(Effect.REMOTE_WRITE, "changes the cluster")
    return Use(Effect.REMOTE_READ)


def local_folder(given: Given) -> Use:
    """A kustomization may name bases on the network, so only a folder given by a plain path."""
    marks = ("://", "github.com", "@", "?")
    if any(mark in word.text for word in given.operands for mark in marks):
        return network("builds from elsewhere")
    return READS
