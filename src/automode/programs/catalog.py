"""Every program that is known, by its bare name."""

from collections.abc import Mapping

from automode.programs.table import programs
from automode.programs.use import Judge

PROGRAMS: Mapping[str, Judge] = programs()
