"""Checks of macOS programs: documents that load more, property lists that are rewritten."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, network, writes

_DOCUMENT = re.compile(r".*\.(rtf|rtfd|doc|docx|odt|txt|wordml)", re.IGNORECASE | re.DOTALL)
_HASHES = re.compile(r"hash|password|auth|native:?$|accountpolicy", re.IGNORECASE)


def prints_plist(given: Given) -> Use:
    """Converting writes back unless `-o -` sends the result to standard output."""
    rewrites = given.options.has("-convert", "-extract") and not given.options.has("-o")
    return writes("rewrites the property list") if rewrites else READS


def no_hashes(given: Given) -> Use:
    """A user has an attribute with the hash of the password."""
    if any(_HASHES.search(word.text) for word in given.operands):
        return Use(Effect.SECRETS, "may print the hash of a password")
    return READS


def plain_documents(given: Given) -> Use:
    """A web page loads its images and styles, from wherever they are."""
    if given.options.has("-noload"):
        return READS
    plain = all(_DOCUMENT.fullmatch(word.value or "") for word in given.operands)
    return READS if plain else network("a web page loads what it refers to")


def local_words(given: Given) -> Use:
    """An image may be an address."""
    remote = any("://" in word.text for word in given.operands)
    return network("reads from another machine") if remote else READS


_STREAM = ("-", ":-")


def codesign(given: Given) -> Use:
    """Looking at a signature; what it extracts must go to standard output."""
    if not given.options.has("-d", "-v", "-h", "--display", "--verify"):
        return writes("signs, or writes what it extracts")
    shown = given.options.value("--entitlements")
    printed = given.options.value("-r", "--requirements")
    if shown is not None and shown.value not in _STREAM:
        return writes("writes what it extracts")
    if printed is not None and printed.value != "-":
        return writes("writes what it extracts")
    return READS
