"""Checks for pip and for tools that check or format."""

import re

from automode.programs.development import inside
from automode.programs.touch import Given
from automode.programs.use import READS, Use, runs

_ITSELF = re.compile(r"\.(\[[\w,-]+\])?")
_VERSION = re.compile(r"[\d.<>=!~,*]+")
_CONFIG = ("--config", "-c", "--settings-path", "--sp", "--settings-file", "--config-file")


def pip_install(given: Given) -> Use:
    """From the project's own requirement files, or the project itself: ordinary."""
    declared = given.options.has("-r", "--requirement", "-e", "--editable")
    project = all(_ITSELF.fullmatch(word.text) for word in given.operands)
    if project and (declared or given.operands) and not given.options.unclear:
        return READS
    return runs("it installs packages, which may run their code")


def own_config(given: Given) -> Use:
    """The configuration that is named must be the project's own. Settings may also be written out
    in the value: `--config fix=true`."""
    for option in given.options.options:
        value = option.value
        if option.name not in _CONFIG or (value is None and option.name == "-c"):
            continue
        if value is None or "=" in value.text or not inside(given.invocation, value.text):
            return runs("its configuration is not the project's own")
    return READS


def version_only(given: Given) -> Use:
    """A version of Python, not an interpreter that is started to ask it."""
    named = [word.text for word in given.operands if not _VERSION.fullmatch(word.text)]
    return runs(f"`{named[0]}` may be started") if named else READS
