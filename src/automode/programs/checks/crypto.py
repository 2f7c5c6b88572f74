"""Checks of openssl: where a file comes from, and whether a private key is printed."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, network, unknown

# openssl reads keys from stores too, and a scheme chooses the code that opens the store.
_STORE = re.compile(r"[A-Za-z][\w+.-]*:")


def source(given: Given) -> Use:
    values = [option.value.text for option in given.options.options if option.value is not None]
    texts = (*values, *(word.text for word in given.operands))
    stores = [text for text in texts if _STORE.match(text)]
    if not stores:
        return READS
    if any("//" in text for text in stores):
        return network("a file is fetched from an address")
    return unknown(f"`{stores[0]}` is not a plain file")


def certificate(given: Given) -> Use:
    if given.options.has("-noout", "-help"):
        return source(given)
    return source(given) | unknown("without `-noout` it may convert")


def key(given: Given) -> Use:
    """A key prints itself unless it is kept from it or goes in public."""
    options = given.options
    hidden = options.has("-noout", "-pubout") and not options.has("-text")
    if hidden or options.has("-pubin", "-help"):
        return source(given)
    return source(given) | Use(Effect.SECRETS, "prints or opens private keys")
