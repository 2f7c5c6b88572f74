"""Every program that is known, by its bare name. A module that is not listed here is not used."""

from collections import ChainMap
from collections.abc import Mapping
from typing import cast

from automode.programs import (
    git,
    vcs,
)
from automode.programs.table import programs
from automode.programs.use import Judge

FAMILIES = (
    git,
    vcs,
)

_WRITTEN = {name: judge for family in FAMILIES for name, judge in family.PROGRAMS.items()}

PROGRAMS: Mapping[str, Judge] = ChainMap(_WRITTEN, cast(dict[str, Judge], programs()))
