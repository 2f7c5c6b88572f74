"""Checks of the Azure command line: values that are files or addresses, and raw requests."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, network, unknown

_HOST_PARTS = frozenset("--account-name --vault-name --registry --name -n -r".split())
_NAME = re.compile(r"[\w.-]+", re.A)
_OWN = re.compile(
    r"(https://(management\.azure\.com|graph\.microsoft\.com))?/(?!/)[\w./?=&,:${}-]*", re.A
)
_SECRET = re.compile(r"secret|keys|credential|token|password|appsettings|connectionstring", re.I)


def values(given: Given) -> Use:
    """`--name @path` stands for what the file holds; the name of an account or of a vault becomes
    part of the address that is asked."""
    options = [*given.before.options, *given.options.options]
    for option in options:
        text = option.value.text if option.value else ""
        if len(text) > 1 and (text[0] == "@" or "=@" in text):
            return unknown("`@` sends the contents of a file")
        if option.name in _HOST_PARTS and not _NAME.fullmatch(text):
            return network(f"`{option.name}` becomes part of an address")
    if any(word.text.startswith("@") for word in given.operands):
        return unknown("`@` sends the contents of a file")
    return READS


def rest(given: Given) -> Use:
    """Only a plain GET of Azure itself reads."""
    options = given.options.options
    methods = [o.value.text if o.value else "" for o in options if o.name in ("-m", "--method")]
    urls = [o.value.text if o.value else "" for o in options if o.name in ("-u", "--url", "--uri")]
    if any(method.lower() != "get" for method in methods):
        return Use(Effect.REMOTE_WRITE, "the request may change something")
    if len(urls) != 1 or not _OWN.fullmatch(urls[0]):
        return network("the request goes to a named server")
    if _SECRET.search(urls[0]):
        return Use(Effect.SECRETS, "the request asks for secrets")
    return READS
