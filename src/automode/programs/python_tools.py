"""Where `python -m NAME` looks for the tools of Python."""

from collections.abc import Mapping

from automode.programs.table import families, programs
from automode.programs.use import Judge

PROGRAMS: Mapping[str, Judge] = {
    name: programs()[name]
    for key, row in families()["python_tools"].items()
    if " " not in key
    for name in (key, *str(row.get("also", "")).split())
}
