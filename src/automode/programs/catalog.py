"""Every program that is known, by its bare name. A module that is not listed here is not used."""

from collections.abc import Mapping

from automode.programs import (
    awk,
    builtins,
    database_files,
    database_stores,
    databases,
    interpreters,
    python_run,
    sed,
    structured,
)
from automode.programs.table import programs
from automode.programs.use import Judge

FAMILIES = (
    awk,
    builtins,
    database_files,
    database_stores,
    databases,
    interpreters,
    python_run,
    sed,
    structured,
)

PROGRAMS: Mapping[str, Judge] = {
    **{name: judge for family in FAMILIES for name, judge in family.PROGRAMS.items()},
    **programs(),
}
